//! What is made of a reply.

use super::ask::Ask;
use super::flight::Flight;
use super::machine::Machine;
use super::plan::Phase;
use super::read::{self, Evidence, Unread};
use super::staging::Left;
use super::step::{Reply, Taken, Why};
use super::told::Told;
use crate::error::Result;
use crate::json::{self, Object};
use crate::record::coverage::Unit;
use crate::record::ledger::{Row, State};
use twox_hash::XxHash3_128;

/// What came of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) state: State,
    pub(super) status: u16,
    pub(super) year: Option<u64>,
    pub(super) records: u64,
    pub(super) digest: [u64; 2],
}

impl Default for Answer {
    fn default() -> Answer {
        Answer {
            state: State::Told,
            status: 200,
            year: None,
            records: 0,
            digest: [0; 2],
        }
    }
}

/// So often the school's year may turn within a pass.
const MOST_TURNS: u8 = 2;

impl Machine {
    pub(super) fn take_of(
        &mut self,
        flight: Flight<Ask>,
        now: i64,
        reply: &Reply<'_>,
    ) -> Result<Taken> {
        let ask = flight.of;
        match reply.status {
            200 => self.take_body(flight, now, reply.body),
            404 if says(reply.body, ask.nothing()) => {
                // However it is spelled.
                let digest = [404; 2];
                if let Some(row) = self.as_before(ask, digest) {
                    return self.keep_same(flight, now, row);
                }
                let answer = Answer {
                    status: reply.status,
                    digest,
                    ..Answer::default()
                };
                self.keep(flight, now, answer, &Told::default(), &Evidence::default())
            }
            404 if !is_json(reply.body) => self.retry(flight, now, 0),
            401 => {
                self.stopped = Some(Why::Unauthorised);
                Ok(Taken::GivenUp)
            }
            403 => {
                let is_wanted = self.wanted_out.contains(&ask);
                let taken = self.give_up(flight, now, 403, "the service answered 403")?;
                self.forbid(ask);
                match ask.with_less().filter(|_| taken == Taken::GivenUp) {
                    Some(less) if is_wanted => self.wanted.push_front(less),
                    Some(less) => self.queue.push_front(less),
                    None => {}
                }
                Ok(taken)
            }
            408 | 429 | 500..=599 => self.unwell(reply, now, |machine, least| {
                machine.retry(flight, now, least)
            }),
            status => self.give_up(
                flight,
                now,
                status,
                &format!("the service answered {status}"),
            ),
        }
    }

    fn take_body(&mut self, flight: Flight<Ask>, now: i64, body: &[u8]) -> Result<Taken> {
        let digest = digest_of(body);
        if let Some(row) = self.as_before(flight.of, digest) {
            return self.keep_same(flight, now, row);
        }
        match read::read(flight.of, self.school, body) {
            Ok((told, evidence)) => {
                let answer = Answer {
                    year: evidence.year,
                    records: evidence.records,
                    digest,
                    ..Answer::default()
                };
                let taken = self.keep(flight, now, answer, &told, &evidence)?;
                if taken == Taken::Kept {
                    self.unknown.extend(evidence.unknown);
                }
                Ok(taken)
            }
            Err(Unread::NoJson) => self.retry(flight, now, 0),
            Err(why) => self.give_up(flight, now, 200, &why.to_string()),
        }
    }

    /// What is kept of the same answer to the same question, unless it is to be read again.
    fn as_before(&self, ask: Ask, digest: [u64; 2]) -> Option<Row> {
        let row = self.rows.get(&ask.unit(0)).copied();
        let row = row.filter(|_| !self.is_beside_changes(ask));
        row.filter(|row| {
            (row.state, row.digest) == (State::Kept, digest)
                && (row.to, row.less) == (ask.to(), ask.is_less())
        })
    }

    fn keep_same(&mut self, flight: Flight<Ask>, now: i64, row: Row) -> Result<Taken> {
        let answer = Answer {
            state: State::Kept,
            status: u16::try_from(row.status).unwrap_or(200),
            year: row.year,
            records: row.records,
            digest: row.digest,
        };
        if !self.keep_row(flight, now, &answer, &Left::Same, &[])? {
            return Ok(Taken::Stale);
        }
        self.is_good(flight.of, row.year);
        self.report.same += 1;
        Ok(Taken::Same)
    }

    /// What a complete answer told. If it is of another year than those before, the
    /// school's year has turned: what was of the old one is asked again.
    fn keep(
        &mut self,
        flight: Flight<Ask>,
        now: i64,
        mut answer: Answer,
        told: &Told,
        evidence: &Evidence,
    ) -> Result<Taken> {
        let ask = flight.of;
        let year = answer.year.filter(|_| ask.is_of_current_year());
        let known = self.year.or_else(|| self.year_of(|_| true));
        let turns = year.is_some_and(|year| known.is_some_and(|known| known != year));
        if turns && self.turned == MOST_TURNS {
            return self.give_up(flight, now, 200, "it is of another year than the others");
        }
        let mut again: Vec<Unit> = Vec::new();
        if turns {
            again.extend(self.units(Ask::is_of_current_year));
        }
        let left = match ask {
            Ask::LearnerSubjects => {
                // It tells nothing that is published.
                answer.state = State::Kept;
                again.extend(self.takers_of_others(evidence)?);
                Left::Hints(&evidence.hints)
            }
            _ => Left::Told(told),
        };
        again.retain(|unit| *unit != ask.unit(0));
        let before = self.rows.get(&ask.unit(0)).map(|row| row.digest);
        if !self.keep_row(flight, now, &answer, &left, &again)? {
            return Ok(Taken::Stale);
        }
        if matches!(self.phase, Phase::Settle(_)) && before != Some(answer.digest) {
            self.changed.push(ask);
        }
        self.is_good(ask, year);
        if turns {
            self.turned += 1;
            self.queue.clear();
            self.phase = Phase::Lists;
        }
        Ok(Taken::Kept)
    }

    fn is_good(&mut self, ask: Ask, year: Option<u64>) {
        self.pace.went_well();
        self.year = year.filter(|_| ask.is_of_current_year()).or(self.year);
    }

    /// What is kept of those who take other subjects than before.
    fn takers_of_others(&self, evidence: &Evidence) -> Result<Vec<Unit>> {
        let before = self.staging.hints()?;
        let is_other = |ask: Ask| match ask {
            Ask::SubjectsPerTerm(learner) | Ask::SubjectMarks(learner) => {
                evidence.hints.differs(&before, learner)
            }
            _ => false,
        };
        Ok(self.units(is_other).collect())
    }

    /// What is kept of these answers.
    pub(super) fn units(&self, of: impl Fn(Ask) -> bool) -> impl Iterator<Item = Unit> {
        let rows = self.rows.iter();
        rows.filter_map(move |(unit, row)| {
            let ask = Ask::of(*unit, row.to, row.less)?;
            of(ask).then_some(*unit)
        })
    }
}

fn digest_of(body: &[u8]) -> [u64; 2] {
    let digest = XxHash3_128::oneshot(body);
    let half = |shift: u32| u64::try_from(digest >> shift & u128::from(u64::MAX)).unwrap_or(0);
    [half(64), half(0)]
}

/// What is none is not the service's: it was cut, or somebody else answered.
fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// Whether an error of v1 has this text.
fn says(body: &[u8], text: &str) -> bool {
    let object = std::str::from_utf8(body).ok();
    let object = object.and_then(|body| Object::parse(body).ok());
    let mut members = object.into_iter().flat_map(|object| object.members);
    let said = members.find(|(name, _)| name == "error_description");
    let said = said.and_then(|(_, value)| json::string(value));
    said.is_some_and(|said| said == text)
}
