//! The endpoints: where they are, how often they are asked, and with which parameters.

use super::World;
use super::ids::{
    ABSENTEES, ACCOUNTABLE, DISCIPLINE, GRADES, LEARNERS, LOOKUPS, PARENTS, SCHOOL_IDS, STAFF,
};
use super::queries::Query;

/// An endpoint as it is asked.
#[derive(Debug)]
pub struct Endpoint {
    /// Its path below `/api/v1`, before the school.
    pub v1: &'static str,
    /// Its path below `/api/v2`.
    pub v2: &'static str,
    /// How often it is asked in v1, and in v2.
    pub(super) weights: [usize; 2],
    /// Its requests are about one school.
    pub(super) of_school: bool,
    /// Ids of records that v2's path may name, and v1's too if no school is.
    pub(super) ids: &'static [u64],
    /// Parameters, mostly good ones.
    pub(super) query: fn(&mut World) -> Query,
    /// Parameters with which the collection has many records.
    pub(super) wide: fn(&mut World) -> Query,
}

/// All of them.
pub static ENDPOINTS: [Endpoint; 19] = [
    Endpoint {
        v1: "adminplus/learners",
        v2: "adminplus/learners",
        weights: [26, 20],
        of_school: true,
        ids: &LEARNERS,
        query: World::learners_query,
        wide: World::families,
    },
    Endpoint {
        v1: "currplus/learnerassessmentmarks",
        v2: "currplus/learnerassessmentmarks",
        weights: [24, 16],
        of_school: true,
        ids: &[],
        query: World::assessment_marks_query,
        wide: World::whole_grade,
    },
    Endpoint {
        v1: "currplus/learnersubjectsperterm",
        v2: "currplus/learnersubjectsperterm",
        weights: [9, 8],
        of_school: true,
        ids: &[],
        query: World::one_learner_query,
        wide: World::one_learner,
    },
    Endpoint {
        v1: "currplus/learnersubjectmarks",
        v2: "currplus/learnersubjectmarks",
        weights: [9, 8],
        of_school: true,
        ids: &[],
        query: World::one_learner_query,
        wide: World::one_learner,
    },
    Endpoint {
        v1: "currplus/learnersubjects",
        v2: "currplus/learnersubjects",
        weights: [9, 9],
        of_school: true,
        ids: &[],
        query: World::learner_subjects_query,
        wide: nothing,
    },
    Endpoint {
        v1: "finplus/debtmanagement/schools",
        v2: "finplus/debtmanagement/schools",
        weights: [5, 6],
        of_school: false,
        ids: &SCHOOL_IDS,
        query: nothing,
        wide: nothing,
    },
    Endpoint {
        v1: "settings/clients",
        v2: "settings/clientintegrations",
        weights: [10, 8],
        of_school: false,
        ids: &[],
        query: World::integrations_query,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/learnerabsentees",
        v2: "adminplus/learnerabsentees",
        weights: [10, 13],
        of_school: true,
        ids: &ABSENTEES,
        query: World::absentees_query,
        wide: nothing,
    },
    Endpoint {
        v1: "finplus/debtmanagement/learnerparentinfo",
        v2: "finplus/debtmanagement/learners",
        weights: [8, 12],
        of_school: true,
        ids: &LEARNERS,
        query: World::finance_learners_query,
        wide: World::accounts,
    },
    Endpoint {
        v1: "finplus/debtmanagement/schooldebtors",
        v2: "finplus/debtmanagement/accountablepersons",
        weights: [7, 10],
        of_school: true,
        ids: &ACCOUNTABLE,
        query: World::accountable_persons_query,
        wide: every_account,
    },
    Endpoint {
        v1: "adminplus/parents",
        v2: "adminplus/parents",
        weights: [9, 10],
        of_school: true,
        ids: &PARENTS,
        query: World::parents_query,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/staffmembers",
        v2: "adminplus/staffmembers",
        weights: [8, 9],
        of_school: true,
        ids: &STAFF,
        query: World::staff_query,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/school",
        v2: "adminplus/school",
        weights: [6, 5],
        of_school: true,
        ids: &[],
        query: nothing,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/learnerdiscipline",
        v2: "adminplus/learnerdiscipline",
        weights: [8, 10],
        of_school: true,
        ids: &DISCIPLINE,
        query: World::absentees_query,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/lookup/grade",
        v2: "adminplus/lookup/grade",
        weights: [6, 6],
        of_school: true,
        ids: &GRADES,
        query: World::grades_query,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/lookup/ethnicgroup",
        v2: "adminplus/lookup/ethnicgroup",
        weights: [3, 3],
        of_school: false,
        ids: &LOOKUPS,
        query: nothing,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/lookup/maritalstatus",
        v2: "adminplus/lookup/maritalstatus",
        weights: [3, 3],
        of_school: false,
        ids: &LOOKUPS,
        query: nothing,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/lookup/gender",
        v2: "adminplus/lookup/gender",
        weights: [3, 3],
        of_school: false,
        ids: &LOOKUPS,
        query: nothing,
        wide: nothing,
    },
    Endpoint {
        v1: "adminplus/lookup/language",
        v2: "adminplus/lookup/language",
        weights: [3, 3],
        of_school: false,
        ids: &LOOKUPS,
        query: nothing,
        wide: nothing,
    },
];

impl World {
    fn families(&mut self) -> Query {
        let mut query = Query::new();
        if self.dice.chance(40) {
            query.push(("include_parents", "1".to_owned()));
        }
        query
    }

    fn accounts(&mut self) -> Query {
        let mut query = every_account(self);
        query.extend(self.families());
        query
    }

    fn whole_grade(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 100, "grade_id", &GRADES[..2]);
        if self.dice.chance(50) {
            query.push(("structure", "1".to_owned()));
        }
        query
    }

    fn one_learner(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 100, "learner_id", &LEARNERS);
        query
    }

    /// One of the endpoints, as often as they are asked in v1 or in v2.
    pub(super) fn endpoint(&mut self, version: usize) -> &'static Endpoint {
        let weights = ENDPOINTS
            .iter()
            .map(|endpoint| (endpoint.weights[version - 1], endpoint));
        self.dice.weighted(&weights.collect::<Vec<_>>())
    }
}

fn nothing(_: &mut World) -> Query {
    Query::new()
}

fn every_account(_: &mut World) -> Query {
    vec![("all_accounts", "1".to_owned())]
}
