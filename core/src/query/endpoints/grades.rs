//! The lookup list of a school's grades.

use crate::error::Result;
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{Collection, Key, Partition, Sources};

/// The lookup list of grades: ids and names of a school's grades, ordered by id.
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
    /// Selects one grade.
    pub grade_id: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "grade_id";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
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

impl Query for Grades {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::new(&[Collection::Grades])
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        reads.require(self.school, CoverageKey::new(CoverageKind::Grades))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.grade_id);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter { view, version, .. } = page;
        let tables = view.tables(self.school, version)?;
        let grades = Partition::new(self.school, Collection::Grades);
        let keys = Key::range_of(self.grade_id);
        page.write(grades, keys, &mut |Key(id, _), _block, _index, out| {
            if let Some(grade) = tables.listed_grade(view.snapshot, id)? {
                out.push_padded(&grade.listed);
            }
            Ok(())
        })
    }
}
