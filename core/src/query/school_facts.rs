//! What a school says of itself that rules read: when its day begins, and which year it is
//! in. Apart from its small tables, so that who needs today's date does not wait for those.

use crate::clock::Offset;
use crate::date::Date;
use crate::error::Result;
use crate::record::{Kind, Value, bake, school};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::ops::Range;
use std::sync::Arc;

pub(crate) struct SchoolFacts {
    offset: Offset,
    /// The school's current administrative year.
    pub(crate) current_year: Option<u64>,
}

/// Of a school that is not there: the usual offset, and no year.
pub(super) fn of(snapshot: &Snapshot, school: u64) -> Result<Arc<SchoolFacts>> {
    const SOURCES: Sources = Sources::of(&[Collection::Schools]);
    let name = Partition::of(school, Collection::Schools);
    snapshot.decoded(0, name, SOURCES, || {
        let facts = SchoolFacts::read(snapshot, school)?;
        Ok((facts, size_of::<SchoolFacts>()))
    })
}

impl SchoolFacts {
    fn read(snapshot: &Snapshot, school: u64) -> Result<SchoolFacts> {
        let mut facts = SchoolFacts {
            offset: Offset::DEFAULT,
            current_year: None,
        };
        let schools = snapshot.records(Partition::global(Collection::Schools))?;
        if let Some((pinned, index)) = schools.get(Key::one(school))? {
            let values = bake::values(Kind::School, &[school], &pinned.run()?.item(index)?)?;
            let offset = values.get(school::UTC_OFFSET).map_or("", Value::text);
            facts.offset = Offset::parse(offset).unwrap_or(Offset::DEFAULT);
            facts.current_year = values.get(school::CURRENT_YEAR).and_then(Value::integer);
        }
        Ok(facts)
    }

    /// The instants of the day at the school.
    pub(super) fn day(&self, now: i64) -> Range<i64> {
        self.offset.day(now)
    }

    pub(crate) fn today(&self, now: i64) -> Date {
        self.offset.today(now)
    }
}
