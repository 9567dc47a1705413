//! Schools that are filled from the service: the machine, forwarded. JavaScript sends its
//! calls.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::report::{list, text};
use rollbook::{Coverage, NoReply, Reply, Step, SyncOptions, SyncReport, Taken, Why};
use wasm_bindgen::prelude::*;

/// The syncing of a school. Steps and outcomes are JSON, ids of calls decimal texts in it.
#[wasm_bindgen]
pub struct Sync {
    sync: rollbook::Sync,
}

#[wasm_bindgen]
impl Engine {
    /// Begins a pass over a school, or goes on with the one that was left.
    pub fn sync(
        &self,
        school: u64,
        days_from: Option<String>,
        utc_offset: Option<String>,
        most_in_flight: Option<u32>,
        rotate: Option<u32>,
        outbox: Option<String>,
    ) -> Result<Sync> {
        let date = |text: String| {
            let date = text.parse();
            date.map_err(|bad| Error::bad_argument(&format!("daysFrom is {bad}")))
        };
        let mut options = SyncOptions::default();
        options.days_from = days_from.map(date).transpose()?;
        options.utc_offset = utc_offset;
        options.most_in_flight = most_in_flight;
        options.rotate = rotate;
        options.outbox = outbox;
        let sync = self.engine.sync(school, options)?;
        Ok(Sync { sync })
    }

    /// What was seen of a school that is synced, as JSON.
    pub fn synced(&self, school: u64) -> Result<Option<String>> {
        let seen = self.engine.synced(school)?;
        Ok(seen.as_ref().map(coverage))
    }

    /// Ends the syncing of a school.
    #[wasm_bindgen(js_name = forgetSync)]
    pub fn forget_sync(&self, school: u64) -> Result<()> {
        Ok(self.engine.forget_sync(school)?)
    }
}

#[wasm_bindgen]
impl Sync {
    /// What is to be done at this instant.
    pub fn next(&self, now: i64) -> Result<String> {
        step(self.sync.next(now)?)
    }

    /// Takes the reply to a call.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what may be left out crosses owned"
    )]
    pub fn take(
        &self,
        call: u64,
        now: i64,
        status: u16,
        retry_after: Option<String>,
        body: &[u8],
    ) -> Result<String> {
        let reply = Reply {
            status,
            retry_after: retry_after.as_deref(),
            body,
        };
        taken(self.sync.take(call, now, &reply)?)
    }

    /// There was no reply to a call.
    pub fn fail(&self, call: u64, now: i64, why: &str) -> Result<String> {
        let why = match why {
            "offline" => NoReply::Offline,
            "timeout" => NoReply::Timeout,
            "cut" => NoReply::Cut,
            _ => return Err(Error::bad_argument("why: give offline, timeout or cut")),
        };
        taken(self.sync.fail(call, now, why)?)
    }

    /// Asks for this next.
    pub fn want(&self, target: &str) -> Result<()> {
        Ok(self.sync.want(target)?)
    }

    /// Says that what is held is right.
    pub fn confirm(&self, target: &str) -> Result<()> {
        Ok(self.sync.confirm(target)?)
    }

    /// How far the pass has come.
    pub fn progress(&self) -> String {
        let progress = self.sync.progress();
        format!(
            r#"{{"answered":{},"left":{},"inFlight":{}}}"#,
            progress.answered, progress.left, progress.in_flight
        )
    }
}

fn step(step: Step) -> Result<String> {
    Ok(match step {
        Step::Send(call) => format!(
            r#"{{"kind":"send","call":{{"id":"{}","method":"{}","target":{},"body":{}}}}}"#,
            call.id,
            call.method,
            text(&call.target),
            text(&call.body)
        ),
        Step::Wait { until } => format!(r#"{{"kind":"wait","until":{until}}}"#),
        Step::Done(of_pass) => format!(r#"{{"kind":"done","report":{}}}"#, report(&of_pass)),
        Step::Stop(why) => format!(r#"{{"kind":"stop","why":"{}"}}"#, reason(why)?),
        _ => return Err(unknown()),
    })
}

fn reason(why: Why) -> Result<&'static str> {
    Ok(match why {
        Why::Unauthorised => "unauthorised",
        Why::Forgotten => "forgotten",
        Why::Incomplete => "incomplete",
        Why::Superseded => "superseded",
        _ => return Err(unknown()),
    })
}

fn taken(taken: Taken) -> Result<String> {
    let outcome = match taken {
        Taken::Kept => "kept",
        Taken::Same => "same",
        Taken::Retry { at } => return Ok(format!(r#"{{"outcome":"retry","at":{at}}}"#)),
        Taken::GivenUp => "givenUp",
        Taken::Stale => "stale",
        _ => return Err(unknown()),
    };
    Ok(format!(r#"{{"outcome":"{outcome}"}}"#))
}

/// What the enums of core have and this list lacks.
fn unknown() -> Error {
    Error::unsupported("this step is not known here: update the package")
}

fn texts(texts: &[String]) -> String {
    list(texts.iter().map(|item| text(item)))
}

fn report(report: &SyncReport) -> String {
    let given_up = report.given_up.iter();
    let given_up = given_up.map(|given_up| {
        let (target, why) = (text(&given_up.target), text(&given_up.why));
        format!(r#"{{"target":{target},"why":{why}}}"#)
    });
    let refused = report.refused.iter();
    let refused = refused.map(|refused| {
        format!(
            r#"{{"apiTypeId":"{}","state":{},"status":{}}}"#,
            refused.api_type_id, refused.state, refused.status
        )
    });
    format!(
        r#"{{"replies":{},"same":{},"givenUp":{},"held":{},"unknown":{},"refused":{},"unsettled":{}}}"#,
        report.replies,
        report.same,
        list(given_up),
        texts(&report.held),
        texts(&report.unknown),
        list(refused),
        texts(&report.unsettled)
    )
}

fn coverage(coverage: &Coverage) -> String {
    let or_null = |value: Option<String>| value.unwrap_or_else(|| "null".to_owned());
    let seen = coverage.seen.iter().map(|covered| {
        let days = covered.days;
        format!(
            r#"{{"what":{},"year":{},"from":{},"to":{},"count":{},"asOf":{}}}"#,
            text(covered.what),
            or_null(covered.year.map(|year| year.to_string())),
            or_null(days.map(|(from, _)| text(&from.to_string()))),
            or_null(days.map(|(_, to)| text(&to.to_string()))),
            covered.count,
            covered.as_of
        )
    });
    format!(
        r#"{{"asOf":{},"seen":{},"erased":{}}}"#,
        or_null(coverage.as_of.map(|as_of| as_of.to_string())),
        list(seen),
        coverage.erased
    )
}
