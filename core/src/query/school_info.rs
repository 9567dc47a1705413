//! Get School: what a school says of itself.

use super::endpoint::{Endpoint, Last, Path};
use super::integrators::{Family, school_values};
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::{self, Chunks, Wire};
use crate::record::Value;
use crate::record::coverage::{Part, Unit};
use crate::record::school::{FIELDS, INFO, TUITION_LANGUAGES};
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// Get School: what a school says of itself, as one object; so for v2, which finds it
/// with [`Engine::find`](crate::Engine::find).
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

pub(super) static ENDPOINT: Endpoint = Endpoint {
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
    /// Writes the object; says whether there is such a school.
    fn push(self, view: View<'_>, wire: Wire, out: &mut Chunks<'_>) -> Result<bool> {
        let schools = view
            .snapshot
            .records(Partition::global(Collection::Schools))?;
        let Some((pinned, index)) = schools.get(Key::one(self.school))? else {
            return Ok(false);
        };
        let values = school_values(&pinned.run()?.item(index)?, self.school)?;
        let text = |index: usize| values.get(index).map_or("", Value::text);
        out.push(b"{");
        for index in INFO {
            let mut escaped = Vec::new();
            json::push_escaped(&mut escaped, text(index));
            push_name(index, out);
            wire.push_text(out, &escaped);
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

fn push_name(index: usize, out: &mut Chunks<'_>) {
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
        Sources::of(&[Collection::Schools])
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        reads.whole(self.school, Unit::of(Part::SchoolInfo))
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        Ok(if self.push(view, Wire::V1, out)? {
            Outcome::Found
        } else {
            Outcome::Nothing
        })
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let position = [self.school, 0, 0, 0, 0, 0, 0];
        if walk.is_ahead(&position) && self.push(view, Wire::V2, out)? {
            walk.take(position);
            out.push(b",");
        }
        Ok(Outcome::Found)
    }
}
