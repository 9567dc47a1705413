//! The endpoints: their paths, how often they are requested, and their parameters.

use super::World;
use super::ids::{
    ABSENTEES, ACCOUNTABLE, DISCIPLINE, GRADES, LEARNERS, LOOKUPS, PARENTS, SCHOOL_IDS, STAFF,
};
use super::queries::Query;

/// How the requests for an endpoint are made.
#[derive(Debug)]
pub struct Endpoint {
    /// The path below `/api/v1`, before the school.
    pub v1: &'static str,
    /// The path below `/api/v2`.
    pub v2: &'static str,
    /// The relative frequencies of requests in v1 and in v2.
    pub(super) weights: [usize; 2],
    /// Whether a request is for one school.
    pub(super) of_school: bool,
    /// Ids of records for the path of v2, and for that of v1 if its path contains no school.
    pub ids: &'static [u64],
    /// Returns parameters, most of which are valid.
    pub(super) query: fn(&mut World) -> Query,
    /// Returns parameters for which the collection has many records.
    pub(super) wide: fn(&mut World) -> Query,
    /// The ends of the example targets in v1 and in v2, for the sample schools or a generated one.
    /// Together they use the endpoint in each possible way.
    examples: [&'static [&'static str]; 2],
    /// The fields that determine the position of a record in v2's collection.
    pub place: &'static [&'static str],
    /// Parameters of collections of random schools, all of which are walked.
    pub walks: &'static [&'static str],
}

const ASSESSMENT: [&str; 7] = [
    "grade_id",
    "year",
    "term",
    "learner_id",
    "subject_id",
    "learning_outcome_id",
    "assessment_id",
];

/// All endpoints that answer GET requests.
pub static ENDPOINTS: [Endpoint; 19] = [
    Endpoint {
        weights: [26, 20],
        ids: &LEARNERS,
        query: World::learners_query,
        wide: World::families,
        examples: [
            &[
                "",
                "?include_parents=1&grade_id=1,2,3,7,9",
                "?name=an&family_code=",
                "?status=left&since=2026-01-01",
                "?learner_id={learner}",
            ],
            &[
                "?limit=50",
                "?limit=3&reverse_order=1&include_parents=1",
                "?name=an",
                "/1?include_parents=1",
            ],
        ],
        walks: &[
            "",
            "include_parents&grade_id=9,10",
            "status=left&since=2025-05-14&until=2026-05-14",
        ],
        ..Endpoint::of_school("adminplus/learners")
    },
    Endpoint {
        weights: [24, 16],
        query: World::assessment_marks_query,
        wide: World::whole_grade,
        examples: [
            &[
                "?grade_id=9",
                "?grade_id=7&structure=1",
                "?learner_id={learner}",
                "?learner_id={learner}&term=1",
            ],
            &["?grade_id=9&limit=50", "?learner_id=1&reverse_order=1"],
        ],
        place: &ASSESSMENT,
        walks: &["grade_id=9", "grade_id=10&structure=1", "learner_id=10"],
        ..Endpoint::of_school("currplus/learnerassessmentmarks")
    },
    Endpoint {
        weights: [9, 8],
        query: World::one_learner_query,
        wide: World::one_learner,
        examples: [&["?learner_id={learner}"], &["?learner_id=1"]],
        place: &["subject_id"],
        walks: &["learner_id=2"],
        ..Endpoint::of_school("currplus/learnersubjectsperterm")
    },
    Endpoint {
        weights: [9, 8],
        query: World::one_learner_query,
        wide: World::one_learner,
        examples: [&["?learner_id={learner}"], &["?learner_id=1"]],
        place: &["subject_id"],
        walks: &["learner_id=2"],
        ..Endpoint::of_school("currplus/learnersubjectmarks")
    },
    Endpoint {
        weights: [9, 9],
        query: World::learner_subjects_query,
        examples: [&["", "?learner_id=2"], &["?limit=50"]],
        place: &["learner_id", "subject_id"],
        ..Endpoint::of_school("currplus/learnersubjects")
    },
    Endpoint {
        weights: [5, 6],
        ids: &SCHOOL_IDS,
        examples: [&[""], &["", "/1000"]],
        place: &["school_id"],
        ..Endpoint::of_all("finplus/debtmanagement/schools")
    },
    Endpoint {
        v2: "settings/clientintegrations",
        weights: [10, 8],
        query: World::integrations_query,
        examples: [&["", "/{school}"], &[""]],
        place: &["school_id", "api_type_id"],
        ..Endpoint::of_all("settings/clients")
    },
    Endpoint {
        weights: [10, 13],
        ids: &ABSENTEES,
        query: World::absentees_query,
        examples: [
            &[
                "?from_date=2026-05-01&to_date=2026-05-31",
                "?from_date=2026-04-20&to_date=2026-05-20",
            ],
            &["?from_date=2026-04-20&to_date=2026-05-20", "/399919"],
        ],
        place: &["absent_date", "id"],
        walks: &["", "from_date=2026-04-14&to_date=2026-05-15"],
        ..Endpoint::of_school("adminplus/learnerabsentees")
    },
    Endpoint {
        v2: "finplus/debtmanagement/learners",
        weights: [8, 12],
        ids: &LEARNERS,
        query: World::finance_learners_query,
        wide: World::accounts,
        examples: [
            &["?include_parents=1&include_accountable_person=1"],
            &["?include_parents=1&include_accountable_person=1&limit=50"],
        ],
        place: &["learner_id"],
        walks: &["all_accounts=1&include_parents&include_accountable_person"],
        ..Endpoint::of_school("finplus/debtmanagement/learnerparentinfo")
    },
    Endpoint {
        v2: "finplus/debtmanagement/accountablepersons",
        weights: [7, 10],
        ids: &ACCOUNTABLE,
        query: World::accountable_persons_query,
        wide: every_account,
        examples: [
            &["?include_learners=1&all_accounts=1"],
            &[
                "?include_learners=1&all_accounts=1",
                "/42?include_learners=1",
            ],
        ],
        place: &["accountable_person_id"],
        walks: &["include_learners", "all_accounts=true"],
        ..Endpoint::of_school("finplus/debtmanagement/schooldebtors")
    },
    Endpoint {
        weights: [9, 10],
        ids: &PARENTS,
        query: World::parents_query,
        examples: [&[""], &["?limit=50"]],
        ..Endpoint::of_school("adminplus/parents")
    },
    Endpoint {
        weights: [8, 9],
        ids: &STAFF,
        query: World::staff_query,
        examples: [&[""], &["", "/22"]],
        ..Endpoint::of_school("adminplus/staffmembers")
    },
    Endpoint {
        weights: [6, 5],
        place: &[],
        walks: &[],
        ..Endpoint::of_school("adminplus/school")
    },
    Endpoint {
        weights: [8, 10],
        ids: &DISCIPLINE,
        query: World::absentees_query,
        examples: [
            &[
                "?from_date=2026-05-01&to_date=2026-05-31",
                "?from_date=2026-04-20&to_date=2026-05-20",
            ],
            &["?from_date=2026-04-20&to_date=2026-05-20", "/5211"],
        ],
        place: &["discipline_date", "id"],
        ..Endpoint::of_school("adminplus/learnerdiscipline")
    },
    Endpoint {
        weights: [6, 6],
        ids: &GRADES,
        query: World::grades_query,
        examples: [&[""], &["?reverse_order=1"]],
        ..Endpoint::of_school("adminplus/lookup/grade")
    },
    Endpoint {
        ids: &LOOKUPS,
        ..Endpoint::of_all("adminplus/lookup/ethnicgroup")
    },
    Endpoint {
        ids: &LOOKUPS,
        ..Endpoint::of_all("adminplus/lookup/maritalstatus")
    },
    Endpoint {
        ids: &LOOKUPS,
        ..Endpoint::of_all("adminplus/lookup/gender")
    },
    Endpoint {
        ids: &LOOKUPS,
        ..Endpoint::of_all("adminplus/lookup/language")
    },
];

impl Endpoint {
    const fn of_school(path: &'static str) -> Endpoint {
        Endpoint {
            of_school: true,
            ..Endpoint::of_all(path)
        }
    }

    const fn of_all(path: &'static str) -> Endpoint {
        Endpoint {
            v1: path,
            v2: path,
            weights: [3, 3],
            of_school: false,
            ids: &[],
            query: nothing,
            wide: nothing,
            examples: [&[""], &[""]],
            place: &["id"],
            walks: &[""],
        }
    }

    /// Returns example targets of v1 for a school and one of its learners.
    pub fn v1_examples(&self, school: u64, learner: u64) -> impl Iterator<Item = String> {
        let of = if self.of_school { "/{school}" } else { "" };
        let target = move |rest: &&str| {
            format!("/api/v1/{}{of}{rest}", self.v1)
                .replace("{school}", &school.to_string())
                .replace("{learner}", &learner.to_string())
        };
        self.examples[0].iter().map(target)
    }

    /// Returns example targets of v2.
    pub fn v2_examples(&self) -> impl Iterator<Item = String> {
        let target = |rest: &&str| format!("/api/v2/{}{rest}", self.v2);
        self.examples[1].iter().map(target)
    }
}

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

    /// Returns one of the endpoints, according to their frequencies in this version.
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
