//! What the server prints when it listens: its address, a login, and requests to try.

use super::arguments::Content;
use crate::args::format_instant;
use crate::login::Login;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::net::SocketAddr;

/// Requests to the sample schools and to a generated one, with their additional headers.
const REQUESTS: [(&str, &str); 3] = [
    (
        "",
        "/api/v1/adminplus/learners/1000?learner_id=1&include_parents=1",
    ),
    ("", "/api/v1/adminplus/learnerabsentees/1000?learner_id=1"),
    (
        "-H 'HTTP-X-SCHOOLID: 1000' ",
        "/api/v2/currplus/learnersubjectmarks?learner_id=1",
    ),
];

/// A request for any other store.
const CLIENTS: [(&str, &str); 1] = [("", "/api/v1/settings/clients")];

pub(super) struct Banner {
    /// The login, if it is known.
    pub(super) login: Option<Login>,
    /// Whether every request will be answered with 401.
    pub(super) has_no_integrator: bool,
    /// The fixed time of the server.
    pub(super) now: Option<i64>,
    pub(super) content: Content,
    pub(super) scheme: &'static str,
    pub(super) json: bool,
}

impl Banner {
    /// Prints the banner on stdout. An error is ignored, because the server can serve without it.
    pub(super) fn print(&self, address: SocketAddr) {
        let url = format!("{}://{address}", self.scheme);
        let text = if self.json {
            self.json(&url)
        } else {
            self.text(&url)
        };
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }

    fn json(&self, url: &str) -> String {
        let login = self.login.as_ref();
        let line = json!({
            "url": url,
            "username": login.map(|login| &login.username),
            "password": login.map(|login| &login.password),
            "now": self.now.map(format_instant),
        });
        format!("{line}\n")
    }

    fn text(&self, url: &str) -> String {
        let mut text = format!("listening on {url}\n");
        // Writing to a string does not fail.
        let _ = match self.content {
            Content::Sample => {
                writeln!(
                    text,
                    "The sample schools 1000 and 1001 are served from memory."
                )
            }
            Content::Generated(learners) => writeln!(
                text,
                "A generated school, 1000, with {learners} learners is served from memory."
            ),
            Content::Own => Ok(()),
        };
        if let Some(now) = self.now {
            let _ = writeln!(text, "The time is always {}.", format_instant(now));
        }
        if self.has_no_integrator {
            text += "The data has no integrator, so every request is answered with 401. Load \
                     records of the kinds integrator, api_type and client_integration.\n";
        }
        let Some(Login { username, password }) = &self.login else {
            return text;
        };
        let _ = writeln!(text, "Log in as {username} with the password {password}:\n");
        let credentials =
            format!("-H 'HTTP-X-USERNAME: {username}' -H 'HTTP-X-PASSWORD: {password}'");
        let requests: &[_] = match self.content {
            Content::Sample | Content::Generated(_) => &REQUESTS,
            Content::Own => &CLIENTS,
        };
        for (header, target) in requests {
            let _ = writeln!(text, "curl {credentials} {header}\\\n  '{url}{target}'");
        }
        text + "\n"
    }
}
