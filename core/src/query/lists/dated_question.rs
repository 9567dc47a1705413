//! Questions about records of learners that are ordered by date: absences and discipline.

use crate::date::Date;
use crate::error::Result;
use crate::json::OutputBuffer;
use crate::query::endpoint::Endpoint;
use crate::query::parameters::date_window::{self, DateWindow};
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{ArrayWriter, CoverageCheck, Outcome, PageWriter, Query, Rule, View};
use crate::record::address::date_of;
use crate::record::replication::coverage_key::CoverageKind;
use crate::record::storage::Dated;
use crate::record::stored::columns::RENDERING;
use crate::record::stored::conversions;
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// A question about records that are ordered by date.
pub(crate) trait DatedQuestion {
    fn endpoint(&self) -> &'static Endpoint;

    fn asked(&self) -> DatedParams;
}

/// The parameters of a question, and the collections that it reads.
pub(crate) struct DatedParams {
    pub(crate) at: Dated,
    /// The kind of coverage of the records, and the name of one record in messages.
    pub(crate) part: CoverageKind,
    pub(crate) one: &'static str,
    /// The filter column that contains the id of the learner.
    pub(crate) learner_column: usize,
    pub(crate) school: u64,
    pub(crate) id: Option<u64>,
    pub(crate) filters: Filters,
}

/// The parameters that do not apply to a question for one record by its id.
#[derive(Default)]
pub(crate) struct Filters {
    pub(crate) learner_id: Option<u64>,
    pub(crate) from_date: Option<Date>,
    pub(crate) to_date: Option<Date>,
}

impl Filters {
    pub(crate) fn read(params: &mut Params<'_>) -> Filters {
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

impl DatedParams {
    /// Returns the range of keys of the selected records, or the broken rule.
    fn keys(&self, view: View<'_>) -> Result<std::result::Result<(Key, Key), Rule>> {
        if let Some(id) = self.id {
            let date = date_of(view.snapshot, self.at, self.school, id)?;
            // No record has the date 0.
            let key = Key(date.unwrap_or(0), id);
            return Ok(Ok((key, key)));
        }
        Ok(self.window(view)?.map(|window| {
            let from = Key(window.from.number(), 0);
            (from, Key(window.to.number(), u64::MAX))
        }))
    }

    fn window(&self, view: View<'_>) -> Result<std::result::Result<DateWindow, Rule>> {
        let today = view.today(self.school)?;
        let Filters {
            from_date, to_date, ..
        } = self.filters;
        Ok(date_window::of_days(from_date, to_date, today))
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let (from, to) = match self.keys(view)? {
            Ok(keys) => keys,
            Err(rule) => return Ok(rule.into()),
        };
        let records = Partition::new(self.school, self.at.records);
        let records = view.snapshot.records(records)?;
        let array = ArrayWriter::open(out);
        for pinned in records.between(from, to) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            let Some(learner) = self.filters.learner_id else {
                if !indices.is_empty() {
                    out.push(block.stretch(RENDERING, indices.start, indices.end)?);
                    out.push(b",");
                }
                continue;
            };
            let wanted = learner.to_le_bytes();
            let learners = block.filter_column_numbers(self.learner_column)?;
            for index in indices {
                if learners.get(index) == Some(&wanted) {
                    out.push(block.record(RENDERING, index)?);
                    out.push(b",");
                }
            }
        }
        Ok(array.close(Outcome::Found, out))
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter { view, version, .. } = page;
        let keys = match self.keys(view)? {
            Ok(keys) => keys,
            Err(rule) => return Ok(rule.into()),
        };
        let learner = self.filters.learner_id;
        let records = Partition::new(self.school, self.at.records);
        page.write(records, keys, &mut |_, block, index, out| {
            if learner.is_none() || block.filter_column(self.learner_column, index)? == learner {
                conversions::push_record(block, index, version, out)?;
            }
            Ok(())
        })
    }
}

impl<T: DatedQuestion> Query for T {
    fn endpoint(&self) -> &'static Endpoint {
        self.endpoint()
    }

    fn learner(&self) -> Option<u64> {
        self.asked().filters.learner_id
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
        let DatedParams { at, id, .. } = self.asked();
        Sources::new(&[at.records])
            .and_if(id.is_some(), Sources::new(&[at.dates]))
            .and_if(self.has_day(), Sources::new(&[Collection::Schools]))
    }

    fn has_day(&self) -> bool {
        let DatedParams { id, filters, .. } = self.asked();
        id.is_none() && filters.to_date.is_none()
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let asked = self.asked();
        match asked.id {
            Some(id) => reads.require_record(asked.school, asked.at.dates, id, asked.one),
            None => match asked.window(reads.view())? {
                Ok(window) => reads.require_days(asked.school, asked.part, window),
                Err(_) => Ok(()),
            },
        }
    }

    #[cfg_attr(module, optimize(speed))]
    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
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

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        self.asked().write(page)
    }
}
