//! The lookup lists that are the same for all schools: ethnic groups, marital statuses, genders
//! and languages.

use crate::error::Result;
use crate::json::OutputBuffer;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::lists::id_lists::PartitionQuery;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::replication::coverage_key::CoverageKind;
use crate::store::{Collection, Partition, Sources};

/// A lookup list that is the same for all schools.
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

/// A lookup list: the ids and names of its records, ordered by id.
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
    /// The list to read.
    pub list: LookupList,
    /// Selects one of its records.
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

pub(crate) static ETHNIC_GROUPS: Endpoint = endpoint(
    "adminplus/lookup/ethnicgroup",
    "No ethnic groups found",
    |params, then| read(LookupList::EthnicGroup, params, then),
);

pub(crate) static MARITAL_STATUSES: Endpoint = endpoint(
    "adminplus/lookup/maritalstatus",
    "No marital status' found",
    |params, then| read(LookupList::MaritalStatus, params, then),
);

pub(crate) static GENDERS: Endpoint = endpoint(
    "adminplus/lookup/gender",
    "No genders found",
    |params, then| read(LookupList::Gender, params, then),
);

pub(crate) static LANGUAGES: Endpoint = endpoint(
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
    fn listed(&self) -> PartitionQuery {
        PartitionQuery {
            of: Partition::global(self.collection_and_coverage().0),
            id: self.id,
        }
    }

    /// Returns the collection of the list, and its kind of coverage.
    fn collection_and_coverage(&self) -> (Collection, CoverageKind) {
        match self.list {
            LookupList::EthnicGroup => (Collection::EthnicGroups, CoverageKind::EthnicGroups),
            LookupList::MaritalStatus => {
                (Collection::MaritalStatuses, CoverageKind::MaritalStatuses)
            }
            LookupList::Gender => (Collection::Genders, CoverageKind::Genders),
            LookupList::Language => (Collection::Languages, CoverageKind::Languages),
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
        Sources::new(&[self.collection_and_coverage().0])
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let (of, part) = self.collection_and_coverage();
        reads.require_list(Partition::global(of), part)
    }

    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        self.listed().answer(view, &mut |_, _| Ok(true), out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("id", self.id);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        self.listed().write(&mut |_, _| Ok(true), page)
    }
}
