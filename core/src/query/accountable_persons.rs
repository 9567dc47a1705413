//! Accountable Persons, School Debtors in v1 (section 9, item 8).

use super::accounts;
use super::debtor_code::DebtorCode;
use super::endpoint::{Endpoint, Last, Path};
use super::finance_learners::{push, push_accountable};
use super::integrators::Family;
use super::key_lookup::KeyLookup;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::{Chunks, Members, Wire};
use crate::record::account::{self, Account};
use crate::record::coverage::{Part, Unit};
use crate::record::lanes::RENDERING;
use crate::store::{Collection, Key, Partition, Reader, Sources};

/// Accountable Persons, School Debtors in v1 (section 9, item 8), by id: who
/// pays for learners. All filters must hold.
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
    /// Persons with this debtor code; `007` is `7`.
    pub debtor_code: Option<&'a str>,
    /// One person.
    pub accountable_person_id: Option<u64>,
    /// All persons and all their learners, and not those alone whose accounts are
    /// open: current learners and who is accountable for one, unless the data tells.
    pub all_accounts: bool,
    /// Gives each person an array of the learners it is accountable for.
    pub include_learners: bool,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "accountable_person_id";

pub(super) static ENDPOINT: Endpoint = Endpoint {
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

impl AccountablePersons<'_> {
    fn write(
        &self,
        view: View<'_>,
        wire: Wire,
        walk: &mut Walk,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let accounts = accounts::of(view.snapshot, self.school)?;
        let learners = Partition::of(self.school, Collection::Learners);
        let mut learners = KeyLookup::new(view.snapshot.records(learners)?);
        let code = self.debtor_code.map(DebtorCode::of);
        let persons = Partition::of(self.school, Collection::AccountablePersons);
        let persons = view.snapshot.records(persons)?;
        let (from, to) = match self.accountable_person_id {
            Some(id) => (Key::one(id), Key::one(id)),
            None => (Key::MIN, Key::MAX),
        };
        let Some(keys) = walk.rest(from, to, |[id, ..]| Key::one(*id)) else {
            return Ok(());
        };
        for pinned in walk.runs(&persons, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                let Key(id, _) = run.key(index)?;
                let mut charges = accounts.of_person(id, self.all_accounts).peekable();
                let is_listed = self.all_accounts
                    || account::told_of_person(&run, index)?
                        .unwrap_or_else(|| charges.peek().is_some());
                if !is_listed {
                    continue;
                }
                let rendering = run.record(RENDERING, index)?;
                if let Some(code) = &code
                    && !has_code(rendering, code)?
                {
                    continue;
                }
                if !walk.take([id, 0, 0, 0, 0, 0, 0]) {
                    return Ok(());
                }
                push_accountable(&run, index, wire, out)?;
                if self.include_learners {
                    out.pop();
                    out.push(b",\"learners\":[");
                    let empty = out.len();
                    for charge in charges {
                        if let Some((run, index)) = learners.find(Key::one(charge.learner))? {
                            push(&run, index, &Account::of(&run, index)?, wire, out)?;
                            out.push(b"},");
                        }
                    }
                    if out.len() > empty {
                        out.pop();
                    }
                    out.push(b"]}");
                }
                out.push(b",");
            }
        }
        Ok(())
    }
}

/// Whether the rendering of a person has this debtor code.
fn has_code(rendering: &[u8], code: &DebtorCode) -> Result<bool> {
    for member in Members::of(rendering) {
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
        Sources::of(&[Collection::AccountablePersons]).and_if(
            !self.all_accounts || self.include_learners,
            Sources::of(&[Collection::Learners]),
        )
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let (persons, learners) = if self.all_accounts {
            (Part::AllDebtors, Part::AllAccounts)
        } else {
            (Part::OpenDebtors, Part::OpenAccounts)
        };
        reads.whole(self.school, Unit::of(persons))?;
        if self.include_learners {
            reads.whole(self.school, Unit::of(learners))?;
        }
        Ok(())
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let array = Array::open(out);
        self.write(view, Wire::V1, &mut Walk::whole(), out)?;
        Ok(array.close(out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        if let Some(code) = self.debtor_code {
            DebtorCode::of(code).identify(identity);
        }
        identity.number(ID, self.accountable_person_id);
        identity.flag("all_accounts", self.all_accounts);
        identity.flag("include_learners", self.include_learners);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.write(view, Wire::V2, walk, out)?;
        Ok(Outcome::Found)
    }
}
