//! Learners of the finance family: Learner Parent Info in v1, Learners in v2
//! (section 9, items 8 and 9).

use super::debtor_code::DebtorCode;
use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::key_lookup::KeyLookup;
use super::learner_subjects::{names_of, push_typed_names};
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View, learner_parents};
use crate::error::{Error, Result};
use crate::json::{Chunks, Wire};
use crate::record::account::Account;
use crate::record::coverage::{Part, Unit};
use crate::record::lanes::RENDERING;
use crate::record::learner::{PARENT1_TAG, PARENT2_TAG};
use crate::record::typed;
use crate::store::{Collection, Key, Partition, Reader, Run, Sources};

/// Learners of the finance family (section 9, items 8 and 9), by id: who they
/// are, their account, their parents and the person accountable. All filters
/// must hold.
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
    /// One learner.
    pub learner_id: Option<u64>,
    /// Learners with this debtor code; `007` is `7`.
    pub debtor_code: Option<&'a str>,
    /// Learners for whom this person is accountable.
    pub accountable_person_id: Option<u64>,
    /// Learners of this parent.
    pub parent_id: Option<u64>,
    /// All learners, and not those alone whose accounts are open: the current ones,
    /// unless the data tells.
    pub all_accounts: bool,
    /// Gives each learner an array of its parents (2.2).
    pub include_parents: bool,
    /// Gives each learner the person accountable for it.
    pub include_accountable_person: bool,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "learner_id";

pub(super) static ENDPOINT: Endpoint = Endpoint {
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
        run: &Run<'_>,
        index: usize,
        account: &Account<'_>,
        code: Option<&DebtorCode>,
    ) -> Result<bool> {
        let tag = |tag| run.tag(tag, index);
        Ok((self.all_accounts || account.is_open)
            && code.is_none_or(|wanted| wanted.is(account.debtor_code))
            && (self.accountable_person_id.is_none()
                || account.accountable_person() == self.accountable_person_id)
            && (self.parent_id.is_none()
                || tag(PARENT1_TAG)? == self.parent_id
                || tag(PARENT2_TAG)? == self.parent_id))
    }

    fn write(
        &self,
        view: View<'_>,
        wire: Wire,
        walk: &mut Walk,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let mut parents = learner_parents::of(view, self.school, self.include_parents)?;
        let code = self.debtor_code.map(DebtorCode::of);
        let mut persons = None;
        if self.include_accountable_person {
            let all = Partition::of(self.school, Collection::AccountablePersons);
            persons = Some(KeyLookup::new(view.snapshot.records(all)?));
        }
        let learners = Partition::of(self.school, Collection::Learners);
        let learners = view.snapshot.records(learners)?;
        let (from, to) = match self.learner_id {
            Some(id) => (Key::one(id), Key::one(id)),
            None => (Key::MIN, Key::MAX),
        };
        let Some(keys) = walk.rest(from, to, |[id, ..]| Key::one(*id)) else {
            return Ok(());
        };
        for pinned in walk.runs(&learners, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                let account = Account::of(&run, index)?;
                if !self.takes(&run, index, &account, code.as_ref())? {
                    continue;
                }
                let Key(id, _) = run.key(index)?;
                if !walk.take([id, 0, 0, 0, 0, 0, 0]) {
                    return Ok(());
                }
                push(&run, index, &account, wire, out)?;
                if let Some(parents) = &mut parents {
                    out.push(b",\"parents\":");
                    learner_parents::push(&run, index, parents, wire, out)?;
                }
                if let Some(persons) = &mut persons {
                    push_person(account.accountable_person(), persons, wire, out)?;
                }
                out.push(b"},");
            }
        }
        Ok(())
    }
}

impl Query for FinanceLearners<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        const PERSONS: Sources = Sources::of(&[Collection::AccountablePersons]);
        Sources::of(&[Collection::Learners])
            .and_if(self.include_parents, Sources::of(&[Collection::Parents]))
            .and_if(self.include_accountable_person, PERSONS)
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        reads.whole(
            self.school,
            Unit::of(if self.all_accounts {
                Part::AllAccounts
            } else {
                Part::OpenAccounts
            }),
        )?;
        if self.include_parents {
            reads.whole(self.school, Unit::of(Part::LearnersParents))?;
        }
        if self.include_accountable_person {
            let persons = [Part::AllDebtors, Part::LearnersDebtors].map(Unit::of);
            reads.any(self.school, &persons)?;
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
        identity.number(ID, self.learner_id);
        if let Some(code) = self.debtor_code {
            DebtorCode::of(code).identify(identity);
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

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        self.write(view, Wire::V2, walk, out)?;
        Ok(Outcome::Found)
    }
}

/// A learner's account, without the end of the object.
pub(super) fn push(
    run: &Run<'_>,
    index: usize,
    account: &Account<'_>,
    wire: Wire,
    out: &mut Chunks<'_>,
) -> Result<()> {
    out.push(b"{\"learner_id\":");
    match wire {
        Wire::V1 => {
            let names = run.record(RENDERING, index)?.get(names_of(run, index)?);
            out.push(names.ok_or_else(|| Error::corrupt("a learner is cut"))?);
        }
        Wire::V2 => push_typed_names(run, index, out)?,
    }
    out.push(b",\"gender\":");
    wire.push_text(out, account.gender);
    out.push(b",\"grade\":");
    wire.push_text(out, account.grade);
    out.push(b",\"debtor_code\":");
    wire.push_text(out, account.debtor_code);
    out.push(b",\"parent1_id\":");
    wire.push_reference(out, account.parent1_id);
    out.push(b",\"parent2_id\":");
    wire.push_reference(out, account.parent2_id);
    out.push(b",\"accountable_person_id\":");
    wire.push_reference(out, account.accountable_person_id);
    Ok(())
}

/// The person accountable, as a member. Without one v1 has no member.
fn push_person(
    id: Option<u64>,
    persons: &mut KeyLookup<'_>,
    wire: Wire,
    out: &mut Chunks<'_>,
) -> Result<()> {
    let found = match id {
        Some(id) => persons.find(Key::one(id))?,
        None => None,
    };
    let member = b",\"accountable_person\":";
    match (found, wire) {
        (Some((run, index)), wire) => {
            out.push(member);
            push_accountable(&run, index, wire, out)?;
        }
        (None, Wire::V1) => {}
        (None, Wire::V2) => {
            out.push(member);
            out.push(b"null");
        }
    }
    Ok(())
}

/// An accountable person's record.
pub(super) fn push_accountable(
    run: &Run<'_>,
    index: usize,
    wire: Wire,
    out: &mut Chunks<'_>,
) -> Result<()> {
    match wire {
        Wire::V1 => out.push(run.record(RENDERING, index)?),
        Wire::V2 => {
            typed::push_record(run, index, out)?;
            out.pop();
        }
    }
    Ok(())
}
