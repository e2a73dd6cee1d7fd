//! [`Fetch`]: requests of the built-in wires by `fetch`, in windows and workers.

use futures::future::LocalBoxFuture;
use js_sys::{parse_float, Date, Math, Promise, Uint8Array};
use steersman_wire::HttpRequest;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, Request, RequestInit, RequestRedirect, Response, ResponseType};

use super::body::{Body, Connection};
use super::turns::sleep;
use super::words;
use crate::error::{Error, ErrorKind};
use crate::native::{HttpResponse, Transport};

/// Longest wait that a server may ask for, in milliseconds.
const MAX_DELAY: f64 = 60_000.0;

#[wasm_bindgen]
extern "C" {
    // The global one, which windows and workers both have.
    #[wasm_bindgen(catch)]
    fn fetch(request: &Request) -> Result<Promise, JsValue>;
}

/// A [`Transport`] over the browser's `fetch`, for windows and workers.
///
/// Dropping a request closes its connection. A redirect is not followed, because keys would go where it leads. What is
/// buffered already is handed on with breaks, so that the page goes on painting.
#[derive(Clone, Copy, Default)]
pub struct Fetch {
    retries: u32,
}

impl Fetch {
    /// How often a request is repeated that got no response, or one that says that trying again may help (status 408,
    /// 409, 429, 5xx); never after the answer has begun. Not at all by default.
    ///
    /// The wait before is what the server asks for, as far as it lets the page see it, up to a minute; else 0.5 s,
    /// doubled each time up to 8 s.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }
}

impl Transport for Fetch {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, Error>> {
        Box::pin(async move {
            let headers = headers(&request)?;
            let body = Uint8Array::from(request.body.as_slice());
            for repeat in 0..self.retries {
                let sent = exchange(&request, &headers, &body).await;
                let Some(delay) = delay(&sent, repeat) else {
                    return respond(sent?);
                };
                // The failed one is let go before the wait.
                drop(sent);
                sleep(delay).await;
            }
            respond(exchange(&request, &headers, &body).await?)
        })
    }
}

type Exchange = (Response, Connection);

/// One attempt.
async fn exchange(request: &HttpRequest, headers: &Headers, body: &Uint8Array) -> Result<Exchange, Error> {
    let invalid = |_| {
        let text = ["The model's baseUrl makes no valid URL: ", &request.url].concat();
        Error::new(ErrorKind::InvalidRequest, text)
    };
    // A host alone would be taken for a path of the page, and `localhost:8080` for a scheme.
    if !(request.url.contains("://") || request.url.starts_with(['/', '.'])) {
        return Err(invalid(JsValue::UNDEFINED));
    }
    let controller = AbortController::new().map_err(invalid)?;
    let init = RequestInit::new();
    init.set_method(request.method);
    init.set_headers(headers);
    init.set_body(body);
    init.set_signal(Some(&controller.signal()));
    init.set_redirect(RequestRedirect::Manual);
    let connection = Connection(controller);
    let made = Request::new_with_str_and_init(&request.url, &init).map_err(invalid)?;
    let answer = match fetch(&made) {
        Ok(promise) => JsFuture::from(promise).await,
        Err(thrown) => Err(thrown),
    };
    let response = answer.map_err(|thrown| unreachable(&request.url, &words(&thrown)))?;
    let response: Response = response.dyn_into().map_err(|_| unreachable(&request.url, "this is no response"))?;
    if response.type_() == ResponseType::Opaqueredirect {
        let text = [
            host(&request.url),
            " answered with a redirect. It is not followed, because the request carries the key: make the address it \
             leads to the model's baseUrl.",
        ];
        return Err(Error::new(ErrorKind::InvalidRequest, text.concat()));
    }
    Ok((response, connection))
}

fn respond((response, connection): Exchange) -> Result<HttpResponse, Error> {
    Ok(HttpResponse {
        status: response.status(),
        status_text: response.status_text(),
        content_type: header(&response, "content-type").unwrap_or_default(),
        body: Body::stream(&response, connection)?,
    })
}

/// What `fetch` would refuse with an error that looks like one of the network, and may show the value.
fn headers(request: &HttpRequest) -> Result<Headers, Error> {
    let refused = |name: &str| {
        let text = ["The header ", name, " has a name or value that HTTP does not allow."].concat();
        Error::new(ErrorKind::InvalidRequest, text)
    };
    let headers = Headers::new().map_err(|_| refused(""))?;
    for (name, value) in &request.headers {
        headers.append(name, value).map_err(|_| refused(name))?;
    }
    Ok(headers)
}

/// A header, where the server lets the page see it.
fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name).ok().flatten()
}

/// How long to wait before another attempt; `None` when this one counts. `repeat` counts from 0.
fn delay(sent: &Result<Exchange, Error>, repeat: u32) -> Option<f64> {
    let mut asked = None;
    match sent {
        Ok((response, _)) if response.status() < 400 => return None,
        Ok((response, _)) => {
            let again = match header(response, "x-should-retry").as_deref() {
                Some("true") => true,
                Some("false") => false,
                _ => matches!(response.status(), 408 | 409 | 429 | 500..),
            };
            if !again {
                return None;
            }
            asked = asked_delay(response);
        }
        Err(error) if error.kind != ErrorKind::Network => return None,
        Err(_) => {}
    }
    match asked {
        Some(asked) => (asked <= MAX_DELAY).then_some(asked.max(1.0)),
        // Less up to a quarter, so that many clients do not come back together.
        None => Some((500.0 * f64::from(1 << repeat.min(4))).min(8000.0) * (1.0 - Math::random() * 0.25)),
    }
}

/// What the server asks for, in milliseconds: `retry-after` has seconds or a date.
fn asked_delay(response: &Response) -> Option<f64> {
    let known = |value: f64| value.is_finite().then_some(value);
    let ms = header(response, "retry-after-ms").and_then(|ms| known(parse_float(&ms)));
    ms.or_else(|| {
        let after = header(response, "retry-after")?;
        let seconds = known(parse_float(&after)).map(|seconds| seconds * 1000.0);
        seconds.or_else(|| known(Date::parse(&after) - Date::now()))
    })
}

/// A browser says the same few words for everything (`Failed to fetch`).
fn unreachable(url: &str, said: &str) -> Error {
    let text = [
        "Could not reach ",
        host(url),
        ": ",
        said,
        ". Possible causes: the server is not running, or does not allow requests of this page (CORS); the page's \
         Content Security Policy (connect-src) does not name it; the browser is offline.",
    ];
    Error::new(ErrorKind::Network, text.concat())
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty()).unwrap_or(url)
}
