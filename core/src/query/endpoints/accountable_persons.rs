//! Accountable Persons, which v1 calls School Debtors (section 9, item 8).

use super::finance_learners::push;
use crate::error::Result;
use crate::json::TextMembers;
use crate::query::decoded::accounts;
use crate::query::decoded::integrators::Family;
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::filters::debtor_code::DebtorCode;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::stored::account::{self, Account};
use crate::record::stored::columns::RENDERING;
use crate::record::stored::conversions;
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// Accountable Persons, which v1 calls School Debtors (section 9, item 8): the persons who pay
/// for learners, ordered by id. A record must match all filters.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{AccountablePersons, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"accountable_person","school_id":1,"accountable_person_id":40}
/// {"type":"learner","school_id":1,"id":7,"accountable_person_id":40}"#.as_bytes())?;
/// let persons = AccountablePersons { school: 1, ..AccountablePersons::default() };
/// assert_eq!(engine.ask(&persons)?.status.code, 200);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccountablePersons<'a> {
    /// The school's login id.
    pub school: u64,
    /// Selects persons with this debtor code; `007` matches `7`.
    pub debtor_code: Option<&'a str>,
    /// Selects one person.
    pub accountable_person_id: Option<u64>,
    /// Selects all persons and all their learners, instead of only those with open accounts.
    /// Unless the data states otherwise, the accounts of current learners and of the persons
    /// accountable for them are open.
    pub all_accounts: bool,
    /// Adds an array of the learners for whom the person is accountable to each record.
    pub include_learners: bool,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "accountable_person_id";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "accountablepersons",
    v1: Path("finplus/debtmanagement/schooldebtors", Last::SCHOOL),
    v2: Path(
        "finplus/debtmanagement/accountablepersons",
        Last::Optional(ID),
    ),
    family: Some(Family::Finance),
    nothing: "No debtor records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let debtor_code = params.text("debtor_code");
    let persons = AccountablePersons {
        school: params.school(),
        debtor_code: debtor_code.as_deref(),
        accountable_person_id: params.one(ID, true),
        all_accounts: params.boolean("all_accounts"),
        include_learners: params.switch("include_learners"),
    };
    params.ask(&persons, then)
}

impl Question for AccountablePersons<'_> {}

/// Returns true if the pre-rendered record of a person has this debtor code.
fn has_code(rendering: &[u8], code: &DebtorCode) -> Result<bool> {
    for member in TextMembers::new(rendering) {
        let (name, value) = member?;
        if name == b"debtor_code" {
            return Ok(code.is(value));
        }
    }
    Ok(false)
}

impl Query for AccountablePersons<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::new(&[Collection::AccountablePersons]).and_if(
            !self.all_accounts || self.include_learners,
            Sources::new(&[Collection::Learners]),
        )
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let (persons, learners) = if self.all_accounts {
            (CoverageKind::AllDebtors, CoverageKind::AllAccounts)
        } else {
            (CoverageKind::OpenDebtors, CoverageKind::OpenAccounts)
        };
        reads.require(self.school, CoverageKey::new(persons))?;
        if self.include_learners {
            reads.require(self.school, CoverageKey::new(learners))?;
        }
        Ok(())
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        if let Some(code) = self.debtor_code {
            DebtorCode::parse(code).identify(identity);
        }
        identity.number(ID, self.accountable_person_id);
        identity.flag("all_accounts", self.all_accounts);
        identity.flag("include_learners", self.include_learners);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter { view, version, .. } = page;
        let accounts = accounts::read(view.snapshot, self.school)?;
        let learners = Partition::new(self.school, Collection::Learners);
        let mut learners = KeyLookup::new(view.snapshot.records(learners)?);
        let code = self.debtor_code.map(DebtorCode::parse);
        let persons = Partition::new(self.school, Collection::AccountablePersons);
        let keys = Key::range_of(self.accountable_person_id);
        page.write(persons, keys, &mut |Key(id, _), block, index, out| {
            let mut charges = accounts.of_person(id, self.all_accounts).peekable();
            let is_listed = self.all_accounts
                || account::stated_account_state(block, index)?
                    .unwrap_or_else(|| charges.peek().is_some());
            if !is_listed {
                return Ok(());
            }
            if let Some(code) = &code
                && !has_code(block.record(RENDERING, index)?, code)?
            {
                return Ok(());
            }
            conversions::push_record(block, index, version, out)?;
            if self.include_learners {
                out.truncate(out.len() - b"},".len());
                out.push(b",\"learners\":[");
                let empty = out.len();
                for charge in charges {
                    if let Some((block, index)) = learners.find(Key::one(charge.learner))? {
                        push(&block, index, &Account::read(&block, index)?, version, out)?;
                        out.push(b"},");
                    }
                }
                if out.len() > empty {
                    out.pop();
                }
                out.push(b"]},");
            }
            Ok(())
        })
    }
}
