//! Get School: the information that a school publishes about itself.

use crate::error::Result;
use crate::json::{self, ApiVersion, OutputBuffer};
use crate::query::decoded::integrators::{Family, school_values};
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::Value;
use crate::record::kinds::school::{FIELDS, INFO, TUITION_LANGUAGES};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// Get School: the information that a school publishes about itself, as one object. For v2, use
/// [`Engine::find`](crate::Engine::find), which also returns one object.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, SchoolInfo};
/// let engine = Engine::memory(Options::default())?;
/// let line = r#"{"type":"school","school_id":1,"current_year":2026,"tuition_languages":["English"]}"#;
/// engine.apply(line.as_bytes())?;
/// let school = engine.ask(&SchoolInfo { school: 1 })?;
/// assert!(school.text().ends_with(r#""tuition_languages":["English"]}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SchoolInfo {
    /// The school's login id.
    pub school: u64,
}

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "school",
    v1: Path("adminplus/school", Last::SCHOOL),
    v2: Path("adminplus/school", Last::None),
    family: Some(Family::Administration),
    is_object: true,
    nothing: "No school record found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let school = params.school();
    params.ask(&SchoolInfo { school }, then)
}

impl Question for SchoolInfo {}

impl SchoolInfo {
    /// Writes the object. Returns false if there is no such school.
    fn push(self, view: View<'_>, version: ApiVersion, out: &mut OutputBuffer<'_>) -> Result<bool> {
        let schools = view
            .snapshot
            .records(Partition::global(Collection::Schools))?;
        let Some(record) = schools.get(Key::one(self.school))? else {
            return Ok(false);
        };
        let values = school_values(&record.item()?, self.school)?;
        let text = |index: usize| values.get(index).map_or("", Value::text);
        out.push(b"{");
        for index in INFO {
            let mut escaped = Vec::new();
            json::push_escaped(&mut escaped, text(index));
            push_name(index, out);
            version.push_text(out, &escaped);
            out.push(b",");
        }
        push_name(TUITION_LANGUAGES, out);
        let languages = text(TUITION_LANGUAGES);
        out.push(match languages {
            "" => b"[]",
            languages => languages.as_bytes(),
        });
        out.push(b"}");
        Ok(true)
    }
}

fn push_name(index: usize, out: &mut OutputBuffer<'_>) {
    let name = FIELDS.get(index).map_or("", |field| field.name);
    out.push(b"\"");
    out.push(name.as_bytes());
    out.push(b"\":");
}

impl Query for SchoolInfo {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::new(&[Collection::Schools])
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        reads.require(self.school, CoverageKey::new(CoverageKind::SchoolInfo))
    }

    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        Ok(if self.push(view, ApiVersion::V1, out)? {
            Outcome::Found
        } else {
            Outcome::Nothing
        })
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter {
            view,
            version,
            walk,
            out,
        } = page;
        let position = [self.school, 0, 0, 0, 0, 0, 0];
        if walk.is_after_cursor(&position) && self.push(view, version, out)? {
            walk.take(position);
            out.push(b",");
        }
        Ok(Outcome::Found)
    }
}
