//! Drives the sync of a school: sends its calls, hands in what comes of them, and waits in
//! between. The examples `sync` and `serve` share it; each brings a transport of its own.

pub(crate) mod account;
pub(crate) mod origin;

use account::Account;
use rollbook::{Call, CallFailure, Reply, Step, StopReason, Sync};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How long an answer takes at most; after two minutes it would be asked for again.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);
/// The bytes that are read of an answer: sync says of the last one that it is too long.
pub(crate) const MOST_BYTES: usize = (32 << 20) + 1;

/// The answer to a call, whatever its status.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer, and the same in words.
pub(crate) type NoAnswer = (CallFailure, &'static str);

/// What receives the outcome of a call.
pub(crate) type Answered = Box<dyn FnOnce(Result<Answer, NoAnswer>) + Send>;

/// Sends calls over HTTP.
pub(crate) trait Transport {
    /// Sends a call and returns at once: the sync says how many may be in flight.
    fn send(&self, call: Call, answered: Answered);
}

enum Event {
    /// The outcome of a call, with the number of the pass that sent it.
    Answered(u64, u64, Result<Answer, NoAnswer>),
    Interrupted,
}

/// The events of passes that are driven one after the other.
pub(crate) struct Events {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    /// Call ids are unique within a pass alone.
    pass: u64,
}

/// Interrupts what waits for events, from any thread.
pub(crate) struct Interrupter(Sender<Event>);

impl Interrupter {
    pub(crate) fn interrupt(&self) {
        // The receiver is gone once nothing is driven any more.
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

    /// Waits between two passes; returns whether it was interrupted.
    // The example `sync` makes one pass.
    #[allow(dead_code)]
    pub(crate) fn wait(&self, wait: Duration) -> bool {
        let until = Instant::now() + wait;
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
    /// The sync has gone on a step.
    Progress,
    /// A call had no answer, in words, and none had one before it.
    NoAnswer(&'static str),
}

/// Drives a sync to the end of its pass. Returns the last step, or nothing if it was
/// interrupted.
pub(crate) fn drive(
    sync: &Sync,
    transport: &impl Transport,
    now: &dyn Fn() -> i64,
    events: &mut Events,
    account: &mut Account,
    show: &dyn Fn(Seen),
) -> rollbook::Result<Option<Step>> {
    events.pass += 1;
    let pass = events.pass;
    loop {
        match sync.next(now())? {
            Step::Send(call) => {
                account.calls += 1;
                let (id, sender) = (call.id, events.sender.clone());
                let answered = move |answer| drop(sender.send(Event::Answered(pass, id, answer)));
                transport.send(call, Box::new(answered));
            }
            Step::Wait { until } => {
                let seconds = until.saturating_sub(now()).max(0).cast_unsigned();
                match events.receiver.recv_timeout(Duration::from_secs(seconds)) {
                    Ok(Event::Answered(of, call, answer)) if of == pass => {
                        take(sync, call, &answer, now(), account, show)?;
                    }
                    Ok(Event::Interrupted) => return Ok(None),
                    _ => {}
                }
            }
            ended @ (Step::Done(_) | Step::Stop(_)) => return Ok(Some(ended)),
            // One of a later version.
            _ => {}
        }
        show(Seen::Progress);
    }
}

fn take(
    sync: &Sync,
    call: u64,
    answer: &Result<Answer, NoAnswer>,
    now: i64,
    account: &mut Account,
    show: &dyn Fn(Seen),
) -> rollbook::Result<()> {
    let taken = match answer {
        Ok(answer) => {
            account.bytes += answer.body.len() as u64;
            let reply = Reply {
                status: answer.status,
                retry_after: answer.retry_after.as_deref(),
                body: &answer.body,
            };
            sync.handle_reply(call, now, &reply)?
        }
        Err((why, words)) => {
            if account.bytes == 0 {
                show(Seen::NoAnswer(words));
            }
            sync.handle_failure(call, now, *why)?
        }
    };
    account.count(taken);
    Ok(())
}

/// Why a sync stopped, and what to do about it.
pub(crate) fn reason(why: StopReason) -> &'static str {
    match why {
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
        StopReason::Incomplete => {
            "the school's record or its current learners could not be had. See that the service \
             runs, that the school's id is right, and that it has authorised the integrator for \
             them"
        }
        StopReason::Forgotten => "the school is no longer to be synced",
        _ => "another sync of the school was started",
    }
}
