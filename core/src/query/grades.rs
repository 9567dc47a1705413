//! The lookup of a school's grades.

use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::record::coverage::{Part, Unit};
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// The lookup of grades: ids and names of a school's grades, in the order of the
/// ids, or one of them.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Grades, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
/// let grades = engine.ask(&Grades { school: 1, grade_id: None })?;
/// assert_eq!(grades.text(), r#"[{"id":"9","name":"Grade 7"}]"#);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Grades {
    /// The school's login id.
    pub school: u64,
    /// One grade.
    pub grade_id: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "grade_id";

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "grades",
    v1: Path("adminplus/lookup/grade", Last::SCHOOL),
    v2: Path("adminplus/lookup/grade", Last::Optional(ID)),
    family: Some(Family::Administration),
    nothing: "No grades found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let grades = Grades {
        school: params.school(),
        grade_id: params.one(ID, true),
    };
    params.ask(&grades, then)
}

impl Question for Grades {}

impl Grades {
    fn write(
        &self,
        view: View<'_>,
        wire: Wire,
        walk: &mut Walk,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let tables = view.tables(self.school, wire)?;
        let grades = Partition::of(self.school, Collection::Grades);
        let grades = view.snapshot.records(grades)?;
        let (from, to) = match self.grade_id {
            Some(id) => (Key::one(id), Key::one(id)),
            None => (Key::MIN, Key::MAX),
        };
        let Some(keys) = walk.rest(from, to, |[id, ..]| Key::one(*id)) else {
            return Ok(());
        };
        for pinned in walk.runs(&grades, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                let Key(id, _) = run.key(index)?;
                let Some(grade) = tables.listed_grade(view.snapshot, id)? else {
                    continue;
                };
                if !walk.take([id, 0, 0, 0, 0, 0, 0]) {
                    return Ok(());
                }
                out.push_padded(&grade.listed);
            }
        }
        Ok(())
    }
}

impl Query for Grades {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::of(&[Collection::Grades])
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        reads.whole(self.school, Unit::of(Part::Grades))
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let array = Array::open(out);
        self.write(view, Wire::V1, &mut Walk::whole(), out)?;
        Ok(array.close(out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.grade_id);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.write(view, Wire::V2, walk, out)?;
        Ok(Outcome::Found)
    }
}
