//! The service over HTTP.

use crate::arguments::Arguments;
use rollbook::{Call, NoReply};
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::time::Duration;
use ureq::http::{Request, Response};
use ureq::{Agent, Body, Error};

/// An answer takes no longer; after two minutes it would be asked for again.
const LONGEST: Duration = Duration::from_secs(60);
/// One byte more than is ever read of an answer: sync says of it that it is too long.
const MOST_BYTES: u64 = (32 << 20) + 1;

/// Many calls can be out, on connections that are kept.
#[derive(Clone)]
pub(crate) struct Service {
    agent: Agent,
    origin: Arc<str>,
    username: Arc<str>,
    password: Arc<str>,
}

/// Why there is no answer, and the same in words.
pub(crate) type NoAnswer = (NoReply, &'static str);

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Service {
    pub(crate) fn new(arguments: &Arguments) -> Service {
        let config = Agent::config_builder()
            .timeout_global(Some(LONGEST))
            .http_status_as_error(false)
            // A redirect could take the credentials elsewhere. The service needs none.
            .max_redirects(0);
        let config = if arguments.is_https() {
            config
        } else {
            // It could read the credentials, and may be on another machine.
            config.proxy(None)
        };
        Service {
            agent: config.build().into(),
            origin: arguments.from.as_str().into(),
            username: arguments.username.as_str().into(),
            password: arguments.password.as_str().into(),
        }
    }

    /// The answer to a call, whatever its status, or why there is none. No error is told:
    /// it could quote what was sent.
    pub(crate) fn ask(&self, call: &Call) -> Result<Answer, NoAnswer> {
        let response = self.send(call).map_err(|error| no_reply(&error))?;
        let (head, body) = response.into_parts();
        let mut read = Vec::new();
        let mut reader = body.into_reader().take(MOST_BYTES);
        if let Err(error) = reader.read_to_end(&mut read) {
            return Err(no_reply(&error.into()));
        }
        let retry_after = head.headers.get("Retry-After");
        let retry_after = retry_after.and_then(|value| value.to_str().ok());
        Ok(Answer {
            status: head.status.as_u16(),
            retry_after: retry_after.map(str::to_owned),
            body: read,
        })
    }

    fn send(&self, call: &Call) -> Result<Response<Body>, Error> {
        let request = Request::builder()
            .method(call.method)
            .uri(format!("{}{}", self.origin, call.target))
            .header("HTTP-X-USERNAME", &*self.username)
            .header("HTTP-X-PASSWORD", &*self.password);
        if call.body.is_empty() {
            self.agent.run(request.body(())?)
        } else {
            let request = request.header("Content-Type", "application/json");
            self.agent.run(request.body(call.body.as_str())?)
        }
    }
}

/// A machine that has no network finds neither the host nor a way to it.
fn no_reply(error: &Error) -> NoAnswer {
    let cut = (NoReply::Cut, "the connection was cut");
    match error {
        Error::Timeout(_) => (NoReply::Timeout, "it took too long"),
        Error::HostNotFound => (NoReply::Offline, "its name is not known here"),
        Error::Io(error) => match error.kind() {
            ErrorKind::TimedOut => (NoReply::Timeout, "it took too long"),
            ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                (NoReply::Offline, "there is no network")
            }
            ErrorKind::ConnectionRefused => (NoReply::Cut, "nobody listens there"),
            ErrorKind::InvalidData => (NoReply::Cut, "it does not prove by TLS who it is"),
            _ => cut,
        },
        Error::Tls(_) | Error::Rustls(_) => (NoReply::Cut, "it does not prove by TLS who it is"),
        _ => cut,
    }
}
