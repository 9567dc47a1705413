//! Schools that are synced from the service. JavaScript sends the calls of a sync.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::report::{list, text};
use rollbook::{
    CallFailure, Coverage, Finding, FindingEffect, QuarantinedAnswer, Reply, ReplyOutcome, Step,
    StopReason, SyncOptions, SyncReport,
};
use wasm_bindgen::prelude::*;

/// The sync of a school. Steps and outcomes are JSON, in which ids of calls are decimal texts.
#[wasm_bindgen]
pub struct Sync {
    sync: rollbook::Sync,
}

#[wasm_bindgen]
impl Engine {
    /// Begins a pass over a school, or resumes an unfinished one.
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

    /// Returns the coverage of a synced school, as JSON.
    pub fn synced(&self, school: u64) -> Result<Option<String>> {
        let synced = self.engine.synced(school)?;
        Ok(synced.as_ref().map(coverage))
    }

    /// Ends the sync of a school.
    #[wasm_bindgen(js_name = forgetSync)]
    pub fn forget_sync(&self, school: u64) -> Result<()> {
        Ok(self.engine.forget_sync(school)?)
    }
}

#[wasm_bindgen]
impl Sync {
    /// Returns what to do at the instant `now`, as JSON.
    pub fn next(&self, now: i64) -> Result<String> {
        step(self.sync.next(now)?)
    }

    /// Evaluates the reply to a call, stores the outcome, and returns it as JSON.
    #[wasm_bindgen(js_name = handleReply)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "wasm-bindgen passes optional arguments by value"
    )]
    pub fn handle_reply(
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
        outcome(self.sync.handle_reply(call, now, &reply)?)
    }

    /// Reports that there was no reply to a call, and returns the outcome as JSON.
    #[wasm_bindgen(js_name = handleFailure)]
    pub fn handle_failure(&self, call: u64, now: i64, failure: &str) -> Result<String> {
        let failure = match failure {
            "offline" => CallFailure::Offline,
            "timeout" => CallFailure::Timeout,
            "cut" => CallFailure::Cut,
            _ => return Err(Error::bad_argument("failure: give offline, timeout or cut")),
        };
        outcome(self.sync.handle_failure(call, now, failure)?)
    }

    /// Requests a target next.
    pub fn prioritise(&self, target: &str) -> Result<()> {
        Ok(self.sync.prioritise(target)?)
    }

    /// Returns the answers that are stored but not published, as JSON.
    pub fn quarantined(&self) -> Result<String> {
        Ok(quarantined(&self.sync.quarantined()?))
    }

    /// Approves a quarantined answer.
    pub fn approve(&self, target: &str) -> Result<()> {
        Ok(self.sync.approve(target)?)
    }

    /// Discards a quarantined answer.
    pub fn reject(&self, target: &str) -> Result<()> {
        Ok(self.sync.reject(target)?)
    }

    /// Returns the results of the sync so far, as JSON.
    pub fn report(&self) -> Result<String> {
        report(&self.sync.report()?)
    }

    /// Returns the progress of the pass, as JSON.
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
        Step::Done(of_pass) => format!(r#"{{"kind":"done","report":{}}}"#, report(&of_pass)?),
        Step::Stop {
            reason,
            report: so_far,
        } => format!(
            r#"{{"kind":"stop","reason":"{}","report":{}}}"#,
            stop_reason(reason)?,
            report(&so_far)?
        ),
        _ => return Err(unknown()),
    })
}

fn stop_reason(reason: StopReason) -> Result<&'static str> {
    Ok(match reason {
        StopReason::Unauthorised => "unauthorised",
        StopReason::WrongCredentials => "wrongCredentials",
        StopReason::SchoolNotAuthorised => "schoolNotAuthorised",
        StopReason::Unreachable => "unreachable",
        StopReason::Forgotten => "forgotten",
        StopReason::Incomplete => "incomplete",
        StopReason::Superseded => "superseded",
        _ => return Err(unknown()),
    })
}

fn outcome(outcome: ReplyOutcome) -> Result<String> {
    let outcome = match outcome {
        ReplyOutcome::Stored => "stored",
        ReplyOutcome::Unchanged => "unchanged",
        ReplyOutcome::Retry { at } => return Ok(format!(r#"{{"outcome":"retry","at":{at}}}"#)),
        ReplyOutcome::Failed => "failed",
        ReplyOutcome::Stale => "stale",
        _ => return Err(unknown()),
    };
    Ok(format!(r#"{{"outcome":"{outcome}"}}"#))
}

/// Returns the error for a case that a later version of the crate `rollbook` has added to an enum.
fn unknown() -> Error {
    Error::unsupported("this step is unknown to this version: update the package")
}

fn texts(texts: &[String]) -> String {
    list(texts.iter().map(|item| text(item)))
}

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".to_owned())
}

fn report(report: &SyncReport) -> Result<String> {
    let failed = report.failed.iter();
    let failed = failed.map(|failed| {
        format!(
            r#"{{"target":{},"status":{},"reason":{}}}"#,
            text(&failed.target),
            or_null(failed.status.map(|status| status.to_string())),
            text(&failed.reason)
        )
    });
    let findings = report.findings.iter().map(finding);
    let findings = findings.collect::<Result<Vec<_>>>()?;
    let refused = report.refused.iter();
    let refused = refused.map(|refused| {
        format!(
            r#"{{"apiTypeId":"{}","state":{},"status":{}}}"#,
            refused.api_type_id, refused.state, refused.status
        )
    });
    let unsent = report.unsent.iter();
    let unsent = unsent.map(|unsent| {
        let (api_type_id, state) = (unsent.api_type_id, unsent.state);
        format!(r#"{{"apiTypeId":"{api_type_id}","state":{state}}}"#)
    });
    Ok(format!(
        r#"{{"replies":{},"unchanged":{},"failed":{},"quarantined":{},"findings":{},"unknown":{},"refused":{},"unsent":{},"unstable":{}}}"#,
        report.replies,
        report.unchanged,
        list(failed),
        quarantined(&report.quarantined),
        list(findings.into_iter()),
        texts(&report.unknown),
        list(refused),
        list(unsent),
        texts(&report.unstable)
    ))
}

fn finding(finding: &Finding) -> Result<String> {
    let effect = match finding.effect {
        FindingEffect::FieldEmpty => "fieldEmpty",
        FindingEffect::RecordLeftOut => "recordLeftOut",
        _ => return Err(unknown()),
    };
    Ok(format!(
        r#"{{"kind":{},"field":{},"effect":"{effect}","count":{},"keys":{},"target":{}}}"#,
        text(&finding.kind),
        text(&finding.field),
        finding.count,
        texts(&finding.keys),
        text(&finding.target)
    ))
}

fn quarantined(answers: &[QuarantinedAnswer]) -> String {
    list(answers.iter().map(|answer| {
        let (target, lost, stored) = (text(&answer.target), answer.lost, answer.stored);
        format!(r#"{{"target":{target},"lost":{lost},"stored":{stored}}}"#)
    }))
}

fn coverage(coverage: &Coverage) -> String {
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
