//! The explorer: a page on which the data of the server can be looked at, and requests can be sent.

use super::Server;
use super::arguments::Content;
use crate::login::Login;
use axum::Router;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use std::sync::Arc;

/// The paths and the contents of the files. There are none if the explorer was not built.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/explorer_files.rs"));

/// The page of the explorer.
const PAGE: &str = "index.html";

/// The start of the page, which receives a description of the server.
const ROOT: &str = "<html lang=\"en\"";

/// Adds the files of the explorer to the routes, except for its page.
pub(super) fn routes(mut app: Router<Arc<Server>>) -> Router<Arc<Server>> {
    for (name, content) in FILES.iter().filter(|(name, _)| *name != PAGE) {
        let content_type = content_type(name);
        let file = get(async move || file(content_type, content));
        app = app.route(&format!("/{name}"), file);
    }
    app
}

/// Returns the page, or `None` if the explorer was not built.
pub(super) fn page(server: &Server) -> Option<Html<String>> {
    let (_, page) = FILES.iter().find(|(name, _)| *name == PAGE)?;
    let login = match server.content {
        Content::Sample | Content::Generated(_) => Some(Login::demo()),
        Content::Own => None,
    };
    let login = login.map(|login| json!({"username": login.username, "password": login.password}));
    let mut description = json!({ "clock": server.clock.is_some() });
    if let (Some(login), Some(description)) = (login, description.as_object_mut()) {
        description.insert("login".to_owned(), login);
    }
    // The description contains no text of the store, so that it needs no escapes.
    let root = format!("{ROOT} data-server='{description}'");
    let page = String::from_utf8_lossy(page).replacen(ROOT, &root, 1);
    Some(Html(page))
}

fn file(content_type: &'static str, content: &'static [u8]) -> Response {
    // The files of another version have the same names.
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, content).into_response()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
