//! Learners of the finance family: Learner Parent Info in v1, Learners in v2 (section 9, items
//! 8 and 9).

use super::learner_subjects::{names_of, push_typed_names};
use crate::error::{Error, Result};
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::decoded::integrators::Family;
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::filters::debtor_code::DebtorCode;
use crate::query::lists::learner_parents;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::kinds::learner::{PARENT1_COLUMN, PARENT2_COLUMN};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::stored::account::Account;
use crate::record::stored::columns::RENDERING;
use crate::record::stored::conversions;
use crate::store::{Block, Collection, Key, Partition, Reader, Sources};

/// Learners of the finance family (section 9, items 8 and 9), ordered by id, with their
/// account, their parents and the accountable person. A record must match all filters.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, FinanceLearners, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"learner","school_id":1,"id":7,"debtor_code":"1001"}"#[..])?;
/// let account = FinanceLearners { school: 1, debtor_code: Some("1001"), ..Default::default() };
/// assert!(engine.ask(&account)?.text().starts_with(r#"[{"learner_id":"7","#));
/// assert!(engine.find(&account)?.text().starts_with(r#"{"learner_id":7,"first_name":null,"#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FinanceLearners<'a> {
    /// The school's login id.
    pub school: u64,
    /// Selects one learner.
    pub learner_id: Option<u64>,
    /// Selects learners with this debtor code; `007` matches `7`.
    pub debtor_code: Option<&'a str>,
    /// Selects learners for whom this person is accountable.
    pub accountable_person_id: Option<u64>,
    /// Selects learners of this parent.
    pub parent_id: Option<u64>,
    /// Selects all learners, instead of only those with open accounts. Unless the data states
    /// otherwise, the accounts of current learners are open.
    pub all_accounts: bool,
    /// Adds an array of the parents (2.2) to each learner.
    pub include_parents: bool,
    /// Adds the accountable person to each learner.
    pub include_accountable_person: bool,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "learner_id";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "finance learners",
    v1: Path("finplus/debtmanagement/learnerparentinfo", Last::SCHOOL),
    v2: Path("finplus/debtmanagement/learners", Last::Optional(ID)),
    family: Some(Family::Finance),
    has_parents: true,
    nothing: "No learner records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let learner_id = params.one(ID, true);
    let debtor_code = params.text("debtor_code");
    let learners = FinanceLearners {
        school: params.school(),
        learner_id,
        debtor_code: debtor_code.as_deref(),
        accountable_person_id: params.id("accountable_person_id"),
        parent_id: params.id("parent_id"),
        all_accounts: params.boolean("all_accounts"),
        include_parents: params.switch("include_parents"),
        include_accountable_person: params.switch("include_accountable_person"),
    };
    params.ask(&learners, then)
}

impl Question for FinanceLearners<'_> {}

impl FinanceLearners<'_> {
    fn takes(
        &self,
        block: &Block<'_>,
        index: usize,
        account: &Account<'_>,
        code: Option<&DebtorCode>,
    ) -> Result<bool> {
        let filter_column = |column| block.filter_column(column, index);
        Ok((self.all_accounts || account.is_open)
            && code.is_none_or(|wanted| wanted.is(account.debtor_code))
            && (self.accountable_person_id.is_none()
                || account.accountable_person() == self.accountable_person_id)
            && (self.parent_id.is_none()
                || filter_column(PARENT1_COLUMN)? == self.parent_id
                || filter_column(PARENT2_COLUMN)? == self.parent_id))
    }
}

impl Query for FinanceLearners<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn learner(&self) -> Option<u64> {
        self.learner_id
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        const PERSONS: Sources = Sources::new(&[Collection::AccountablePersons]);
        Sources::new(&[Collection::Learners])
            .and_if(self.include_parents, Sources::new(&[Collection::Parents]))
            .and_if(self.include_accountable_person, PERSONS)
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        reads.require(
            self.school,
            CoverageKey::new(if self.all_accounts {
                CoverageKind::AllAccounts
            } else {
                CoverageKind::OpenAccounts
            }),
        )?;
        if self.include_parents {
            // The service answers with the parents of learners who left only next to all
            // accounts.
            for part in [CoverageKind::LearnersParents, CoverageKind::AllAccounts] {
                reads.require(self.school, CoverageKey::new(part))?;
            }
        }
        if self.include_accountable_person {
            reads.require(self.school, CoverageKey::new(CoverageKind::AllDebtors))?;
        }
        Ok(())
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.learner_id);
        if let Some(code) = self.debtor_code {
            DebtorCode::parse(code).identify(identity);
        }
        identity.number("accountable_person_id", self.accountable_person_id);
        identity.number("parent_id", self.parent_id);
        identity.flag("all_accounts", self.all_accounts);
        identity.flag("include_parents", self.include_parents);
        identity.flag(
            "include_accountable_person",
            self.include_accountable_person,
        );
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter { view, version, .. } = page;
        let mut parents = learner_parents::open(view, self.school, self.include_parents)?;
        let code = self.debtor_code.map(DebtorCode::parse);
        let mut persons = None;
        if self.include_accountable_person {
            let all = Partition::new(self.school, Collection::AccountablePersons);
            persons = Some(KeyLookup::new(view.snapshot.records(all)?));
        }
        let learners = Partition::new(self.school, Collection::Learners);
        let keys = Key::range_of(self.learner_id);
        page.write(learners, keys, &mut |_, block, index, out| {
            let account = Account::read(block, index)?;
            if !self.takes(block, index, &account, code.as_ref())? {
                return Ok(());
            }
            push(block, index, &account, version, out)?;
            if let Some(parents) = &mut parents {
                out.push(b",\"parents\":");
                learner_parents::push(block, index, parents, version, out)?;
            }
            if let Some(persons) = &mut persons {
                push_person(account.accountable_person(), persons, version, out)?;
            }
            out.push(b"},");
            Ok(())
        })
    }
}

/// Writes a learner's account, without the end of the object.
pub(crate) fn push(
    block: &Block<'_>,
    index: usize,
    account: &Account<'_>,
    version: ApiVersion,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    out.push(b"{\"learner_id\":");
    match version {
        ApiVersion::V1 => {
            let names = block.record(RENDERING, index)?.get(names_of(block, index)?);
            out.push(names.ok_or_else(|| Error::corrupt("a learner is truncated"))?);
        }
        ApiVersion::V2 => push_typed_names(block, index, out)?,
    }
    out.push(b",\"gender\":");
    version.push_text(out, account.gender);
    out.push(b",\"grade\":");
    version.push_text(out, account.grade);
    out.push(b",\"debtor_code\":");
    version.push_text(out, account.debtor_code);
    out.push(b",\"parent1_id\":");
    version.push_reference(out, account.parent1_id);
    out.push(b",\"parent2_id\":");
    version.push_reference(out, account.parent2_id);
    out.push(b",\"accountable_person_id\":");
    version.push_reference(out, account.accountable_person_id);
    Ok(())
}

/// Writes the accountable person as a member. If there is none, v1 has no such member, and v2
/// has null.
fn push_person(
    id: Option<u64>,
    persons: &mut KeyLookup<'_>,
    version: ApiVersion,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let found = match id {
        Some(id) => persons.find(Key::one(id))?,
        None => None,
    };
    let member = b",\"accountable_person\":";
    match (found, version) {
        (Some((block, index)), version) => {
            out.push(member);
            conversions::push_record(&block, index, version, out)?;
            out.pop();
        }
        (None, ApiVersion::V1) => {}
        (None, ApiVersion::V2) => {
            out.push(member);
            out.push(b"null");
        }
    }
    Ok(())
}
