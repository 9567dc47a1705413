//! Serves the API of a store over HTTP.
//!
//! ```text
//! cargo run --release --example serve -- [--store FILE] [--dataset FILE]…
//!     [--listen 127.0.0.1:0] [--now 2026-05-14T08:00:00Z] [--faults SEED] [--feed TOKEN=SCOPE]…
//!     [--from URL --school ID… [--every SECONDS]] [--grace SECONDS]
//! ```
//!
//! Opens the store (in memory without `--store`), applies the datasets in order, then prints
//! `listening on http://ADDR:PORT` on stdout. `--now` fixes the clock. `--faults` injects faults of
//! a service and of the network. `--from` syncs schools from a service in the background, with
//! `ROLLBOOK_USERNAME` and `ROLLBOOK_PASSWORD` of the environment, and reports each pass on stderr.
//! SIGTERM and Ctrl-C stop the server: requests in progress have two seconds (`--grace`) to finish,
//! those that wait for a change are answered at once, and connections without a complete request are
//! closed at once. A second signal ends the server at once.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod activity;
mod connections;
#[path = "../driver/mod.rs"]
mod driver;
mod faults;
mod feed;
mod source;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http;
use axum::response::Response;
use axum::routing::get;
use faults::{Fault, Faults, Half};
use feed::Tokens;
use rollbook::{Clock, Engine, Options};
use source::{Source, SyncedSchools};
use std::error::Error;
use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

/// The timeout for the body of a request.
const BODY_WAIT: Duration = Duration::from_secs(10);

/// The default number of seconds from the end of a pass to the start of the next one.
const EVERY: u64 = 900;

/// The default number of seconds that requests in progress have when the server stops.
const GRACE: u64 = 2;

struct Arguments {
    store: Option<PathBuf>,
    datasets: Vec<PathBuf>,
    listen: SocketAddr,
    now: Option<i64>,
    faults: Option<u64>,
    tokens: Tokens,
    source: Option<Source>,
    grace: Duration,
}

const HELP: &str = "\
The engine behind HTTP, for development: without TLS.

  --store FILE       the store; by default one in memory
  --dataset FILE     a dataset to apply before; may be given again
  --listen ADDR      where to listen; by default 127.0.0.1:0, which is any free port
  --now INSTANT      what time it is, as 2026-05-14T08:00:00Z; by default the system's
  --faults SEED      one answer of eight is 429 (with Retry-After and without), 500, 503,
                     an HTML page with 200, cut in the middle of its body, late, or the second
                     to a request that is carried out twice. The number of a request and the
                     seed say which.
  --feed TOKEN=SCOPE who may follow what at /feed, with TOKEN as a bearer token: a school's
                     number, or with learners 1000:1,2; several schools are joined by +. May be
                     given again
  --from URL         the service that schools are synced from, as http://127.0.0.1:8080.
                     ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD in the environment are the
                     integrator's credentials
  --school ID        a school that is synced; may be given again
  --every SECONDS    how long after a pass the next one begins; by default 900, at most a year
  --grace SECONDS    how long requests in progress may take when the server stops; by default 2";

/// Parses the arguments of the program. Returns `None` if help is requested.
fn arguments() -> Result<Option<Arguments>, Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut arguments = Arguments {
        store: None,
        datasets: Vec::new(),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        now: None,
        faults: None,
        tokens: Tokens::default(),
        source: None,
        grace: Duration::from_secs(GRACE),
    };
    let (mut from, mut schools, mut every) = (None, Vec::new(), None);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("store") => arguments.store = Some(parser.value()?.into()),
            Long("dataset") => arguments.datasets.push(parser.value()?.into()),
            Long("listen") => arguments.listen = parser.value()?.parse()?,
            Long("now") => {
                let now: jiff::Timestamp = parser.value()?.parse()?;
                arguments.now = Some(now.as_second());
            }
            Long("faults") => arguments.faults = Some(parser.value()?.parse()?),
            Long("feed") => arguments.tokens.add(&parser.value()?.string()?)?,
            Long("from") => from = Some(parser.value()?.string()?),
            Long("school") => schools.push(parser.value()?.parse()?),
            Long("every") => every = Some(parser.value()?.parse()?),
            Long("grace") => arguments.grace = Duration::from_secs(parser.value()?.parse()?),
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    arguments.source = match from {
        Some(from) => {
            let every = every.unwrap_or(EVERY);
            Some(Source::read(&from, schools, every, arguments.now)?)
        }
        None if schools.is_empty() && every.is_none() => None,
        None => return Err("--school and --every go with --from".into()),
    };
    Ok(Some(arguments))
}

fn open(arguments: &Arguments) -> Result<Engine, Box<dyn Error>> {
    let options = Options {
        clock: arguments.now.map_or(Clock::System, Clock::Fixed),
        ..Options::default()
    };
    let engine = match &arguments.store {
        Some(path) => Engine::open(path, options)?,
        None => Engine::memory(options)?,
    };
    for path in &arguments.datasets {
        let named = |error: &dyn Error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| named(&error))?;
        let summary = engine.apply(file).map_err(|error| named(&error))?;
        let total = summary.total();
        eprintln!(
            "{}: {} added, {} changed, {} removed, {} unchanged",
            path.display(),
            total.added,
            total.changed,
            total.removed,
            total.unchanged
        );
    }
    Ok(engine)
}

fn main() -> ExitCode {
    let served = arguments().and_then(|arguments| {
        let Some(arguments) = arguments else {
            println!("{HELP}");
            return Ok(());
        };
        let engine = Arc::new(open(&arguments)?);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let service = Service {
            engine: engine.clone(),
            faults: arguments.faults.map(Faults::new),
            tokens: arguments.tokens,
            stopped,
            feeds: Arc::new(Semaphore::new(feed::MAX_SENT)),
            waiting: Semaphore::new(feed::MAX_WAITING),
            synced: SyncedSchools::new(arguments.source.as_ref().map_or(&[], Source::schools)),
        };
        let (source, listen) = (arguments.source, arguments.listen);
        let served = runtime.block_on(serve(service, source, listen, stop, arguments.grace));
        let closed = engine.close();
        // A question that is still being answered cannot delay the end.
        runtime.shutdown_background();
        served?;
        Ok(closed?)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("serve: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Service {
    engine: Arc<Engine>,
    faults: Option<Faults>,
    tokens: Tokens,
    /// Whether the server stops. Requests that wait for a change then end at once.
    stopped: watch::Receiver<bool>,
    /// The permits for feeds that are sent at the same time.
    feeds: Arc<Semaphore>,
    /// The permits for requests that wait for a change, or until their feed can be sent.
    waiting: Semaphore,
    synced: SyncedSchools,
}

async fn serve(
    service: Service,
    source: Option<Source>,
    listen: SocketAddr,
    stop: watch::Sender<bool>,
    grace: Duration,
) -> io::Result<()> {
    let mut signals = StopSignals::new()?;
    let stop_of_sync = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        stop.send_replace(true);
        signals.next().await;
        eprintln!("serve: ended by a second signal");
        // A commit that has not finished is discarded when the store is opened again.
        std::process::exit(1);
    });
    let listener = TcpListener::bind(listen).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let stopped = service.stopped.clone();
    let syncing = source.map(|source| source.start(service.engine.clone(), stop_of_sync));
    let app = Router::new()
        .route("/feed", get(feed::answer))
        .fallback(answer)
        .with_state(Arc::new(service));
    connections::serve(listener, app, stopped, grace).await;
    match syncing.map(JoinHandle::join) {
        Some(Err(_)) => Err(io::Error::other(
            "the sync has failed, and the data would become old: start the server again",
        )),
        _ => Ok(()),
    }
}

async fn answer(State(service): State<Arc<Service>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY_WAIT, read(body, MAX_BODY_BYTES)).await {
        Ok(Ok(body)) => body,
        // The body was cut, or its length is not that in its header.
        Ok(Err(_)) => return refuse(400, "Bad Request", "The body could not be read"),
        Err(_) => return refuse(408, "Request Timeout", "The body did not arrive"),
    };
    let fault = service.faults.as_ref().and_then(Faults::next);
    if let Some(instead) = fault.and_then(Fault::instead) {
        return instead;
    }
    if let Some(Fault::Slow) = fault {
        tokio::time::sleep(faults::SLOW).await;
    }
    let request = Request::from_parts(head, body);
    let engine = service.engine.clone();
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

/// The maximum number of bytes that are read of a body. This is one more than the engine accepts,
/// so that the engine refuses a longer body.
const MAX_BODY_BYTES: usize = rollbook::Request::MAX_BODY_BYTES + 1;

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

fn refuse(status: u16, error: &str, description: &str) -> Response {
    let body = format!(r#"{{"error":"{error}","error_description":"{description}"}}"#);
    let response = Response::builder()
        .status(status)
        .header("Content-Type", rollbook::Status::CONTENT_TYPE)
        .header("Connection", "close")
        .body(Body::from(body));
    response.unwrap_or_default()
}

/// The signals that stop the server: SIGTERM and Ctrl-C. Signals that arrive after the creation are
/// noticed, even before `next` is polled.
#[cfg(unix)]
struct StopSignals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    fn new() -> io::Result<StopSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(StopSignals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    #[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
    fn new() -> io::Result<StopSignals> {
        Ok(StopSignals)
    }

    #[allow(clippy::unused_self, reason = "on Unix it has signals")]
    async fn next(&mut self) {
        // If the signal is not available, the server runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
