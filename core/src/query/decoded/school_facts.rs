//! The facts of a school on which rules depend: its UTC offset and its current year. They are
//! cached separately from the small tables, so that a question that needs only the date does
//! not decode those.

use crate::clock::Offset;
use crate::date::Date;
use crate::error::Result;
use crate::record::kinds::school;
use crate::record::stored::pre_render;
use crate::record::{Kind, Value};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::ops::Range;
use std::sync::Arc;

pub(crate) struct SchoolFacts {
    pub(crate) offset: Offset,
    /// The school's current administrative year.
    pub(crate) current_year: Option<u64>,
}

/// Returns the facts of a school. A school without a record has the default offset and no year.
pub(crate) fn read(snapshot: &Snapshot, school: u64) -> Result<Arc<SchoolFacts>> {
    const SOURCES: Sources = Sources::new(&[Collection::Schools]);
    let name = Partition::new(school, Collection::Schools);
    snapshot.decoded(0, name, SOURCES, || {
        let facts = SchoolFacts::read(snapshot, school)?;
        Ok((facts, size_of::<SchoolFacts>()))
    })
}

impl SchoolFacts {
    pub(crate) fn read(snapshot: &Snapshot, school: u64) -> Result<SchoolFacts> {
        let mut facts = SchoolFacts {
            offset: Offset::DEFAULT,
            current_year: None,
        };
        let schools = snapshot.records(Partition::global(Collection::Schools))?;
        if let Some(record) = schools.get(Key::one(school))? {
            let values = pre_render::values(Kind::School, &[school], &record.item()?)?;
            let offset = values.get(school::UTC_OFFSET).map_or("", Value::text);
            facts.offset = Offset::parse(offset).unwrap_or(Offset::DEFAULT);
            facts.current_year = values.get(school::CURRENT_YEAR).and_then(Value::integer);
        }
        Ok(facts)
    }

    /// Returns the interval of instants of the current day at the school.
    pub(crate) fn day(&self, now: i64) -> Range<i64> {
        self.offset.day(now)
    }

    pub(crate) fn today(&self, now: i64) -> Date {
        self.offset.today(now)
    }
}
