//! Fills a store from the service, and keeps it in step.
//!
//! ```text
//! export ROLLBOOK_USERNAME=… ROLLBOOK_PASSWORD=…
//! cargo run --release --example sync -- --from URL --school ID --store FILE
//!     [--now 2026-05-14T08:00:00Z]
//! ```
//!
//! Run again, it goes on where it was left, or refreshes. `--now` is the instant that it
//! starts at, for a service whose clock is fixed. Ends with 0 if the store was brought up to
//! date, 1 if not, 2 for arguments that are wrong, 3 if the service refuses the credentials,
//! and 130 after Ctrl-C.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod account;
mod arguments;
mod service;

use account::Account;
use arguments::Arguments;
use indicatif::{ProgressBar, ProgressStyle};
use rollbook::{Call, Engine, Options, Reply, Step, Sync, SyncOptions, Why};
use service::{Answer, NoAnswer, Service};
use std::error::Error;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// How it ended, with the code of it.
const DONE: u8 = 0;
const FAILED: u8 = 1;
const BAD_ARGUMENTS: u8 = 2;
const REFUSED: u8 = 3;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            println!("{}", arguments::HELP);
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("sync: {error}\n\n{}", arguments::HELP);
            return BAD_ARGUMENTS.into();
        }
    };
    match filled(&arguments) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("sync: {error}");
            FAILED.into()
        }
    }
}

/// What there is to hear of while calls are out.
enum Event {
    /// What came of one.
    Answered(u64, Result<Answer, NoAnswer>),
    /// Ctrl-C.
    Interrupted,
}

fn filled(arguments: &Arguments) -> Result<u8, Box<dyn Error>> {
    let engine = Engine::open(&arguments.store, Options::default())?;
    let sync = engine.sync(arguments.school, SyncOptions::default())?;
    let (tell, events) = channel();
    hear_interrupts(tell.clone())?;
    let mut run = Run {
        arguments,
        sync: &sync,
        service: Service::new(arguments),
        tell,
        events,
        account: Account::default(),
        bar: ProgressBar::new(0).with_style(ProgressStyle::with_template(
            "{wide_bar} {pos} of {len} so far, {elapsed}",
        )?),
    };
    let ended = run.drive();
    run.bar.finish_and_clear();
    let account = run.account;
    let code = match ended? {
        Some(Step::Done(report)) => {
            account.print(&report);
            account::print_ages(&engine, arguments)?;
            DONE
        }
        Some(Step::Stop(why)) => {
            eprintln!("sync: {}", reason(why));
            if why == Why::Unauthorised {
                REFUSED
            } else {
                FAILED
            }
        }
        _ => {
            eprintln!("sync: stopped; what was answered is kept. Run it again to go on.");
            INTERRUPTED
        }
    };
    drop(sync);
    engine.close()?;
    Ok(code)
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::Unauthorised => {
            "the service answered 401. See that ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD are \
             those of the integrator, and that the school has authorised it; then run this again"
        }
        Why::Incomplete => {
            "the school's record or its current learners could not be had. See that the school's \
             id is right and that it has authorised the integrator for them; then run this again"
        }
        Why::Forgotten => "the school is no longer to be synced",
        _ => "another sync of the school was started",
    }
}

struct Run<'a> {
    arguments: &'a Arguments,
    sync: &'a Sync,
    service: Service,
    tell: Sender<Event>,
    events: Receiver<Event>,
    account: Account,
    bar: ProgressBar,
}

impl Run<'_> {
    /// The last step, or nothing if it was interrupted.
    fn drive(&mut self) -> Result<Option<Step>, Box<dyn Error>> {
        loop {
            match self.sync.next(self.arguments.now())? {
                Step::Send(call) => self.send(call),
                Step::Wait { until } => {
                    let seconds = until.saturating_sub(self.arguments.now());
                    let wait = Duration::from_secs(seconds.max(0).cast_unsigned());
                    match self.events.recv_timeout(wait) {
                        Ok(Event::Answered(call, answer)) => self.take(call, &answer)?,
                        Ok(Event::Interrupted) => return Ok(None),
                        Err(_) => {}
                    }
                }
                ended @ (Step::Done(_) | Step::Stop(_)) => return Ok(Some(ended)),
                // One of a later version.
                _ => {}
            }
            let progress = self.sync.progress();
            self.bar.set_length(progress.answered + progress.left);
            self.bar.set_position(progress.answered);
        }
    }

    /// Sends a call in a thread of its own: the machine says how many may be out.
    fn send(&mut self, call: Call) {
        self.account.calls += 1;
        let (service, tell) = (self.service.clone(), self.tell.clone());
        std::thread::spawn(move || {
            let answer = service.ask(&call);
            // Nobody listens any more after Ctrl-C.
            drop(tell.send(Event::Answered(call.id, answer)));
        });
    }

    fn take(&mut self, call: u64, answer: &Result<Answer, NoAnswer>) -> Result<(), Box<dyn Error>> {
        let now = self.arguments.now();
        let taken = match answer {
            Ok(answer) => {
                self.account.bytes += answer.body.len() as u64;
                let reply = Reply {
                    status: answer.status,
                    retry_after: answer.retry_after.as_deref(),
                    body: &answer.body,
                };
                self.sync.take(call, now, &reply)?
            }
            Err((why, words)) => {
                if self.account.bytes == 0 {
                    let from = &self.arguments.from;
                    let tell = || eprintln!("sync: no answer from {from}, {words}: tried again");
                    self.bar.suspend(tell);
                }
                self.sync.fail(call, now, *why)?
            }
        };
        self.account.count(taken);
        Ok(())
    }
}

/// Ends it at the next step. A kill does no harm either, but says nothing.
fn hear_interrupts(tell: Sender<Event>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            drop(tell.send(Event::Interrupted));
        }
    });
    Ok(())
}
