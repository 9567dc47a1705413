//! Syncs schools from the service while they are served.

use super::arguments::Arguments;
use crate::pass::{
    Events, LONGEST_WAIT, Origin, PassStatistics, Seen, ServiceClient, describe_stop, drive,
};
use crate::{UsageError, login};
use rollbook::{Engine, Step, SyncOptions};
use std::cell::Cell;
use std::error::Error;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;

/// The default time from the end of a pass to the start of the next one.
const EVERY: Duration = Duration::from_secs(900);

/// The schools to sync, the service to sync them from, and the interval between passes.
pub(super) struct SchoolsSync {
    origin: Arc<Origin>,
    schools: Vec<u64>,
    every: Duration,
    /// The difference between the time of the service and the clock of the system, in seconds.
    ahead: i64,
}

impl SchoolsSync {
    /// Reads the arguments, and the credentials of the environment. Returns `None` if no service is
    /// named.
    pub(super) fn read(arguments: &Arguments) -> Result<Option<SchoolsSync>, UsageError> {
        let wrong = |text: &str| Err(UsageError(text.to_owned()));
        let Some(from) = &arguments.from else {
            if arguments.schools.is_empty() && arguments.every.is_none() {
                return Ok(None);
            }
            return wrong("--school and --every go with --from");
        };
        let origin = Origin::read(from).map_err(UsageError)?;
        if arguments.schools.is_empty() {
            return wrong("--from takes a --school, or several");
        }
        let every = arguments.every.unwrap_or(EVERY);
        if every > LONGEST_WAIT {
            return wrong("--every is at most a year");
        }
        let system = jiff::Timestamp::now().as_second();
        Ok(Some(SchoolsSync {
            origin: Arc::new(origin),
            schools: arguments.schools.clone(),
            every,
            ahead: arguments.now.map_or(0, |now| now - system),
        }))
    }

    /// Starts a thread that syncs until the server stops. If the thread fails, it stops the server.
    /// When this returns, the store knows which schools will be synced, so that feeds of a school
    /// without data fail with `not_synced`.
    pub(super) fn start(
        self,
        engine: Arc<Engine>,
        stop: watch::Sender<bool>,
    ) -> rollbook::Result<JoinHandle<()>> {
        for school in &self.schools {
            // The thread starts another sync of the school, which takes over.
            engine
                .sync(*school, SyncOptions::default())?
                .next(self.now())?;
        }
        let client = ServiceClient::new(self.origin.clone());
        let mut events = Events::new();
        let interrupter = events.interrupter();
        let mut stopped = stop.subscribe();
        let stop = StopOnDrop(stop);
        tokio::spawn(async move {
            // An error means that the server has ended, which has the same effect.
            drop(stopped.wait_for(|stopped| *stopped).await);
            interrupter.interrupt();
        });
        Ok(std::thread::spawn(move || {
            let _stop = stop;
            self.run(&engine, &client, &mut events);
        }))
    }

    /// Makes one pass after the other, whether they succeed or not, until it is interrupted.
    fn run(&self, engine: &Engine, client: &ServiceClient, events: &mut Events) {
        loop {
            for school in &self.schools {
                match self.pass(engine, *school, client, events) {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        let seconds = self.every.as_secs();
                        eprintln!("rollbook: school {school}: {error}; tried again in {seconds} s");
                    }
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
        client: &ServiceClient,
        events: &mut Events,
    ) -> Result<bool, Box<dyn Error>> {
        let sync = engine.sync(school, SyncOptions::default())?;
        let mut statistics = PassStatistics::default();
        // The first data of a school is served before the pass is complete.
        let is_new = Cell::new(engine.synced(school)?.is_none());
        let show = |seen| match seen {
            Seen::NoAnswer(words) => {
                let from = &self.origin.url;
                eprintln!("rollbook: no answer from {from}, {words}: tried again");
            }
            Seen::Progress if is_new.get() && matches!(engine.synced(school), Ok(Some(_))) => {
                is_new.set(false);
                if let Err(error) = login::authorise(engine) {
                    eprintln!("rollbook: school {school}: {error}");
                }
            }
            Seen::Progress => {}
        };
        let now = || self.now();
        match drive(&sync, client, &now, events, &mut statistics, &show)? {
            Some(Step::Done(report)) => {
                login::authorise(engine)?;
                if !statistics.is_quiet(&report) {
                    eprint!("School {school}: {}", statistics.text(&report));
                }
            }
            Some(Step::Stop { reason, report }) => {
                return Err(describe_stop(reason, &report).into());
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Returns the time of the service, in seconds since 1970-01-01T00:00:00Z.
    fn now(&self) -> i64 {
        jiff::Timestamp::now().as_second() + self.ahead
    }
}

/// Stops the server when it is dropped, also by a panic.
struct StopOnDrop(watch::Sender<bool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}
