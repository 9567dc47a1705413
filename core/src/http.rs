//! Conversion between an engine and the types of the `http` crate, and an engine as a `tower`
//! service.

use crate::api::{Answer, Request};
use crate::engine::Engine;
use ::http::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use ::http::{Method, StatusCode};
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

impl Engine {
    /// Answers a request of the `http` crate, for example from a server or from the transport of a
    /// client.
    ///
    /// HTTP permits no body with status 204 or in response to HEAD, so the body is omitted in
    /// these cases.
    ///
    /// ```
    /// # fn main() -> rollbook::Result<()> {
    /// let engine = rollbook::Engine::memory(rollbook::Options::default())?;
    /// let request = http::Request::get("http://localhost/api/v1/settings/clients").body("");
    /// let answer = engine.call(&request.unwrap_or_default());
    /// assert_eq!(answer.status(), 401);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call<B: AsRef<[u8]>>(&self, request: &::http::Request<B>) -> ::http::Response<Vec<u8>> {
        let headers: Vec<_> = request
            .headers()
            .iter()
            .filter_map(|(name, value)| {
                Some((name.as_str(), std::str::from_utf8(value.as_bytes()).ok()?))
            })
            .collect();
        let target = request.uri().path_and_query();
        let answer = self.request(&Request {
            method: request.method().as_str(),
            target: target.map_or("/", ::http::uri::PathAndQuery::as_str),
            headers: &headers,
            body: request.body().as_ref(),
            now: None,
        });
        response(answer, request.method())
    }
}

fn response(answer: Answer, method: &Method) -> ::http::Response<Vec<u8>> {
    let mut response = ::http::Response::new(Vec::new());
    let status = StatusCode::from_u16(answer.status.code);
    *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers() {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    if response.status() == StatusCode::NO_CONTENT {
        response.headers_mut().remove(CONTENT_LENGTH);
    } else if method != Method::HEAD {
        *response.body_mut() = answer.body;
    }
    response
}

/// An engine as a `tower` service, for servers and clients that accept one.
///
/// The answer is computed in the call itself. Spawn the call if it would delay other tasks.
///
/// ```
/// use rollbook::{Engine, Options, Service};
/// use std::sync::Arc;
/// use tower_service::Service as _;
///
/// # async fn serve() -> rollbook::Result<()> {
/// let engine = Arc::new(Engine::memory(Options::default())?);
/// let mut service = Service::new(engine);
/// let request = http::Request::get("/api/v1/settings/clients").body("").unwrap();
/// let response = service.call(request).await.unwrap();
/// assert_eq!(response.status(), 401);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Service(Arc<Engine>);

impl Service {
    /// Creates the service of an engine.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Service};
    /// use std::sync::Arc;
    ///
    /// let engine = Arc::new(Engine::memory(Options::default())?);
    /// let service = Service::new(engine.clone()); // the engine can still be asked
    /// # let _ = service;
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn new(engine: Arc<Engine>) -> Service {
        Service(engine)
    }
}

impl<B: AsRef<[u8]>> tower_service::Service<::http::Request<B>> for Service {
    type Response = ::http::Response<Vec<u8>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ::http::Request<B>) -> Self::Future {
        ready(Ok(self.0.call(&request)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::error::public::Result;
    use tower_service::Service as _;

    fn asked(method: &str, target: &str, body: &str) -> Result<::http::Response<Vec<u8>>> {
        let engine = Engine::memory(Options::default())?;
        let dataset = r#"
            {"type":"school","school_id":1,"current_year":2026}
            {"type":"integrator","username":"zoë","password":"p"}
            {"type":"client_integration","username":"zoë","school_id":1,"api_type_id":8}"#;
        engine.apply(dataset.as_bytes())?;
        let request = ::http::Request::builder()
            .method(method)
            .uri(target)
            .header("http-x-username", "zoë".as_bytes())
            .header("HTTP-X-PASSWORD", "p")
            .header("x-other", b"\xff".as_slice())
            .body(body.to_owned());
        let mut service = Service::new(Arc::new(engine));
        let future = service.call(request.unwrap_or_default());
        Ok(future.into_inner().unwrap_or_default())
    }

    #[test]
    fn a_request_is_converted_completely() -> Result<()> {
        let clients = asked("GET", "http://host/api/v1/settings/clients/1?x=%20", "")?;
        assert_eq!(clients.status(), 200);
        assert!(clients.body().starts_with(br#"[{"school_login_id":"1""#));
        let header = |name: &str| clients.headers().get(name).and_then(|v| v.to_str().ok());
        assert_eq!(
            header("content-type"),
            Some("application/json; charset=utf-8")
        );
        assert_eq!(
            header("content-length"),
            Some(clients.body().len().to_string().as_str())
        );

        let patched = asked(
            "PATCH",
            "/api/v1/settings/clients/1",
            r#"{"state":1,"api_type_id":8}"#,
        )?;
        assert_eq!(
            (patched.status().as_u16(), patched.body().as_slice()),
            (200, b"[]".as_slice())
        );
        Ok(())
    }

    #[test]
    fn the_body_is_omitted_where_http_permits_none() -> Result<()> {
        let same = asked(
            "PATCH",
            "/api/v1/settings/clients/1",
            r#"{"state":0,"api_type_id":8}"#,
        )?;
        assert_eq!((same.status().as_u16(), same.body().len()), (204, 0));
        assert!(!same.headers().contains_key(CONTENT_LENGTH));
        let head = asked("HEAD", "/api/v1/settings/clients/1", "")?;
        assert_eq!((head.status().as_u16(), head.body().len()), (405, 0));
        assert_eq!(
            head.headers().get("allow").map(HeaderValue::as_bytes),
            Some(b"GET, PATCH".as_slice())
        );
        Ok(())
    }
}
