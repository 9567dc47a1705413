//! The parameters of the finance family and of the client integrations.

use super::World;
use super::ids::{ACCOUNTABLE, API_TYPES, LEARNERS, PARENTS, SCHOOL_IDS};
use super::queries::Query;
use super::texts::DEBTOR_CODES;

impl World {
    /// Returns the parameters of Learner Parent Info, in v2 the learners of the finance family.
    pub(super) fn finance_learners_query(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 12, "learner_id", &LEARNERS);
        self.debtor_code(&mut query, 12);
        self.sometimes(&mut query, 12, "accountable_person_id", &ACCOUNTABLE);
        self.sometimes(&mut query, 12, "parent_id", &PARENTS[..3]);
        self.all_accounts(&mut query);
        for name in ["include_parents", "include_accountable_person"] {
            self.included(&mut query, name);
        }
        let names = [
            "learner_id",
            "accountable_person_id",
            "parent_id",
            "all_accounts",
        ];
        self.spoil(&mut query, &names);
        query
    }

    /// Returns the parameters of School Debtors, in v2 Accountable Persons.
    pub(super) fn accountable_persons_query(&mut self) -> Query {
        let mut query = Query::new();
        self.debtor_code(&mut query, 15);
        self.sometimes(&mut query, 15, "accountable_person_id", &ACCOUNTABLE);
        self.all_accounts(&mut query);
        self.included(&mut query, "include_learners");
        self.spoil(&mut query, &["accountable_person_id", "all_accounts"]);
        query
    }

    /// Returns the parameters of the client integrations of v2.
    pub(super) fn integrations_query(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 30, "school_id", &SCHOOL_IDS);
        let types = API_TYPES.map(|(id, _)| id);
        self.sometimes(&mut query, 20, "api_type_id", &types);
        self.spoil(&mut query, &["school_id", "api_type_id"]);
        query
    }

    fn debtor_code(&mut self, query: &mut Query, percent: usize) {
        if self.dice.chance(percent) {
            let code = self.dice.weighted(&DEBTOR_CODES);
            query.push(("debtor_code", code.to_owned()));
        }
    }

    fn all_accounts(&mut self, query: &mut Query) {
        if self.dice.chance(50) {
            let value = self.dice.pick(&["1", "true", "TRUE", "0", "False", ""]);
            query.push(("all_accounts", value.to_owned()));
        }
    }

    fn included(&mut self, query: &mut Query, name: &'static str) {
        if self.dice.chance(30) {
            let value = self
                .dice
                .pick(&["", "1", "true", "yes", "x", "0", "False", "NO", "00"]);
            query.push((name, value.to_owned()));
        }
    }
}
