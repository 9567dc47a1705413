//! The page at `/` of a server without the explorer, and the OpenAPI documents.

use super::Server;
use super::arguments::Content;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};

/// The parts of the page before and after the description of the login.
const START: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Rollbook</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
  pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid #8884; border-radius: .4rem }
</style>
<h1>Rollbook</h1>
<p>This server answers the integration API of a school administration system, v1 under
<code>/api/v1</code> and v2 under <code>/api/v2</code>.</p>
"#;
const SAMPLE: &str = r#"<p>It serves a sample of a school. The user name and the password are <code>demo</code>:</p>
<pre id="request">curl -H 'HTTP-X-USERNAME: demo' -H 'HTTP-X-PASSWORD: demo' \
  '/api/v1/adminplus/learners/1000?learner_id=1&amp;include_parents=1'</pre>
<script>
  const request = document.getElementById("request");
  request.textContent = request.textContent.replace("'/api", "'" + location.origin + "/api");
</script>
"#;
const END: &str = r#"<ul>
<li>The explorer is not part of this build. <code>bindings/javascript/explorer/build</code>, which needs Node,
makes it for the next build of <code>rollbook</code>.</li>
<li>OpenAPI: <a href="/openapi-v1.json">v1</a>, <a href="/openapi-v2.json">v2</a></li>
<li><a href="/health">Health</a> and <a href="/metrics">metrics</a> of this server</li>
</ul>
"#;

const OPENAPI_V1: &str = include_str!("../../assets/openapi-v1.json");
const OPENAPI_V2: &str = include_str!("../../assets/openapi-v2.json");

/// Returns the page.
pub(super) fn page(server: &Server) -> Html<String> {
    let sample = match server.content {
        Content::Sample | Content::Generated(_) => SAMPLE,
        Content::Own => "",
    };
    Html([START, sample, END].concat())
}

/// Answers a request for the OpenAPI document of v1.
pub(super) async fn openapi_v1() -> Response {
    json(OPENAPI_V1)
}

/// Answers a request for the OpenAPI document of v2.
pub(super) async fn openapi_v2() -> Response {
    json(OPENAPI_V2)
}

fn json(document: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], document).into_response()
}
