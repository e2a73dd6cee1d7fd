//! A response that comes in: pieces of its body, and what becomes of the connection.

use futures::future::{select, LocalBoxFuture};
use futures::stream::{unfold, LocalBoxStream};
use futures::StreamExt;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{spawn_local, JsFuture};
use web_sys::{AbortController, ReadableStreamDefaultReader, Response};

use super::turns::{sleep, Pace};
use super::words;
use crate::error::{Error, ErrorKind};

/// Most bytes that are handed on at once, so that there can be breaks inside of what came at once.
const PIECE: u32 = 4096;

/// How long a body that is not read any more may take to end by itself, in milliseconds.
const GRACE: f64 = 20.0;

/// An exchange that ends when nobody wants it any more.
pub(super) struct Connection(pub AbortController);

impl Drop for Connection {
    fn drop(&mut self) {
        // Of what is complete this changes nothing.
        self.0.abort();
    }
}

pub(super) struct Body {
    /// Missing once there is no more to read.
    reader: Option<ReadableStreamDefaultReader>,
    connection: Option<Connection>,
    /// Whether a piece is being waited for.
    reading: bool,
    chunk: Uint8Array,
    /// How many bytes of the chunk were handed on.
    taken: u32,
    pace: Pace,
}

impl Body {
    /// # Errors
    /// The body was taken by somebody else.
    pub fn stream(
        response: &Response,
        connection: Connection,
    ) -> Result<LocalBoxStream<'static, Result<Vec<u8>, Error>>, Error> {
        let reader = match response.body() {
            None => None,
            Some(stream) => {
                let reader = ReadableStreamDefaultReader::new(&stream);
                Some(reader.map_err(|thrown| Error::new(ErrorKind::Network, words(&thrown)))?)
            }
        };
        let body = Body {
            reader,
            connection: Some(connection),
            reading: false,
            chunk: Uint8Array::new_with_length(0),
            taken: 0,
            pace: Pace::new(),
        };
        Ok(unfold(body, |mut body| async { body.next().await.map(|piece| (piece, body)) }).boxed_local())
    }

    async fn next(&mut self) -> Option<Result<Vec<u8>, Error>> {
        self.pace.breathe().await;
        while self.taken >= self.chunk.length() {
            let reader = self.reader.as_ref()?;
            self.reading = true;
            let read = self.pace.wait(JsFuture::from(reader.read())).await;
            self.reading = false;
            match read.map(|read| chunk_of(&read)) {
                Ok(Ok(Some(chunk))) => (self.chunk, self.taken) = (chunk, 0),
                Ok(Ok(None)) => self.reader = None,
                Ok(Err(error)) => return Some(Err(error)),
                Err(thrown) => {
                    self.reader = None;
                    let text = ["The connection was lost: ", &words(&thrown)].concat();
                    return Some(Err(Error::new(ErrorKind::Network, text)));
                }
            }
        }
        let end = self.chunk.length().min(self.taken + PIECE);
        let piece = self.chunk.subarray(self.taken, end).to_vec();
        self.taken = end;
        Some(Ok(piece))
    }
}

/// What a read gave; `None` at the end.
fn chunk_of(read: &JsValue) -> Result<Option<Uint8Array>, Error> {
    let field = |name| Reflect::get(read, &JsValue::from_str(name)).unwrap_or_default();
    if field("done").is_truthy() {
        return Ok(None);
    }
    let chunk = field("value").dyn_into::<Uint8Array>();
    chunk.map(Some).map_err(|_| Error::new(ErrorKind::Network, "The body of the response is not made of bytes."))
}

impl Drop for Body {
    fn drop(&mut self) {
        let (reader, connection) = (self.reader.take(), self.connection.take());
        if self.reading || self.taken < self.chunk.length() {
            return;
        }
        // The answer is complete, and the body is about to end. Left to do so, its connection serves the next request.
        if let Some(reader) = reader {
            spawn_local(async move {
                let patience: LocalBoxFuture<'_, ()> = Box::pin(sleep(GRACE));
                drop(select(JsFuture::from(reader.read()), patience).await);
                drop(connection);
            });
        }
    }
}
