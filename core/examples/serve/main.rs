//! The engine behind HTTP.
//!
//! ```text
//! cargo run --release --example serve -- [--store FILE] [--dataset FILE]…
//!     [--listen 127.0.0.1:0] [--now 2026-05-14T08:00:00Z] [--faults SEED] [--feed TOKEN=SCOPE]…
//! ```
//!
//! Opens the store (one in memory without `--store`), applies the datasets in
//! order, then prints `listening on http://ADDR:PORT` on stdout. `--now` fixes
//! the clock. `--faults` makes it as bad as a service and a network can be.
//! SIGTERM and Ctrl-C end it once the requests under way are answered.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod faults;
mod feed;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use faults::{Fault, Faults, Half};
use feed::Tokens;
use rollbook::{Clock, Engine, Options};
use std::error::Error;
use std::fs::File;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// The body of a request may take so long.
const BODY_WAIT: Duration = Duration::from_secs(10);

struct Arguments {
    store: Option<PathBuf>,
    datasets: Vec<PathBuf>,
    listen: SocketAddr,
    now: Option<i64>,
    faults: Option<u64>,
    tokens: Tokens,
}

const HELP: &str = "\
The engine behind HTTP, for development: without TLS.

  --store FILE       the store; one in memory without it
  --dataset FILE     a dataset to apply before; may be given again
  --listen ADDR      where to listen; 127.0.0.1:0 without it, which is any free port
  --now INSTANT      what time it is, as 2026-05-14T08:00:00Z; the system's without it
  --faults SEED      one answer of eight is 429 (with Retry-After and without), 500, 503,
                     an HTML page with 200, cut in the middle of its body, late, or the second
                     to a request that is carried out twice. The number of a request and the
                     seed say which.
  --feed TOKEN=SCOPE who may follow what at /feed, with TOKEN as a bearer token: a school's
                     number, or with learners 1000:1,2; several schools are joined by +. May be
                     given again";

/// Nothing if help is asked for.
fn arguments() -> Result<Option<Arguments>, Box<dyn Error>> {
    use lexopt::prelude::*;
    let mut arguments = Arguments {
        store: None,
        datasets: Vec::new(),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        now: None,
        faults: None,
        tokens: Tokens::default(),
    };
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
            Long("help") | Short('h') => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
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
        let service = Service {
            engine: engine.clone(),
            faults: arguments.faults.map(Faults::new),
            tokens: arguments.tokens,
        };
        runtime.block_on(serve(service, arguments.listen))?;
        Ok(engine.close()?)
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
}

async fn serve(service: Service, listen: SocketAddr) -> std::io::Result<()> {
    let listener = TcpListener::bind(listen).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let app = Router::new()
        .route("/feed", get(feed::answer))
        .fallback(answer)
        .with_state(Arc::new(service));
    axum::serve(listener, app)
        .with_graceful_shutdown(told_to_stop())
        .await
}

async fn answer(State(service): State<Arc<Service>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY_WAIT, read(body)).await {
        Ok(Ok(body)) => body,
        // Cut short, or not as long as its header said.
        Ok(Err(_)) => return refuse(400, "Bad Request", "The body could not be read"),
        Err(_) => return refuse(408, "Request Timeout", "The body did not come"),
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
    // A password takes milliseconds to hash: other connections go on.
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
                Some(Fault::Cut) => Half::of(&body),
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

/// Reads a body up to the first byte that is too much: the engine refuses it then.
async fn read(mut body: Body) -> Result<Vec<u8>, axum::Error> {
    let most = rollbook::Request::MOST_BODY_BYTES + 1;
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

async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without a signal to wait for, it runs until it is killed.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
