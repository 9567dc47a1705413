//! The command `rollbook`: a sandbox of the integration API, and tools for stores and datasets.
#![allow(clippy::print_stdout, clippy::print_stderr)]
#![allow(
    clippy::doc_markdown,
    reason = "the documentation of arguments is shown as it is"
)]

mod ages;
mod args;
mod commands;
mod counts;
mod datasets;
mod directory;
mod interrupts;
mod login;
mod output;
mod pass;
mod serve;
mod store;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

/// Serves the integration API from a store, and works with stores and datasets.
#[derive(Parser)]
#[command(name = "rollbook", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Arguments {
    /// Print JSON: one object per line.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(serve::Arguments),
    Sync(commands::sync::Arguments),
    Follow(commands::follow::Arguments),
    Ask(commands::ask::Arguments),
    Load(commands::load::Arguments),
    Check(commands::check::Arguments),
    Export(commands::export::Arguments),
    Sample(commands::sample::Arguments),
    Stats(commands::stats::Arguments),
    Verify(commands::verify::Arguments),
    Compact(commands::compact::Arguments),
    Backup(commands::backup::Arguments),
}

const EXIT_CODES: &str = "\
Exit codes:
    0  The command has succeeded
    1  It has failed
    2  The arguments are invalid
    3  The service refuses the credentials or the school
  130  Interrupted by Ctrl-C; a server that is stopped ends with 0";

/// The outcome of a command that has not failed.
enum Outcome {
    Success,
    /// The command has printed what went wrong.
    Failure,
    Refused,
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Success => 0,
            Outcome::Failure => 1,
            Outcome::Refused => 3,
            Outcome::Interrupted => 130,
        }
        .into()
    }
}

/// Arguments that cannot be combined, or that need something else.
#[derive(Debug)]
struct UsageError(String);

impl Display for UsageError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for UsageError {}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let json = arguments.json;
    let ran = match arguments.command {
        Command::Ask(arguments) => commands::ask::run(&arguments, json),
        Command::Follow(arguments) => commands::follow::run(&arguments, json),
        Command::Load(arguments) => commands::load::run(&arguments, json),
        Command::Check(arguments) => commands::check::run(&arguments, json),
        Command::Export(arguments) => commands::export::run(&arguments, json),
        Command::Sample(arguments) => commands::sample::run(&arguments, json),
        Command::Stats(arguments) => commands::stats::run(&arguments, json),
        Command::Verify(arguments) => commands::verify::run(&arguments, json),
        Command::Compact(arguments) => commands::compact::run(&arguments, json),
        Command::Backup(arguments) => commands::backup::run(&arguments, json),
        Command::Serve(arguments) => serve::run(arguments, json),
        Command::Sync(arguments) => commands::sync::run(&arguments, json),
    };
    match ran {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            eprintln!("error: {error}");
            let is_usage = error.is::<UsageError>();
            if is_usage {
                eprintln!("\nFor more information, try '--help'.");
            }
            if is_usage { 2 } else { 1 }.into()
        }
    }
}
