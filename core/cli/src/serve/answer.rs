//! The routes of the server, and the answers of the API.

use super::faults::{self, Fault, Faults, Half};
use super::{Server, clock, explorer, feed, log, metrics, page};
use crate::UsageError;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{self, HeaderValue, Method};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// The timeout for the body of a request.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// The maximum number of bytes that are read of a body. This is one more than the engine accepts,
/// so that the engine refuses a longer body.
const MAX_BODY_BYTES: usize = rollbook::Request::MAX_BODY_BYTES + 1;

/// How long a browser may remember that a page of another origin may ask.
const CORS_AGE: Duration = Duration::from_secs(3600);

/// Returns the layer that lets pages of these origins ask, or `None` without origins.
pub(super) fn cors_layer(origins: &[String]) -> Result<Option<CorsLayer>, UsageError> {
    if origins.is_empty() {
        return Ok(None);
    }
    let mut allowed = Vec::new();
    for origin in origins {
        let is_origin = origin == "*" || is_origin(origin);
        let value = HeaderValue::from_str(origin).ok().filter(|_| is_origin);
        allowed.push(value.ok_or_else(|| {
            UsageError(format!(
                "--cors {origin}: give an origin, for example http://localhost:3000, or *"
            ))
        })?);
    }
    let allow = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(allowed)
    };
    Ok(Some(
        CorsLayer::new()
            .allow_origin(allow)
            .allow_methods([
                Method::GET,
                Method::HEAD,
                Method::PATCH,
                Method::POST,
                Method::PUT,
                Method::DELETE,
            ])
            // Any other list would have to name the headers with the credentials in each spelling.
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers(tower_http::cors::Any)
            .max_age(CORS_AGE),
    ))
}

/// Returns whether a text is the origin of a page: a scheme, a host, and perhaps a port.
fn is_origin(text: &str) -> bool {
    let uri: Result<http::Uri, _> = text.parse();
    let has_no_path = text.matches('/').count() == 2;
    has_no_path && uri.is_ok_and(|uri| uri.scheme().is_some() && uri.authority().is_some())
}

/// Returns the service that answers all requests.
pub(super) fn router(server: Arc<Server>, cors: Option<CorsLayer>) -> Router {
    let app = Router::new()
        .route("/", any(root))
        .route("/openapi-v1.json", get(page::openapi_v1))
        .route("/openapi-v2.json", get(page::openapi_v2))
        .route("/feed", get(feed::answer))
        .route("/health", get(health))
        .route("/metrics", get(metrics::answer))
        .route(
            "/clock",
            get(clock::answer).put(clock::answer).delete(clock::answer),
        )
        .fallback(answer);
    let app = explorer::routes(app);
    let app = match cors {
        Some(cors) => app.layer(cors),
        None => app,
    };
    app.layer(middleware::from_fn_with_state(server.clone(), observe))
        .with_state(server)
}

/// Counts and logs a request.
async fn observe(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = next.run(request).await;
    let (status, time) = (response.status().as_u16(), start.elapsed());
    server.metrics.count(uri.path(), status, time);
    let bytes = response.body().size_hint().exact();
    log::request(method.as_str(), uri.path(), status, bytes, time);
    response
}

/// Answers a request for `/`. A browser receives the page, and any other client the answer of the
/// API, which is an error.
async fn root(State(server): State<Arc<Server>>, request: Request) -> Response {
    let accept = request.headers().get(http::header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    let is_browser = accept.is_some_and(|accept| accept.contains("text/html"));
    if is_browser && request.method() == Method::GET {
        let page = explorer::page(&server);
        page.unwrap_or_else(|| page::page(&server)).into_response()
    } else {
        answer(State(server), request).await
    }
}

/// Answers a request for `/health`: 200 if the store can be read.
async fn health(State(server): State<Arc<Server>>) -> Response {
    let engine = server.engine.clone();
    match tokio::task::spawn_blocking(move || engine.revision()).await {
        Ok(Ok(_)) => json_response(200, r#"{"status":"ok"}"#.into()),
        Ok(Err(error)) => refuse(503, "Service Unavailable", &error.to_string()),
        Err(_) => refuse(503, "Service Unavailable", "The store could not be read"),
    }
}

/// Answers a request of the API.
async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = match read_body(body).await {
        Ok(body) => body,
        Err(refused) => return refused,
    };
    if let Some(delay) = server.delay {
        tokio::time::sleep(delay).await;
    }
    let fault = server.faults.as_ref().and_then(Faults::next);
    if let Some(instead) = fault.and_then(Fault::instead) {
        return instead;
    }
    if let Some(Fault::Slow) = fault {
        tokio::time::sleep(faults::SLOW).await;
    }
    let request = Request::from_parts(head, body);
    let engine = server.engine.clone();
    // Hashing a password takes milliseconds, and must not block other connections.
    let answered = tokio::task::spawn_blocking(move || {
        if let Some(Fault::Twice) = fault {
            engine.call(&request);
        }
        engine.call(&request)
    });
    match answered.await {
        Ok(response) => response.map(|body| {
            let body = Bytes::from(body);
            match fault {
                Some(Fault::Cut) => Half::body(&body),
                _ => Body::from(body),
            }
        }),
        Err(_) => refuse(
            500,
            "Internal Server Error",
            "The request could not be answered",
        ),
    }
}

/// Reads a body, or returns the answer to a request whose body does not arrive.
pub(super) async fn read_body(body: Body) -> Result<Vec<u8>, Response> {
    match tokio::time::timeout(BODY_WAIT, read(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => Ok(body),
        // The body was cut, or its length is not that in its header.
        Ok(Err(_)) => Err(refuse(400, "Bad Request", "The body could not be read")),
        Err(_) => Err(refuse(408, "Request Timeout", "The body did not arrive")),
    }
}

/// Reads at most this many bytes from the start of a body.
async fn read(mut body: Body, most: usize) -> Result<Vec<u8>, axum::Error> {
    let mut read = Vec::new();
    while read.len() < most {
        let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await else {
            break;
        };
        if let Ok(data) = frame?.into_data() {
            read.extend_from_slice(&data);
        }
    }
    read.truncate(most);
    Ok(read)
}

/// Returns an error of the form that the API has. The connection ends after it.
pub(super) fn refuse(status: u16, error: &str, description: &str) -> Response {
    let body = serde_json::json!({ "error": error, "error_description": description });
    let mut response = json_response(status, body.to_string());
    let close = HeaderValue::from_static("close");
    response
        .headers_mut()
        .insert(http::header::CONNECTION, close);
    response
}

fn json_response(status: u16, body: String) -> Response {
    let response = Response::builder()
        .status(status)
        .header(http::header::CONTENT_TYPE, rollbook::Status::CONTENT_TYPE)
        .body(Body::from(body));
    response.unwrap_or_default()
}
