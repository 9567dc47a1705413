//! The OpenAPI documents: they correspond to the declarations of the endpoints, every answer of the
//! corpus conforms to them, and they have the parameters that the service documents.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use jsonschema::Validator;
use rollbook_tests::corpus::{Step, cases};
use rollbook_tests::openapi::{documents, operation, text};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_files_are_those_of_the_declarations() {
    for (path, document) in documents() {
        let file = std::fs::read_to_string(&path).unwrap();
        let is_same = file == text(&document);
        assert!(
            is_same,
            "run `cargo run -p rollbook-tests --bin openapi`: {path:?} is another"
        );
    }
}

/// Permits only described members in objects.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (_, member) in members.iter_mut() {
                close(member);
            }
            if members.contains_key("properties") {
                members.insert("unevaluatedProperties".to_owned(), json!(false));
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(close),
        _ => {}
    }
}

/// The validators of the answers to the operations of a document.
struct Answers {
    document: Value,
    validators: BTreeMap<(String, String), Validator>,
}

impl Answers {
    /// Returns what is wrong with an answer, or `None` if the operation is not described.
    fn check(&mut self, request: &rollbook_tests::corpus::Request) -> Option<Result<(), String>> {
        let operation = operation(&mut self.document, request)?.clone();
        let status = request.status.to_string();
        let mut response = &operation["responses"][&status];
        if response.is_null() {
            response = &operation["responses"]["default"];
        }
        if let Some(shared) = response["$ref"].as_str() {
            response = self
                .document
                .pointer(shared.strip_prefix('#').unwrap())
                .unwrap();
        }
        let schema = response["content"]["application/json"]["schema"].clone();
        if schema.is_null() {
            return Some(Ok(()));
        }
        let key = (operation["operationId"].to_string(), status);
        let components = &self.document["components"];
        let validator = self.validators.entry(key).or_insert_with(|| {
            let mut whole = json!({"allOf": [schema], "components": components});
            close(&mut whole["components"]["schemas"]);
            jsonschema::validator_for(&whole).unwrap()
        });
        let answer: Value = serde_json::from_str(&request.answer).unwrap();
        let errors = validator.iter_errors(&answer);
        let errors: Vec<_> = errors
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        Some(if errors.is_empty() {
            Ok(())
        } else {
            Err(errors.join("; "))
        })
    }
}

#[test]
fn answers_have_the_types_of_the_documents() {
    let mut documents: Vec<_> = documents()
        .into_iter()
        .map(|(_, document)| Answers {
            document,
            validators: BTreeMap::new(),
        })
        .collect();
    let (mut checked, mut undescribed) = (0, BTreeSet::new());
    let mut statuses = BTreeSet::new();
    for case in cases() {
        for step in &case.steps {
            let Step::Request(_, request) = step else {
                continue;
            };
            let found = documents
                .iter_mut()
                .find_map(|document| document.check(request));
            match found {
                Some(Ok(())) => checked += 1,
                Some(Err(wrong)) => panic!("{}: {}: {wrong}", case.name, request.target),
                None => {
                    undescribed.insert((request.status, request.target.clone()));
                }
            }
            statuses.insert(request.status);
        }
    }
    println!("{checked} answers of the statuses {statuses:?}");
    assert!(checked > 1_500, "{checked}");
    // Only requests that are refused because of their path, method or id have no operation, and
    // those whose path is written in an unusual form.
    for (status, target) in undescribed {
        let path = target.split('?').next().unwrap();
        let is_otherwise = path.contains('%') || path.ends_with('/');
        let is_refused = [400, 401, 404, 405].contains(&status);
        assert!(is_refused || is_otherwise, "{status}: {target}");
    }
}

/// The parameters of each path of v1, without the version, as the service documents them (section 4
/// and its pages on administration and finance).
const V1: [(&str, &[&str]); 15] = [
    (
        "adminplus/learners/{school_login_id}",
        &[
            "status",
            "since",
            "until",
            "learner_id",
            "grade_id",
            "include_parents",
            "name",
            "family_code",
        ],
    ),
    (
        "currplus/learnerassessmentmarks/{school_login_id}",
        &[
            "learner_id",
            "grade_id",
            "subject_id",
            "year",
            "term",
            "learning_outcome_id",
            "assessment_id",
            "structure",
        ],
    ),
    (
        "currplus/learnersubjectsperterm/{school_login_id}",
        &["learner_id"],
    ),
    (
        "currplus/learnersubjectmarks/{school_login_id}",
        &["learner_id"],
    ),
    (
        "currplus/learnersubjects/{school_login_id}",
        &["learner_id"],
    ),
    ("finplus/debtmanagement/schools", &[]),
    ("settings/clients", &[]),
    (
        "adminplus/learnerabsentees/{school_login_id}",
        &["learner_id", "from_date", "to_date"],
    ),
    (
        "finplus/debtmanagement/learnerparentinfo/{school_login_id}",
        &[
            "learner_id",
            "debtor_code",
            "accountable_person_id",
            "parent_id",
            "all_accounts",
            "include_parents",
            "include_accountable_person",
        ],
    ),
    (
        "finplus/debtmanagement/schooldebtors/{school_login_id}",
        &[
            "debtor_code",
            "accountable_person_id",
            "all_accounts",
            "include_learners",
        ],
    ),
    ("adminplus/parents/{school_login_id}", &["parent_id"]),
    (
        "adminplus/staffmembers/{school_login_id}",
        &["staff_member_id"],
    ),
    ("adminplus/school/{school_login_id}", &[]),
    (
        "adminplus/learnerdiscipline/{school_login_id}",
        &["learner_id", "from_date", "to_date"],
    ),
    ("adminplus/lookup/grade/{school_login_id}", &["grade_id"]),
];

/// The same for v2, for paths whose parameters differ from those of the collection in v1.
const V2: [(&str, &[&str]); 6] = [
    (
        "settings/clientintegrations",
        &[
            "school_id",
            "api_type_id",
            "cursor",
            "limit",
            "reverse_order",
        ],
    ),
    ("adminplus/school", &[]),
    (
        "adminplus/lookup/gender",
        &["cursor", "limit", "reverse_order"],
    ),
    (
        "adminplus/parents",
        &["parent_id", "cursor", "limit", "reverse_order"],
    ),
    ("adminplus/parents/{parent_id}", &[]),
    ("adminplus/learnerabsentees/{id}", &[]),
];

#[test]
fn parameters_are_those_that_are_documented() {
    let documents = documents();
    for ((_, document), version, expected) in [
        (&documents[0], "v1", V1.as_slice()),
        (&documents[1], "v2", V2.as_slice()),
    ] {
        for (path, names) in expected {
            let operation = &document["paths"][format!("/api/{version}/{path}")]["get"];
            let described = operation["parameters"].as_array().unwrap().iter();
            let described = described.filter(|parameter| parameter["in"] == "query");
            let described: BTreeSet<_> =
                described.map(|one| one["name"].as_str().unwrap()).collect();
            assert_eq!(
                described,
                names.iter().copied().collect(),
                "{version}: {path}"
            );
        }
    }
    let paths = |at: usize| documents[at].1["paths"].as_object().unwrap().len();
    assert_eq!((paths(0), paths(1)), (25, 32));
}
