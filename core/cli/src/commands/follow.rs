//! `rollbook follow`: applies the feed of a server to a store, and then each change.

use crate::args::parse_duration;
use crate::pass::{confidential, secret};
use crate::{Outcome, UsageError, output};
use indicatif::HumanCount;
use rollbook::{Engine, Options, Summary};
use serde_json::json;
use std::error::Error;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;
use ureq::http::Uri;
use ureq::{Agent, Body};

/// The time that the server may wait for a change, in seconds.
const WAIT: u64 = 30;
/// The maximum time from a request to the end of the answer.
const LONGEST: Duration = Duration::from_secs(600);
/// The pause after the first failure. It doubles after each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The minimum pause.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// The default of the maximum pause.
const LONGEST_PAUSE: &str = "60s";
/// The number of bytes of a feed that are read at once.
const PIECE_BYTES: usize = 64 << 10;

/// Apply the feed of a server to a store, and then each change.
///
/// The token of the scope is ROLLBOOK_TOKEN in the environment. The changes are applied as they
/// arrive, until Ctrl-C.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The address of the feed, for example https://school.example/feed.
    #[arg(long, value_name = "URL")]
    from: String,
    /// The file of the store, which is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// Apply what the server has now, and end.
    #[arg(long)]
    once: bool,
    /// The maximum pause after failures.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = LONGEST_PAUSE)]
    pause: Duration,
}

const EXAMPLES: &str = "\
Examples:
  rollbook serve --feed family=1000:1,2
  ROLLBOOK_TOKEN=family rollbook follow --from http://127.0.0.1:8600/feed --store phone.redb";

/// The outcome of one request.
enum Asked {
    /// The store now has all changes.
    Current(Option<Box<Summary>>),
    /// The request failed, and can be repeated.
    Failed(String),
    /// The request failed, and would fail again.
    Refused(u16, String),
}

/// Follows until Ctrl-C, or once.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let address = confidential(&arguments.from).map_err(|error| UsageError(error.to_owned()))?;
    let token = secret("ROLLBOOK_TOKEN").map_err(UsageError)?;
    if address.query().is_some() {
        let text = "--from has no query: the position is added to it";
        return Err(UsageError(text.to_owned()).into());
    }
    let engine = Engine::open(&arguments.store, Options::default())?;
    let follower = Follower::new(address, token, &engine, arguments.once);
    let mut pause = FIRST_PAUSE;
    loop {
        match follower.ask()? {
            Asked::Current(summary) => {
                pause = FIRST_PAUSE;
                if let Some(summary) = summary {
                    report(&summary, json)?;
                }
                if arguments.once {
                    engine.close()?;
                    return Ok(Outcome::Success);
                }
            }
            Asked::Failed(why) if arguments.once => return Err(why.into()),
            Asked::Failed(why) => {
                let wait = pause.min(arguments.pause).max(SHORTEST_PAUSE);
                eprintln!("rollbook: {why}; tried again in {wait:?}");
                std::thread::sleep(wait);
                pause = pause.saturating_mul(2).min(arguments.pause);
            }
            Asked::Refused(status, why) => {
                eprintln!("error: {why}");
                return Ok(if status == 401 {
                    Outcome::Refused
                } else {
                    Outcome::Failure
                });
            }
        }
    }
}

fn report(summary: &Summary, json: bool) -> Result<(), String> {
    let total = summary.total();
    let line = if json {
        let line = json!({
            "lines": summary.lines,
            "bytes": summary.bytes,
            "added": total.added,
            "changed": total.changed,
            "removed": total.removed,
        });
        format!("{line}\n")
    } else {
        format!(
            "{} added, {} changed, {} removed\n",
            HumanCount(total.added),
            HumanCount(total.changed),
            HumanCount(total.removed)
        )
    };
    output::print(&line)
}

/// A store that follows a server.
struct Follower<'a> {
    agent: Agent,
    address: Uri,
    token: String,
    engine: &'a Engine,
    /// The time that the server may wait for a change, in seconds.
    wait: u64,
}

impl Follower<'_> {
    fn new(address: Uri, token: String, engine: &Engine, is_once: bool) -> Follower<'_> {
        let config = Agent::config_builder()
            .timeout_global(Some(LONGEST))
            .http_status_as_error(false)
            // A redirect could send the token to another server.
            .max_redirects(0);
        let config = if address.scheme_str() == Some("https") {
            config
        } else {
            // A proxy may be on another machine, and could read the token without TLS.
            config.proxy(None)
        };
        Follower {
            agent: config.build().into(),
            address,
            token,
            engine,
            wait: if is_once { 0 } else { WAIT },
        }
    }

    /// Sends one request, and applies the feed that the server answers.
    fn ask(&self) -> rollbook::Result<Asked> {
        // A position contains only characters that a query string may have.
        let after = self.engine.followed()?.unwrap_or_default();
        let (address, wait) = (&self.address, self.wait);
        let asked = self
            .agent
            .get(format!("{address}?wait={wait}&after={after}"))
            .header("Authorization", format!("Bearer {}", self.token))
            .call();
        let answer = match asked {
            Ok(answer) => answer,
            Err(error) => return Ok(Asked::Failed(format!("no answer from {address}: {error}"))),
        };
        Ok(match answer.status().as_u16() {
            200 => match self.apply(answer.into_body()) {
                Ok(summary) => Asked::Current(Some(Box::new(summary))),
                Err(error) => Asked::Failed(format!("the feed was not applied: {error}")),
            },
            204 => Asked::Current(None),
            401 => Asked::Refused(401, "the server does not know ROLLBOOK_TOKEN".to_owned()),
            status @ 400..=499 => {
                let why = format!("the server answered {status}. See that --from is a feed");
                Asked::Refused(status, why)
            }
            status => Asked::Failed(format!("the server answered {status}")),
        })
    }

    /// Applies a feed. The parts that have arrived completely remain stored after an error.
    fn apply(&self, body: Body) -> Result<Summary, Box<dyn Error>> {
        let mut follow = self.engine.follow();
        let mut reader = body.into_reader();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let read = reader.read(&mut piece)?;
            match piece.get(..read) {
                None | Some([]) => return Ok(follow.finish()?),
                Some(bytes) => follow.push(bytes)?,
            }
        }
    }
}
