//! `rollbook ask`: asks a store one question, without a server and without a login.

mod question;
mod table;

use crate::args::parse_instant;
use crate::directory::Directory;
use crate::{Outcome, output, store};
use question::Question;
use rollbook::{Clock, Engine, Options, Request};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

/// Ask a store one question, and print the answer as a table or as JSON.
///
/// No login is needed. The subcommands are the endpoints of v1, and their options are the
/// parameters of the API. Instead of a subcommand, the target of any request can be given.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The school. The default is the only school of the store.
    #[arg(long, value_name = "ID", global = true)]
    school: Option<u64>,
    /// The integrator whose schools and clients are requested. The default is the only one.
    #[arg(long, value_name = "NAME", global = true)]
    username: Option<String>,
    /// The time, for example 2026-05-14T08:00:00Z. The default is that of the system.
    #[arg(long, value_name = "INSTANT", value_parser = parse_instant, global = true)]
    now: Option<i64>,
    /// The fields that the table shows, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', global = true)]
    fields: Vec<String>,
    #[command(subcommand)]
    question: Question,
}

const EXAMPLES: &str = "\
Examples:
  rollbook ask --store school.redb learners --grade 9 --name zoe
      The learners of a grade by name, as a table.
  rollbook ask --store school.redb learners --fields id,last_name,email_address
      The fields to show.
  rollbook ask --store school.redb --json '/api/v2/adminplus/learners?limit=5'
      The answer to a request, as the API gives it.";

/// Asks the question and prints the answer.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let engine = store::open_existing(
        &arguments.store,
        Options {
            clock: arguments.now.map_or(Clock::System, Clock::Fixed),
            ..Options::default()
        },
    )?;
    let directory = Directory::read(&engine)?;
    let school = match arguments.school {
        Some(school) => Some(school),
        None => only(directory.schools.iter()).copied(),
    };
    let username = match &arguments.username {
        Some(username) => Some(username),
        None => only(directory.integrators.iter()),
    };
    let target = arguments.question.target(school)?;
    let printed = print(&engine, &target, school, username, |body| {
        if json {
            Ok(body.to_owned())
        } else {
            table::table(body, &arguments.fields)
        }
    });
    engine.close()?;
    printed
}

/// Returns the only item, or `None` if there are several or none.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    items.next().filter(|_| items.next().is_none())
}

fn print(
    engine: &Engine,
    target: &str,
    school: Option<u64>,
    username: Option<&String>,
    format: impl FnOnce(&str) -> Result<String, Box<dyn Error>>,
) -> Result<Outcome, Box<dyn Error>> {
    let school = school.map(|school| school.to_string());
    let mut headers = Vec::new();
    headers.extend(school.as_deref().map(|school| ("HTTP-X-SCHOOLID", school)));
    headers.extend(username.map(|username| ("HTTP-X-USERNAME", username.as_str())));
    let answer = engine.request_trusted(&Request {
        target,
        headers: &headers,
        ..Request::default()
    });
    let is_found = answer.status.code < 400;
    let text = if is_found {
        format(answer.text())?
    } else {
        answer.text().to_owned()
    };
    if is_found {
        output::print(&(text + "\n"))?;
        return Ok(Outcome::Success);
    }
    let _ = writeln!(io::stderr(), "{} {text}", answer.status.code);
    Ok(Outcome::Failure)
}
