//! Questions about records of learners that lie by date: absences and discipline.

use super::endpoint::Endpoint;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::window::{self, Window};
use super::{Array, Outcome, Query, Reads, Rule, View};
use crate::date::Date;
use crate::error::{Error, Result};
use crate::json::Chunks;
use crate::record::coverage::Part;
use crate::record::lanes::RENDERING;
use crate::record::storage::Dated;
use crate::record::typed;
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// A question about them.
pub(super) trait OfDays {
    fn endpoint(&self) -> &'static Endpoint;

    fn asked(&self) -> Asked;
}

/// What is asked, and where it lies.
pub(super) struct Asked {
    pub(super) at: Dated,
    /// What its days are seen as, and what one of its records is called.
    pub(super) part: Part,
    pub(super) one: &'static str,
    /// The tag: whose record it is.
    pub(super) learner_tag: usize,
    pub(super) school: u64,
    pub(super) id: Option<u64>,
    pub(super) filters: Filters,
}

/// What one record by its id does not take.
#[derive(Default)]
pub(super) struct Filters {
    pub(super) learner_id: Option<u64>,
    pub(super) from_date: Option<Date>,
    pub(super) to_date: Option<Date>,
}

impl Filters {
    pub(super) fn read(params: &mut Params<'_>) -> Filters {
        if params.id.is_some() {
            return Filters::default();
        }
        Filters {
            learner_id: params.id("learner_id"),
            from_date: params.date("from_date"),
            to_date: params.date("to_date"),
        }
    }
}

impl Asked {
    /// The keys between which the records lie that are asked for, or the rule
    /// that is broken.
    fn keys(&self, view: View<'_>) -> Result<std::result::Result<(Key, Key), Rule>> {
        if let Some(id) = self.id {
            let dates = Partition::of(self.school, self.at.dates);
            let date = match view.snapshot.records(dates)?.get(Key::one(id))? {
                Some((pinned, index)) => {
                    let date = pinned.run()?.tag(Dated::DATE_TAG, index)?;
                    date.ok_or_else(|| Error::corrupt("a record has no date"))?
                }
                // What has no date lies on no day.
                None => 0,
            };
            let key = Key(date, id);
            return Ok(Ok((key, key)));
        }
        Ok(self.window(view)?.map(|window| {
            let from = Key(window.from.number(), 0);
            (from, Key(window.to.number(), u64::MAX))
        }))
    }

    fn window(&self, view: View<'_>) -> Result<std::result::Result<Window, Rule>> {
        let today = view.today(self.school)?;
        let Filters {
            from_date, to_date, ..
        } = self.filters;
        Ok(window::of_days(from_date, to_date, today))
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let (from, to) = match self.keys(view)? {
            Ok(keys) => keys,
            Err(rule) => return Ok(rule.into()),
        };
        let records = Partition::of(self.school, self.at.records);
        let records = view.snapshot.records(records)?;
        let array = Array::open(out);
        for pinned in records.between(from, to) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            let Some(learner) = self.filters.learner_id else {
                if !indices.is_empty() {
                    out.push(run.stretch(RENDERING, indices.start, indices.end)?);
                    out.push(b",");
                }
                continue;
            };
            let wanted = learner.to_le_bytes();
            let learners = run.tag_column(self.learner_tag)?;
            for index in indices {
                if learners.get(index) == Some(&wanted) {
                    out.push(run.record(RENDERING, index)?);
                    out.push(b",");
                }
            }
        }
        Ok(array.close(out))
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let (from, to) = match self.keys(view)? {
            Ok(keys) => keys,
            Err(rule) => return Ok(rule.into()),
        };
        let Some(keys) = walk.rest(from, to, |[date, id, ..]| Key(*date, *id)) else {
            return Ok(Outcome::Found);
        };
        let learner = self.filters.learner_id;
        let records = Partition::of(self.school, self.at.records);
        let records = view.snapshot.records(records)?;
        for pinned in walk.runs(&records, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                if learner.is_some() && run.tag(self.learner_tag, index)? != learner {
                    continue;
                }
                let Key(date, id) = run.key(index)?;
                if !walk.take([date, id, 0, 0, 0, 0, 0]) {
                    return Ok(Outcome::Found);
                }
                typed::push_record(&run, index, out)?;
            }
        }
        Ok(Outcome::Found)
    }
}

impl<T: OfDays> Query for T {
    fn endpoint(&self) -> &'static Endpoint {
        self.endpoint()
    }

    fn about(&self) -> Option<u64> {
        Some(self.asked().school)
    }

    fn broken_rule(&self, view: View<'_>) -> Result<Option<Rule>> {
        let asked = self.asked();
        Ok(match asked.id {
            Some(_) => None,
            None => asked.window(view)?.err(),
        })
    }

    fn sources(&self) -> Sources {
        let Asked { at, id, .. } = self.asked();
        Sources::of(&[at.records])
            .and_if(id.is_some(), Sources::of(&[at.dates]))
            .and_if(self.has_day(), Sources::of(&[Collection::Schools]))
    }

    fn has_day(&self) -> bool {
        let Asked { id, filters, .. } = self.asked();
        id.is_none() && filters.to_date.is_none()
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let asked = self.asked();
        match asked.id {
            Some(id) => reads.record(asked.school, asked.at.dates, id, asked.one),
            None => match asked.window(reads.view())? {
                Ok(window) => reads.days(asked.school, asked.part, window),
                Err(_) => Ok(()),
            },
        }
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.asked().answer(view, out)
    }

    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()> {
        let asked = self.asked();
        identity.number("school", Some(asked.school));
        identity.number("id", asked.id);
        identity.number("learner_id", asked.filters.learner_id);
        if asked.id.is_none() {
            identity.window(asked.window(view)?.ok());
        }
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.asked().walk(view, walk, out)
    }
}
