//! Fills a store from the service, and updates it.
//!
//! ```text
//! export ROLLBOOK_USERNAME=… ROLLBOOK_PASSWORD=…
//! cargo run --release --example sync -- --from URL --school ID --store FILE
//!     [--now 2026-05-14T08:00:00Z]
//! ```
//!
//! When it is run again, it resumes an interrupted pass, or updates the store. `--now` is the time
//! at the start, for a service with a fixed clock. The exit code is 0 if the store is up to date, 1
//! if it is not, 2 if the arguments are wrong, 3 if the service refuses the credentials, and 130
//! after Ctrl-C.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod ages;
mod arguments;
#[path = "../driver/mod.rs"]
mod driver;
mod service;

use arguments::Arguments;
use driver::account::Account;
use driver::{Events, Interrupter, Seen, describe_stop, drive};
use indicatif::{ProgressBar, ProgressStyle};
use rollbook::{Engine, Options, Step, StopReason, SyncOptions};
use service::Service;
use std::error::Error;
use std::process::ExitCode;
use ureq::http;

// The exit codes.
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

fn filled(arguments: &Arguments) -> Result<u8, Box<dyn Error>> {
    let engine = Engine::open(&arguments.store, Options::default())?;
    let sync = engine.sync(arguments.school, SyncOptions::default())?;
    let mut events = Events::new();
    handle_interrupts(events.interrupter())?;
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} so far, {elapsed}")?;
    let bar = ProgressBar::new(0).with_style(style);
    let mut account = Account::default();
    let show = |seen| match seen {
        Seen::Progress => {
            let progress = sync.progress();
            bar.set_length(progress.answered + progress.left);
            bar.set_position(progress.answered);
        }
        Seen::NoAnswer(words) => {
            let from = &arguments.from.url;
            bar.suspend(|| eprintln!("sync: no answer from {from}, {words}: tried again"));
        }
    };
    let service = Service::new(arguments.from.clone());
    let now = || arguments.now();
    let ended = drive(&sync, &service, &now, &mut events, &mut account, &show);
    bar.finish_and_clear();
    let code = match ended? {
        Some(Step::Done(report)) => {
            print!("{}", account.text(&report));
            ages::print(&engine, arguments)?;
            DONE
        }
        Some(Step::Stop { reason, report }) => {
            eprintln!(
                "sync: {}; then run this again",
                describe_stop(reason, &report)
            );
            if matches!(
                reason,
                StopReason::Unauthorised
                    | StopReason::WrongCredentials
                    | StopReason::SchoolNotAuthorised
            ) {
                REFUSED
            } else {
                FAILED
            }
        }
        _ => {
            eprintln!("sync: stopped; the answers so far are stored. Run it again to continue.");
            INTERRUPTED
        }
    };
    drop(sync);
    engine.close()?;
    Ok(code)
}

/// Ends the sync at the next step after Ctrl-C. Killing the program loses no data either, but
/// prints nothing.
fn handle_interrupts(interrupter: Interrupter) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            interrupter.interrupt();
        }
    });
    Ok(())
}
