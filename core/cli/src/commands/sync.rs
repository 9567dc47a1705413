//! `rollbook sync`: fills a store from the service, and updates it.

use crate::ages;
use crate::args::{parse_duration, parse_instant};
use crate::interrupts::on_interrupt;
use crate::pass::{Events, Origin, PassStatistics, Seen, ServiceClient, describe_stop, drive};
use crate::{Outcome, UsageError, output};
use indicatif::{ProgressBar, ProgressStyle};
use rollbook::{Credentials, Engine, Options, Step, StopReason, Sync, SyncOptions};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Fill a store from the service, or update it.
///
/// If a pass was interrupted, it is continued. The credentials are ROLLBOOK_USERNAME and
/// ROLLBOOK_PASSWORD in the environment.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The address of the service, for example https://integrate.example.
    #[arg(long, value_name = "URL")]
    from: String,
    /// The id of a school. Can be repeated.
    #[arg(long = "school", value_name = "ID", required = true)]
    schools: Vec<u64>,
    /// The file of the store, which is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The time of the service at the start, if its clock is not that of this machine.
    #[arg(long, value_name = "INSTANT", value_parser = parse_instant)]
    now: Option<i64>,
    /// Make another pass this long after each one, until Ctrl-C.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, conflicts_with = "dry_run")]
    every: Option<Duration>,
    /// Publish the answers that are quarantined because they would remove much, after they were
    /// listed.
    #[arg(long, conflicts_with = "dry_run")]
    approve: bool,
    /// Sync a temporary copy of the store, so that only the report shows what would change.
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  ROLLBOOK_USERNAME=… ROLLBOOK_PASSWORD=… \\
    rollbook sync --from https://integrate.example --school 1000 --store school.redb
  rollbook sync … --every 15m
      Updates the store every quarter of an hour.
  rollbook sync … --dry-run
      Shows what a pass would change, and which answers would be quarantined.";

/// Makes a pass over each school, and repeats this if it is requested.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let origin = Arc::new(Origin::read(&arguments.from).map_err(UsageError)?);
    let engine = Engine::open(&arguments.store, Options::default())?;
    if !arguments.dry_run {
        return Syncing::new(arguments, json, origin, engine)?.run();
    }
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.redb");
    engine.backup(&copy, Credentials::Keep)?;
    engine.close()?;
    let engine = Engine::open(copy, Options::default())?;
    Syncing::new(arguments, json, origin, engine)?.run()
}

/// A sync that is in progress.
struct Syncing<'a> {
    arguments: &'a Arguments,
    json: bool,
    engine: Engine,
    origin: Arc<Origin>,
    client: ServiceClient,
    events: Events,
    /// The difference between the time of the service and the clock of the system, in seconds.
    ahead: i64,
}

impl<'a> Syncing<'a> {
    fn new(
        arguments: &'a Arguments,
        json: bool,
        origin: Arc<Origin>,
        engine: Engine,
    ) -> Result<Syncing<'a>, Box<dyn Error>> {
        let events = Events::new();
        // Killing the program loses no data either, but prints nothing.
        let interrupter = events.interrupter();
        on_interrupt(move || interrupter.interrupt())?;
        let system = jiff::Timestamp::now().as_second();
        Ok(Syncing {
            arguments,
            json,
            engine,
            client: ServiceClient::new(origin.clone()),
            origin,
            events,
            ahead: arguments.now.map_or(0, |now| now - system),
        })
    }

    fn run(mut self) -> Result<Outcome, Box<dyn Error>> {
        loop {
            let mut outcome = Outcome::Success;
            for school in &self.arguments.schools {
                match self.sync_school(*school)? {
                    Outcome::Success => {}
                    Outcome::Interrupted => return self.end(Outcome::Interrupted),
                    failed => outcome = failed,
                }
            }
            match self.arguments.every {
                None => return self.end(outcome),
                Some(every) if self.events.wait(every) => return self.end(Outcome::Interrupted),
                Some(_) => {}
            }
        }
    }

    fn end(self, outcome: Outcome) -> Result<Outcome, Box<dyn Error>> {
        self.engine.close()?;
        Ok(outcome)
    }

    /// Makes one pass over a school, and publishes its quarantined answers if they are approved.
    fn sync_school(&mut self, school: u64) -> Result<Outcome, Box<dyn Error>> {
        let sync = self.engine.sync(school, SyncOptions::default())?;
        let outcome = self.pass(school, &sync)?;
        if !self.arguments.approve || !matches!(outcome, Outcome::Success) {
            return Ok(outcome);
        }
        let quarantined = sync.quarantined()?;
        if quarantined.is_empty() {
            return Ok(outcome);
        }
        for answer in &quarantined {
            sync.approve(&answer.target)?;
        }
        if !self.json {
            output::print("Approved. The next lines are about their publication.\n")?;
        }
        self.pass(school, &sync)
    }

    fn pass(&mut self, school: u64, sync: &Sync) -> Result<Outcome, Box<dyn Error>> {
        let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} so far, {elapsed}")?;
        let bar = ProgressBar::new(0).with_style(style);
        let mut statistics = PassStatistics::default();
        let show = |seen| match seen {
            Seen::Progress => {
                let progress = sync.progress();
                bar.set_length(progress.answered + progress.left);
                bar.set_position(progress.answered);
            }
            Seen::NoAnswer(words) => {
                let from = &self.origin.url;
                bar.suspend(|| eprintln!("rollbook: no answer from {from}, {words}: tried again"));
            }
        };
        let (client, ahead) = (&self.client, self.ahead);
        let now = || jiff::Timestamp::now().as_second() + ahead;
        let ended = drive(sync, client, &now, &mut self.events, &mut statistics, &show);
        bar.finish_and_clear();
        match ended? {
            Some(Step::Done(report)) => {
                let coverage = self.engine.synced(school)?;
                if self.json {
                    let mut line = statistics.json(school, &report);
                    if let (Some(coverage), Some(line)) = (&coverage, line.as_object_mut()) {
                        line.insert("coverage".to_owned(), ages::json(coverage));
                    }
                    output::print(&format!("{line}\n"))?;
                } else {
                    let mut text = statistics.text(&report);
                    if self.arguments.dry_run {
                        text.insert_str(0, "A dry run; the store is unchanged.\n");
                    }
                    if let Some(coverage) = &coverage {
                        text += &ages::text(school, coverage, now());
                    }
                    output::print(&text)?;
                }
                Ok(Outcome::Success)
            }
            Some(Step::Stop { reason, report }) => {
                let why = describe_stop(reason, &report);
                eprintln!("rollbook: school {school}: {why}; then run this again");
                Ok(match reason {
                    StopReason::Unauthorised
                    | StopReason::WrongCredentials
                    | StopReason::SchoolNotAuthorised => Outcome::Refused,
                    _ => Outcome::Failure,
                })
            }
            _ => {
                if !self.arguments.dry_run {
                    eprintln!(
                        "rollbook: stopped; the answers so far are stored. Run it again to continue."
                    );
                }
                Ok(Outcome::Interrupted)
            }
        }
    }
}
