//! Sends the calls of a sync to the service over HTTP.

use super::{Answer, LONGEST, MAX_BYTES, NoAnswer, Origin};
use rollbook::{Call, CallFailure};
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use ureq::http::{Request, Response};
use ureq::{Agent, Body, Error};

/// A client of the service, which reuses connections. Many calls can be in flight at a time.
#[derive(Clone)]
pub(crate) struct ServiceClient {
    agent: Agent,
    origin: Arc<Origin>,
}

impl ServiceClient {
    /// Sends a call and returns at once. The sync limits how many calls are in flight.
    pub(super) fn send(
        &self,
        call: Call,
        answered: impl FnOnce(Result<Answer, NoAnswer>) + Send + 'static,
    ) {
        let client = self.clone();
        std::thread::spawn(move || answered(client.ask(&call)));
    }

    pub(crate) fn new(origin: Arc<Origin>) -> ServiceClient {
        let config = Agent::config_builder()
            .timeout_global(Some(LONGEST))
            .http_status_as_error(false)
            // A redirect could send the credentials to another service. The service uses none.
            .max_redirects(0);
        let config = if origin.is_https() {
            config
        } else {
            // A proxy may be on another machine, and could read the credentials without TLS.
            config.proxy(None)
        };
        ServiceClient {
            agent: config.build().into(),
            origin,
        }
    }

    /// Sends a call. Returns the answer, whatever its status, or the reason why there is none. The
    /// reason never contains the text of an error, which could include the credentials.
    fn ask(&self, call: &Call) -> Result<Answer, NoAnswer> {
        let response = self.request(call).map_err(|error| no_reply(&error))?;
        let (head, body) = response.into_parts();
        let mut read = Vec::new();
        let mut reader = body.into_reader().take(MAX_BYTES as u64);
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

    fn request(&self, call: &Call) -> Result<Response<Body>, Error> {
        let request = Request::builder()
            .method(call.method)
            .uri(format!("{}{}", self.origin.url, call.target))
            .header("HTTP-X-USERNAME", &self.origin.username)
            .header("HTTP-X-PASSWORD", &self.origin.password);
        if call.body.is_empty() {
            self.agent.run(request.body(())?)
        } else {
            let request = request.header("Content-Type", "application/json");
            self.agent.run(request.body(call.body.as_str())?)
        }
    }
}

/// Returns the reason for an error. A name that is not found may be wrong, so that the attempt
/// counts.
fn no_reply(error: &Error) -> NoAnswer {
    let cut = (CallFailure::Cut, "the connection was cut");
    match error {
        Error::Timeout(_) => (CallFailure::Timeout, "it took too long"),
        Error::HostNotFound => (CallFailure::Cut, "its name is not known here"),
        Error::Io(error) => match error.kind() {
            ErrorKind::TimedOut => (CallFailure::Timeout, "it took too long"),
            ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                (CallFailure::Offline, "there is no network")
            }
            ErrorKind::ConnectionRefused => (CallFailure::Cut, "no server listens there"),
            ErrorKind::InvalidData => (CallFailure::Cut, "its TLS certificate is not valid"),
            _ => cut,
        },
        Error::Tls(_) | Error::Rustls(_) => (CallFailure::Cut, "its TLS certificate is not valid"),
        _ => cut,
    }
}
