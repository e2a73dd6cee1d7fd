//! [`Transport`]: whoever moves the bytes of the built-in wires.

use futures::future::LocalBoxFuture;
use futures::stream::LocalBoxStream;
use steersman_wire::HttpRequest;

use crate::error::Error;

/// Sends HTTP requests: over the network (in a browser with the feature `web`), or out of a script in tests.
pub trait Transport {
    /// Send a request and wait for the head of the response. Dropping the future closes the connection.
    ///
    /// # Errors
    /// No response came; mostly [`ErrorKind::Network`](crate::error::ErrorKind::Network), with a text for people.
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, Error>>;
}

/// A response whose body is still to come.
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// What stands beside the status; may be empty.
    pub status_text: String,
    /// Value of the header `content-type`; empty when it is missing.
    pub content_type: String,
    /// Pieces of the body, decoded from any transfer or content encoding. Dropping it closes the connection.
    pub body: LocalBoxStream<'static, Result<Vec<u8>, Error>>,
}
