//! The lookups that are the same for all schools: ethnic groups, marital statuses,
//! genders and languages.

use super::endpoint::{Endpoint, Last, Path};
use super::listed::Listed;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::Chunks;
use crate::record::coverage::Part;
use crate::store::{Collection, Partition, Sources};

/// A list of things that records name, the same for all schools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LookupList {
    /// Ethnic groups.
    #[default]
    EthnicGroup,
    /// Marital statuses.
    MaritalStatus,
    /// Genders.
    Gender,
    /// Languages.
    Language,
}

/// A lookup: ids and names of a list, in the order of the ids, or one of them.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Lookup, LookupList, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"language","id":1,"name":"Afrikaans"}"#[..])?;
/// let languages = engine.ask(&Lookup { list: LookupList::Language, id: None })?;
/// assert_eq!(languages.text(), r#"[{"id":"1","name":"Afrikaans"}]"#);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lookup {
    /// Which list.
    pub list: LookupList,
    /// One of its records.
    pub id: Option<u64>,
}

const fn endpoint(
    path: &'static str,
    nothing: &'static str,
    read: fn(&mut Params<'_>, Then<'_>) -> Result<Outcome>,
) -> Endpoint {
    Endpoint {
        name: path,
        v1: Path(path, Last::Optional("id")),
        v2: Path(path, Last::Optional("id")),
        nothing,
        ..Endpoint::new(read)
    }
}

pub(super) static ETHNIC_GROUPS: Endpoint = endpoint(
    "adminplus/lookup/ethnicgroup",
    "No ethnic groups found",
    |params, then| read(LookupList::EthnicGroup, params, then),
);

pub(super) static MARITAL_STATUSES: Endpoint = endpoint(
    "adminplus/lookup/maritalstatus",
    "No marital status' found",
    |params, then| read(LookupList::MaritalStatus, params, then),
);

pub(super) static GENDERS: Endpoint = endpoint(
    "adminplus/lookup/gender",
    "No genders found",
    |params, then| read(LookupList::Gender, params, then),
);

pub(super) static LANGUAGES: Endpoint = endpoint(
    "adminplus/lookup/language",
    "No languages found",
    |params, then| read(LookupList::Language, params, then),
);

fn read(list: LookupList, params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let id = params.id;
    params.ask(&Lookup { list, id }, then)
}

impl Question for Lookup {}

impl Lookup {
    fn listed(&self) -> Listed {
        Listed {
            of: Partition::global(self.of().0),
            id: self.id,
        }
    }

    /// Where the list lies, and how its being seen is called.
    fn of(&self) -> (Collection, Part) {
        match self.list {
            LookupList::EthnicGroup => (Collection::EthnicGroups, Part::EthnicGroups),
            LookupList::MaritalStatus => (Collection::MaritalStatuses, Part::MaritalStatuses),
            LookupList::Gender => (Collection::Genders, Part::Genders),
            LookupList::Language => (Collection::Languages, Part::Languages),
        }
    }
}

impl Query for Lookup {
    fn endpoint(&self) -> &'static Endpoint {
        match self.list {
            LookupList::EthnicGroup => &ETHNIC_GROUPS,
            LookupList::MaritalStatus => &MARITAL_STATUSES,
            LookupList::Gender => &GENDERS,
            LookupList::Language => &LANGUAGES,
        }
    }

    fn about(&self) -> Option<u64> {
        None
    }

    fn sources(&self) -> Sources {
        Sources::of(&[self.of().0])
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let (of, part) = self.of();
        reads.list(Partition::global(of), part)
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.listed().answer(view, &mut |_, _| Ok(true), out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("id", self.id);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.listed().walk(view, &mut |_, _| Ok(true), walk, out)
    }
}
