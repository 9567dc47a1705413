//! Measures reading answers: the time that a sync needs for each byte of the service's answers.

use crate::spread::timed;
use anyhow::{Result, bail, ensure};
use rollbook::{Call, Engine, Options, Reply, ReplyOutcome, Request, Step, Sync, SyncOptions};
use rollbook_tests::sample::{PASSWORD, SampleSchool, USERNAME};
use std::collections::BTreeMap;
use std::time::Duration;

/// The measurements of one kind of answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Read {
    /// The number of answers in a pass.
    pub answers: u64,
    /// The total size of the answers in bytes.
    pub bytes: u64,
    /// The time to handle the answers, in the fastest round.
    pub took: Duration,
}

impl Read {
    /// Returns megabytes per second.
    #[expect(clippy::cast_precision_loss, reason = "to be read, to three digits")]
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.took.as_secs_f64()
    }
}

/// 2026-05-14T08:00:00Z.
const NOW: i64 = 1_778_745_600;

/// The kinds of answers, each with a part of the targets that identifies it.
const KINDS: [(&str, &str); 5] = [
    ("structure=1", "structure of marks"),
    ("learnerassessmentmarks", "marks"),
    ("learnersubject", "subjects of learners"),
    ("adminplus/learners/", "learners with parents"),
    ("", "all else"),
];

/// Syncs a school with this number of learners in this number of rounds, from an engine that acts
/// as the service, and measures the time to handle the replies.
pub fn measure(learners: u32, rounds: usize) -> Result<Vec<(&'static str, Read)>> {
    let source = source(learners)?;
    let mut best: BTreeMap<usize, Read> = BTreeMap::new();
    for _ in 0..rounds {
        let mut round: BTreeMap<usize, Read> = BTreeMap::new();
        let sync = Replies::new(&source)?;
        while let Some((call, body)) = sync.next()? {
            let kind = KINDS
                .iter()
                .position(|(part, _)| call.target.contains(part));
            let read = round.entry(kind.unwrap_or_default()).or_default();
            let (is_new, took) = timed(|| sync.take(&call, &body));
            if !is_new? {
                continue;
            }
            read.answers += 1;
            read.bytes += body.len() as u64;
            read.took += took;
        }
        for (kind, read) in round {
            let best = best.entry(kind).or_insert(read);
            best.took = best.took.min(read.took);
        }
    }
    let named = best.into_iter();
    let named = named.filter_map(|(kind, read)| Some((KINDS.get(kind)?.1, read)));
    Ok(named.collect())
}

/// Returns the engine that acts as the service.
pub fn source(learners: u32) -> Result<Engine> {
    let source = Engine::memory(Options::default())?;
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    source.apply(school.reader())?;
    Ok(source)
}

/// A sync, and the service that replies to it.
pub struct Replies<'a> {
    source: &'a Engine,
    sync: Sync,
    _mirror: Engine,
}

impl<'a> Replies<'a> {
    /// Starts a sync of an empty store.
    pub fn new(source: &'a Engine) -> Result<Replies<'a>> {
        let mirror = Engine::memory(Options::default())?;
        let sync = mirror.sync(SampleSchool::default().school_id, SyncOptions::default())?;
        Ok(Replies {
            source,
            sync,
            _mirror: mirror,
        })
    }

    /// Returns the next call with its reply, if there is one.
    pub fn next(&self) -> Result<Option<(Call, Vec<u8>)>> {
        loop {
            let call = match self.sync.next(NOW)? {
                Step::Send(call) => call,
                Step::Done(_) => return Ok(None),
                other => bail!("{other:?}"),
            };
            let answer = self.source.request(&Request {
                target: &call.target,
                headers: &[("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)],
                now: Some(NOW),
                ..Request::default()
            });
            if answer.status.code == 200 {
                return Ok(Some((call, answer.body)));
            }
            let reply = Reply {
                status: answer.status.code,
                body: &answer.body,
                ..Reply::default()
            };
            self.sync.handle_reply(call.id, NOW, &reply)?;
        }
    }

    /// Handles a reply. Returns whether it was read; an unchanged one is not.
    pub fn take(&self, call: &Call, body: &[u8]) -> Result<bool> {
        let status = 200;
        let retry_after = None;
        let reply = Reply {
            status,
            retry_after,
            body,
        };
        let taken = self.sync.handle_reply(call.id, NOW, &reply)?;
        let is_read = matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged);
        ensure!(is_read, "{taken:?}: {}", call.target);
        Ok(taken == ReplyOutcome::Stored)
    }
}
