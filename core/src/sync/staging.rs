//! A pass in the store while it is under way: an answer is kept as soon as it is read, so
//! that whoever starts again asks only for the rest.

use super::ask::Ask;
use super::options::SyncOptions;
use super::told::{MANNER, Told};
use crate::dataset::ledger;
use crate::error::Result;
use crate::record::ledger::{Head, Row, State};
use crate::store::{Snapshot, Store, Write};
use std::sync::Arc;
use twox_hash::XxHash3_64;

pub(super) struct Staging {
    store: Arc<Store>,
    school: u64,
    options: u64,
}

/// What there is of a pass.
#[derive(Default)]
pub(super) struct Resumed {
    pub(super) began: i64,
    /// The school's current year, if an answer showed it.
    pub(super) year: Option<u64>,
    pub(super) complete: Vec<(Ask, Told)>,
    pub(super) given_up: Vec<Ask>,
}

impl Staging {
    pub(super) fn new(store: Arc<Store>, school: u64, options: &SyncOptions) -> Staging {
        let options = XxHash3_64::oneshot(format!("{options:?}").as_bytes());
        Staging {
            store,
            school,
            options,
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// The pass that was under way, if it was made as this one is.
    pub(super) fn resume(&self) -> Result<Option<Resumed>> {
        self.store.read(|snapshot| self.resumed(snapshot))
    }

    fn resumed(&self, snapshot: &Snapshot) -> Result<Option<Resumed>> {
        let head = ledger::head(snapshot, self.school)?;
        let Some(head) = head.filter(|head| *head == self.head(head.began)) else {
            return Ok(None);
        };
        let mut rows = ledger::rows(snapshot, self.school)?;
        // In the order in which they were asked.
        rows.sort_by_key(|(_, row)| row.asked_at);
        let mut resumed = Resumed {
            began: head.began,
            ..Resumed::default()
        };
        for (unit, row) in rows {
            let Some(ask) = Ask::of(unit, row.to, row.less) else {
                continue;
            };
            resumed.year = resumed.year.or(row.year);
            match row.state {
                State::GivenUp => resumed.given_up.push(ask),
                State::Told => {
                    let told = ledger::told(snapshot, self.school, unit)?;
                    resumed.complete.push((ask, Told::of(told)));
                }
            }
        }
        Ok(Some(resumed))
    }

    fn head(&self, began: i64) -> Head {
        Head {
            began,
            manner: MANNER,
            options: self.options,
        }
    }

    /// A pass begins.
    pub(super) fn begin(&self, began: i64) -> Result<()> {
        let head = self.head(began);
        self.store
            .write(|write| ledger::begin(write, self.school, &head))
    }

    /// Whether the pass that began then is still the one that is kept: not if the school
    /// was removed or a learner erased.
    pub(super) fn is_under_way(&self, write: &Write<'_>, began: i64) -> Result<bool> {
        Ok(ledger::head(write, self.school)? == Some(self.head(began)))
    }

    /// Keeps what came of an answer; `told` is nothing if it was given up. `without` are
    /// answers that are to be asked for again.
    pub(super) fn keep(
        &self,
        ask: Ask,
        told: Option<&Told>,
        year: Option<u64>,
        now: i64,
        without: &[Ask],
    ) -> Result<()> {
        let row = Row {
            state: if told.is_some() {
                State::Told
            } else {
                State::GivenUp
            },
            asked_at: now,
            year,
            to: ask.to(),
            less: ask.is_less(),
        };
        let told = told.map_or(&[][..], Told::bytes);
        self.store.write(|write| {
            for other in without {
                ledger::remove(write, self.school, other.unit(0))?;
            }
            ledger::put(write, self.school, ask.unit(0), &row, told)
        })
    }
}
