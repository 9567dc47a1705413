//! One pass of the sync of a school: sends its calls to the service, passes the replies to it, and
//! waits in between.

mod client;
mod origin;
mod statistics;

pub(crate) use client::ServiceClient;
pub(crate) use origin::{Origin, confidential, secret};
pub(crate) use statistics::PassStatistics;

use rollbook::{CallFailure, Reply, Step, StopReason, Sync, SyncReport};
use statistics::{describe_failed, list};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The timeout for an answer. After two minutes, the sync would request it again.
const LONGEST: Duration = Duration::from_secs(60);
/// The maximum time between two passes: a year.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(365 * 86_400);
/// The maximum number of bytes that are read of an answer. This is one more than the sync accepts,
/// so that the sync reports a longer answer as too long.
const MAX_BYTES: usize = (32 << 20) + 1;

/// The answer to a call, whatever its status.
struct Answer {
    status: u16,
    retry_after: Option<String>,
    body: Vec<u8>,
}

/// The reason why there is no answer, and its description.
type NoAnswer = (CallFailure, &'static str);

enum Event {
    /// The outcome of a call, with the number of the pass that sent it.
    Answered(u64, u64, Result<Answer, NoAnswer>),
    Interrupted,
}

/// The events of passes that are driven one after the other.
pub(crate) struct Events {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    /// The number of the current pass. It is needed because call ids are unique only within a pass.
    pass: u64,
}

/// Interrupts the wait for events, from any thread.
pub(crate) struct Interrupter(Sender<Event>);

impl Interrupter {
    pub(crate) fn interrupt(&self) {
        // Sending fails if the receiver was dropped, and then there is nothing to interrupt.
        drop(self.0.send(Event::Interrupted));
    }
}

impl Events {
    pub(crate) fn new() -> Events {
        let (sender, receiver) = channel();
        Events {
            sender,
            receiver,
            pass: 0,
        }
    }

    pub(crate) fn interrupter(&self) -> Interrupter {
        Interrupter(self.sender.clone())
    }

    /// Waits between two passes. Returns whether the wait was interrupted.
    pub(crate) fn wait(&self, wait: Duration) -> bool {
        let until = Instant::now() + wait.min(LONGEST_WAIT);
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            match self.receiver.recv_timeout(rest) {
                Ok(Event::Interrupted) => return true,
                // The pass that sent the call is over.
                Ok(Event::Answered(..)) => {}
                Err(_) => return false,
            }
        }
    }
}

/// What an app may show while a pass is driven.
pub(crate) enum Seen {
    /// The sync has made a step.
    Progress,
    /// A call had no answer, unless the call before had none either and an earlier one had.
    /// Contains the description of the reason.
    NoAnswer(&'static str),
}

/// Drives a sync to the end of its pass. Returns the last step, or `None` if it was interrupted.
pub(crate) fn drive(
    sync: &Sync,
    client: &ServiceClient,
    now: &dyn Fn() -> i64,
    events: &mut Events,
    statistics: &mut PassStatistics,
    show: &dyn Fn(Seen),
) -> rollbook::Result<Option<Step>> {
    events.pass += 1;
    let pass = events.pass;
    loop {
        match sync.next(now())? {
            Step::Send(call) => {
                statistics.calls += 1;
                let (id, sender) = (call.id, events.sender.clone());
                let answered = move |answer| drop(sender.send(Event::Answered(pass, id, answer)));
                client.send(call, answered);
            }
            Step::Wait { until } => {
                let seconds = until.saturating_sub(now()).max(0).cast_unsigned();
                match events.receiver.recv_timeout(Duration::from_secs(seconds)) {
                    Ok(Event::Answered(of, call, answer)) if of == pass => {
                        handle_answer(sync, call, &answer, now(), statistics, show)?;
                    }
                    Ok(Event::Interrupted) => return Ok(None),
                    _ => {}
                }
            }
            ended @ (Step::Done(_) | Step::Stop { .. }) => return Ok(Some(ended)),
            // The enum is not exhaustive: a later version may add a step.
            _ => {}
        }
        show(Seen::Progress);
    }
}

fn handle_answer(
    sync: &Sync,
    call: u64,
    answer: &Result<Answer, NoAnswer>,
    now: i64,
    statistics: &mut PassStatistics,
    show: &dyn Fn(Seen),
) -> rollbook::Result<()> {
    let outcome = match answer {
        Ok(answer) => {
            statistics.bytes += answer.body.len() as u64;
            statistics.is_failing = false;
            let reply = Reply {
                status: answer.status,
                retry_after: answer.retry_after.as_deref(),
                body: &answer.body,
            };
            sync.handle_reply(call, now, &reply)?
        }
        Err((why, words)) => {
            if statistics.bytes == 0 || !statistics.is_failing {
                show(Seen::NoAnswer(words));
            }
            statistics.is_failing = true;
            sync.handle_failure(call, now, *why)?
        }
    };
    statistics.count(outcome);
    Ok(())
}

/// Describes why a sync stopped, and what to do about it.
pub(crate) fn describe_stop(reason: StopReason, report: &SyncReport) -> String {
    let text = match reason {
        StopReason::Unauthorised => {
            "the service answered 401. See that ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD are \
             those of the integrator, and that the school has authorised it"
        }
        StopReason::WrongCredentials => {
            "the service answered 401 to the credentials. See that ROLLBOOK_USERNAME and \
             ROLLBOOK_PASSWORD are those of the integrator"
        }
        StopReason::SchoolNotAuthorised => {
            "the service answered 401 to the school. See that its id is right and that it has \
             authorised the integrator"
        }
        StopReason::Unreachable => {
            "the service could not be reached in three attempts. See that its address is right \
             and that it is up"
        }
        StopReason::Incomplete => return describe_failures(report),
        StopReason::Forgotten => "the school is no longer to be synced",
        _ => "another sync of the school was started",
    };
    text.to_owned()
}

/// Lists the failed requests of a pass without any answer, and what to do about each status.
fn describe_failures(report: &SyncReport) -> String {
    if report.failed.is_empty() {
        return "no answer could be fetched".to_owned();
    }
    let mut text = String::new();
    let failed = report.failed.iter();
    list(
        &mut text,
        "no answer could be fetched",
        failed.clone().map(describe_failed),
    );
    let advice: BTreeSet<_> = failed.filter_map(|failed| advise(failed.status)).collect();
    for line in advice {
        text += line;
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Returns what to do about a failed request whose last reply had this status.
fn advise(status: Option<u16>) -> Option<&'static str> {
    Some(match status {
        None => "no reply: see that the network works and that the service is up",
        Some(401) => {
            "401: see that ROLLBOOK_USERNAME and ROLLBOOK_PASSWORD are those of the integrator"
        }
        Some(403) => {
            "403: have the API type activated for the school; the target says which family: \
             adminplus, currplus or finplus"
        }
        Some(404) => "404: the service does not have this resource at this address",
        Some(429 | 500..=599) => "429 or 5xx: the service is overloaded or failing; wait a while",
        Some(_) => return None,
    })
}
