//! Syncs the schools from a service while they are served.

use crate::driver::account::Account;
use crate::driver::origin::Origin;
use crate::driver::{
    Answer, Answered, Events, LONGEST, MAX_BYTES, NoAnswer, Seen, Transport, describe_stop, drive,
};
use axum::body::Body;
use axum::http::{Request, header};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rollbook::{Call, CallFailure, Engine, Step, SyncOptions};
use std::collections::HashMap;
use std::error::Error;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

/// The maximum number of seconds between two passes: a year.
const LONGEST_PAUSE: u64 = 365 * 86_400;

/// The schools to sync, the service to sync them from, and the interval between passes.
pub(crate) struct Source {
    origin: Arc<Origin>,
    schools: Vec<u64>,
    every: Duration,
    /// The difference between the time of the service and the clock of the system, in seconds.
    ahead: i64,
}

impl Source {
    /// Creates a source from the arguments and the credentials of the environment.
    pub(crate) fn read(
        from: &str,
        schools: Vec<u64>,
        every: u64,
        now: Option<i64>,
    ) -> Result<Source, String> {
        let origin = Origin::read(from)?;
        if origin.is_https() {
            return Err(
                "--from: serve is built without TLS. Fill the store with the example sync, or give \
                 the address of a proxy on this machine that adds TLS"
                    .to_owned(),
            );
        }
        if schools.is_empty() {
            return Err("--from takes a --school, or several".to_owned());
        }
        if every > LONGEST_PAUSE {
            return Err(format!("--every is at most {LONGEST_PAUSE} seconds"));
        }
        let system = jiff::Timestamp::now().as_second();
        Ok(Source {
            origin: Arc::new(origin),
            schools,
            every: Duration::from_secs(every),
            ahead: now.map_or(0, |now| now - system),
        })
    }

    pub(crate) fn schools(&self) -> &[u64] {
        &self.schools
    }

    /// Starts a thread that syncs until the server stops. If the thread fails, it stops the server.
    pub(crate) fn start(self, engine: Arc<Engine>, stop: watch::Sender<bool>) -> JoinHandle<()> {
        let client = Client {
            origin: self.origin.clone(),
            runtime: Handle::current(),
        };
        let mut events = Events::new();
        let interrupter = events.interrupter();
        let mut stopped = stop.subscribe();
        let stop = StopOnDrop(stop);
        tokio::spawn(async move {
            // An error means that the server has ended, which has the same effect.
            drop(stopped.wait_for(|stopped| *stopped).await);
            interrupter.interrupt();
        });
        std::thread::spawn(move || {
            let _stop = stop;
            self.run(&engine, &client, &mut events);
        })
    }

    /// Makes one pass after the other, whether they succeed or not, until it is interrupted.
    fn run(&self, engine: &Engine, client: &Client, events: &mut Events) {
        loop {
            for school in &self.schools {
                match self.pass(engine, *school, client, events) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => eprintln!("serve: school {school}: {error}; {}", self.next()),
                }
            }
            if events.wait(self.every) {
                return;
            }
        }
    }

    /// Makes one pass over a school. Returns `false` if it was interrupted.
    fn pass(
        &self,
        engine: &Engine,
        school: u64,
        client: &Client,
        events: &mut Events,
    ) -> Result<bool, Box<dyn Error>> {
        let sync = engine.sync(school, SyncOptions::default())?;
        let mut account = Account::default();
        let now = || jiff::Timestamp::now().as_second() + self.ahead;
        let show = |seen| {
            if let Seen::NoAnswer(words) = seen {
                let from = &self.origin.url;
                eprintln!("serve: no answer from {from}, {words}: tried again");
            }
        };
        match drive(&sync, client, &now, events, &mut account, &show)? {
            Some(Step::Done(report)) => {
                if !account.is_quiet(&report) {
                    eprint!("School {school}: {}", account.text(&report));
                }
            }
            Some(Step::Stop { reason, report }) => {
                return Err(describe_stop(reason, &report).into());
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn next(&self) -> String {
        format!("tried again in {} s", self.every.as_secs())
    }
}

/// Stops the server when it is dropped, also by a panic.
struct StopOnDrop(watch::Sender<bool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

/// The schools that are synced in the background, and whether the store was seen to have data of
/// each.
#[derive(Default)]
pub(crate) struct SyncedSchools(HashMap<u64, AtomicBool>);

impl SyncedSchools {
    pub(crate) fn new(schools: &[u64]) -> SyncedSchools {
        let schools = schools.iter();
        SyncedSchools(
            schools
                .map(|school| (*school, AtomicBool::new(false)))
                .collect(),
        )
    }

    /// Returns whether the store has data of all these schools. A school that is not synced in the
    /// background counts as complete. This reads the store until a school has data.
    pub(crate) fn contain(&self, engine: &Engine, schools: &[u64]) -> bool {
        schools.iter().all(|school| {
            let Some(is_synced) = self.0.get(school) else {
                return true;
            };
            if !is_synced.load(Ordering::Relaxed) && matches!(engine.synced(*school), Ok(Some(_))) {
                is_synced.store(true, Ordering::Relaxed);
            }
            is_synced.load(Ordering::Relaxed)
        })
    }
}

/// A transport that opens a connection for each call. It connects only to this machine, and
/// therefore uses no TLS.
struct Client {
    origin: Arc<Origin>,
    runtime: Handle,
}

impl Transport for Client {
    fn send(&self, call: Call, answered: Answered) {
        let origin = self.origin.clone();
        self.runtime.spawn(async move {
            let answer = timeout(LONGEST, ask(&origin, &call)).await;
            answered(answer.unwrap_or(Err((CallFailure::Timeout, "it took too long"))));
        });
    }
}

/// Sends a call and returns its answer. Redirects are not followed, because they could send the
/// credentials to another service.
async fn ask(origin: &Origin, call: &Call) -> Result<Answer, NoAnswer> {
    let cut = |_| (CallFailure::Cut, "the connection was cut");
    let authority = origin.url.trim_start_matches("http://");
    let stream = match authority.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => TcpStream::connect(authority).await,
        _ => TcpStream::connect(format!("{authority}:80")).await,
    };
    let stream = stream.map_err(|error| match error.kind() {
        ErrorKind::ConnectionRefused => (CallFailure::Cut, "no server listens there"),
        _ => (CallFailure::Cut, "it cannot be reached"),
    })?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(cut)?;
    let connection = tokio::spawn(connection);
    let mut request = Request::builder()
        .method(call.method)
        .uri(&call.target)
        .header(header::HOST, authority)
        .header("HTTP-X-USERNAME", &origin.username)
        .header("HTTP-X-PASSWORD", &origin.password);
    if !call.body.is_empty() {
        request = request.header(header::CONTENT_TYPE, "application/json");
    }
    let request = request.body(Body::from(call.body.clone()));
    let request =
        request.map_err(|_| (CallFailure::Cut, "the call is not a valid HTTP request"))?;
    let (head, body) = sender
        .send_request(request)
        .await
        .map_err(cut)?
        .into_parts();
    let body = crate::read(Body::new(body), MAX_BYTES).await;
    connection.abort();
    let retry_after = head.headers.get(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok());
    Ok(Answer {
        status: head.status.as_u16(),
        retry_after: retry_after.map(str::to_owned),
        body: body.map_err(|_| (CallFailure::Cut, "the connection was cut"))?,
    })
}
