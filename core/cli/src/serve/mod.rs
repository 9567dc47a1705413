//! `rollbook serve`: the API of a store over HTTP.

mod activity;
mod answer;
mod arguments;
mod banner;
mod clock;
mod connections;
mod explorer;
mod faults;
mod feed;
mod log;
mod metrics;
mod page;
mod reload;
mod schools_sync;
mod tls;

pub(crate) use arguments::Arguments;

use crate::datasets::{self, is_stdin};
use crate::directory::Directory;
use crate::interrupts::StopSignals;
use crate::login::{self, Login};
use crate::{Outcome, UsageError};
use arguments::Content;
use banner::Banner;
use clock::ServerClock;
use faults::Faults;
use feed::Tokens;
use metrics::Metrics;
use rollbook::{Engine, Options};
use rollbook_sample::SampleSchool;
use schools_sync::SchoolsSync;
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

/// The sample schools, which are served if nothing else is.
const SAMPLE: &str = include_str!("../../assets/sample-school.ndjson");
/// The time at which the sample schools are served: 2026-05-14T08:00:00Z.
const SAMPLE_NOW: i64 = 1_778_745_600;

/// Serves until a signal stops the server.
pub(crate) fn run(mut arguments: Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let tokens = Tokens::parse(&arguments.feed)?;
    let sync = SchoolsSync::read(&arguments)?;
    let tls = arguments.tls.as_deref().map(tls::acceptor).transpose()?;
    let cors = answer::cors_layer(&arguments.cors)?;
    let content = arguments.content();
    if content == Content::Sample {
        arguments.now.get_or_insert(SAMPLE_NOW);
    }
    if arguments.watch && arguments.datasets.iter().any(|path| is_stdin(path)) {
        return Err(UsageError(
            "--watch: give files, because stdin cannot be read again".to_owned(),
        )
        .into());
    }
    let clock = Arc::new(ServerClock::new(arguments.now));
    let can_generate = rollbook_sample::YEARS.contains(&clock.today().year());
    if matches!(content, Content::Generated(_)) && !can_generate {
        let text = "--learners: the year of --now is from 100 to 9998";
        return Err(UsageError(text.to_owned()).into());
    }
    let engine = Arc::new(open(&arguments, &clock)?);
    let login = match content {
        Content::Sample | Content::Generated(_) => Some(Login::demo()),
        Content::Own => login::create(&engine, sync.is_some())?,
    };
    let _log = log::start(json, arguments.quiet);
    if arguments.watch {
        reload::start(Arc::downgrade(&engine), arguments.datasets);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let (stop, stopped) = watch::channel(false);
    let server = Server {
        engine: engine.clone(),
        faults: arguments.faults.map(Faults::new),
        delay: arguments.delay,
        tokens,
        stopped,
        feeds: Arc::new(Semaphore::new(feed::MAX_SENT)),
        waiting: Semaphore::new(feed::MAX_WAITING),
        metrics: Metrics::default(),
        clock: arguments.allow_clock.then(|| clock.clone()),
        content,
    };
    let has_no_integrator = login.is_none() && Directory::read(&engine)?.integrators.is_empty();
    let banner = Banner {
        login,
        has_no_integrator,
        now: arguments.now,
        content,
        scheme: if tls.is_some() { "https" } else { "http" },
        json,
    };
    let served = runtime.block_on(serve(Serving {
        server,
        sync,
        stop,
        tls,
        cors,
        banner,
        listen: arguments.listen,
        grace: arguments.grace,
    }));
    let closed = engine.close();
    // A question that is still being answered cannot delay the end.
    runtime.shutdown_background();
    served?;
    closed?;
    Ok(Outcome::Success)
}

/// What the handlers of requests use.
struct Server {
    engine: Arc<Engine>,
    faults: Option<Faults>,
    /// The additional time that each answer of the API takes.
    delay: Option<Duration>,
    tokens: Tokens,
    /// Whether the server stops. Requests that wait for a change then end at once.
    stopped: watch::Receiver<bool>,
    /// The permits for feeds that are sent at the same time.
    feeds: Arc<Semaphore>,
    /// The permits for requests that wait for a change, or until their feed can be sent.
    waiting: Semaphore,
    metrics: Metrics,
    /// The clock, if clients may set it.
    clock: Option<Arc<ServerClock>>,
    content: Content,
}

struct Serving {
    server: Server,
    sync: Option<SchoolsSync>,
    stop: watch::Sender<bool>,
    tls: Option<tokio_rustls::TlsAcceptor>,
    cors: Option<tower_http::cors::CorsLayer>,
    banner: Banner,
    listen: String,
    grace: Duration,
}

async fn serve(serving: Serving) -> Result<(), Box<dyn Error>> {
    let Serving {
        server, stop, sync, ..
    } = serving;
    let mut signals = StopSignals::new()?;
    let stop_of_sync = stop.clone();
    tokio::spawn(async move {
        signals.next().await;
        stop.send_replace(true);
        signals.next().await;
        eprintln!("rollbook: ended by a second signal");
        // A commit that has not finished is discarded when the store is opened again.
        std::process::exit(1);
    });
    let listener = bind(&serving.listen).await?;
    let (engine, stopped) = (server.engine.clone(), server.stopped.clone());
    let syncing = match sync {
        Some(sync) => Some(sync.start(engine, stop_of_sync)?),
        None => None,
    };
    serving.banner.print(listener.local_addr()?);
    let server = Arc::new(server);
    let app = answer::router(server.clone(), serving.cors);
    let connections = connections::Connections {
        app,
        tls: serving.tls,
        stopped,
        grace: serving.grace,
    };
    connections.serve(listener).await;
    match syncing.map(JoinHandle::join) {
        Some(Err(_)) => {
            Err("the sync has failed, and the data would become old: start the server again".into())
        }
        _ => Ok(()),
    }
}

async fn bind(listen: &str) -> Result<TcpListener, String> {
    let bound = TcpListener::bind(listen).await;
    bound.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "{listen} is in use. Stop the program that listens there, or give another port, for \
             example --listen 8601, or --listen 0 for any free one"
        ),
        _ => format!("cannot listen on {listen}: {error}"),
    })
}

/// Opens the store and loads the datasets.
fn open(arguments: &Arguments, clock: &Arc<ServerClock>) -> Result<Engine, Box<dyn Error>> {
    let options = Options {
        clock: clock.clone().for_engine(arguments.allow_clock),
        ..Options::default()
    };
    let engine = match &arguments.store {
        Some(path) => Engine::open(path, options)?,
        None => Engine::memory(options)?,
    };
    match arguments.content() {
        Content::Sample => {
            engine.apply(SAMPLE.as_bytes())?;
        }
        Content::Generated(learners) => {
            let today = clock.today();
            let school = SampleSchool {
                learners,
                current_year: today.year().unsigned_abs(),
                as_of: Some(today),
                ..SampleSchool::default()
            };
            engine.apply(school.reader())?;
        }
        Content::Own => {}
    }
    for path in &arguments.datasets {
        let total = datasets::apply(&engine, path)?.total();
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
