//! The API as documents of [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.0), made from the
//! declarations of the endpoints and the types of the records of both versions.
//!
//! ```
//! let v2 = rollbook::openapi::v2();
//! let learners = &v2["paths"]["/api/v2/adminplus/learners"]["get"];
//! assert_eq!(learners["summary"], "Get Learners");
//! ```

#![expect(
    clippy::indexing_slicing,
    reason = "the indexed values are objects, to which a missing member is added"
)]

use crate::json::ApiVersion;
use crate::query::{ENDPOINTS, Endpoint, Last, ParamForm, SCHOOL_ID};
use crate::records::{v1, v2};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The part of the description of an endpoint that its declaration does not contain.
struct Operation {
    /// The name of the endpoint.
    endpoint: &'static str,
    summary: &'static str,
    /// Returns the schema of v1's answer.
    v1: fn(&mut SchemaGenerator) -> Value,
    /// Returns the schemas of a record of v2 and of a page of them.
    v2: fn(&mut SchemaGenerator) -> [Value; 2],
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn record_and_page<T: JsonSchema>(generator: &mut SchemaGenerator) -> [Value; 2] {
    [
        schema::<T>(generator),
        schema::<v2::Collection<T>>(generator),
    ]
}

const fn list<T1: JsonSchema, T2: JsonSchema>(
    endpoint: &'static str,
    summary: &'static str,
) -> Operation {
    Operation {
        endpoint,
        summary,
        v1: schema::<Vec<T1>>,
        v2: record_and_page::<T2>,
    }
}

static OPERATIONS: [Operation; 19] = [
    list::<v1::Learner, v2::Learner>("learners", "Get Learners"),
    Operation {
        v1: schema::<v1::AssessmentMarks>,
        ..list::<v1::AssessmentMark, v2::AssessmentMark>(
            "learnerassessmentmarks",
            "Get Learner Assessment Marks",
        )
    },
    list::<v1::SubjectPerTerm, v2::SubjectPerTerm>(
        "learnersubjectsperterm",
        "Get Learner Subjects Per Term",
    ),
    list::<v1::SubjectMarks, v2::SubjectMarks>("learnersubjectmarks", "Get Learner Subject Marks"),
    list::<v1::LearnerSubject, v2::LearnerSubject>("learnersubjects", "Get Learner Subjects"),
    list::<v1::School, v2::School>("schools", "Get Schools"),
    list::<v1::Client, v2::ClientIntegration>("clientintegrations", "Get Client Integrations"),
    list::<v1::Absentee, v2::Absentee>("learnerabsentees", "Get Learner Absentees"),
    list::<v1::FinanceLearner, v2::FinanceLearner>("finance learners", "Get Accounts of Learners"),
    list::<v1::AccountablePerson, v2::AccountablePerson>(
        "accountablepersons",
        "Get Accountable Persons",
    ),
    list::<v1::Parent, v2::Parent>("parents", "Get Parents"),
    list::<v1::StaffMember, v2::StaffMember>("staffmembers", "Get Staff Members"),
    Operation {
        v1: schema::<v1::SchoolInfo>,
        ..list::<v1::SchoolInfo, v2::SchoolInfo>("school", "Get School Information")
    },
    list::<v1::Discipline, v2::Discipline>("learnerdiscipline", "Get Learner Discipline"),
    list::<v1::LookupEntry, v2::LookupEntry>("grades", "Get Grades"),
    list::<v1::LookupEntry, v2::LookupEntry>("adminplus/lookup/ethnicgroup", "Get Ethnic Groups"),
    list::<v1::LookupEntry, v2::LookupEntry>(
        "adminplus/lookup/maritalstatus",
        "Get Marital Statuses",
    ),
    list::<v1::LookupEntry, v2::LookupEntry>("adminplus/lookup/gender", "Get Genders"),
    list::<v1::LookupEntry, v2::LookupEntry>("adminplus/lookup/language", "Get Languages"),
];

/// Returns the document of v1 (sections 1 to 5 of the service's documentation).
pub fn v1() -> Value {
    document(ApiVersion::V1)
}

/// Returns the document of v2 (section 9).
pub fn v2() -> Value {
    document(ApiVersion::V2)
}

fn document(version: ApiVersion) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator();
    let refusal = match version {
        ApiVersion::V1 => schema::<v1::Refusal>(&mut generator),
        ApiVersion::V2 => schema::<v2::Refusal>(&mut generator),
    };
    let mut paths = Map::new();
    for endpoint in ENDPOINTS {
        let operation = OPERATIONS.iter().find(|one| one.endpoint == endpoint.name);
        if let Some(operation) = operation {
            add_paths(endpoint, operation, version, &mut generator, &mut paths);
        }
    }
    let refused = |description: &str| {
        json!({
            "description": description,
            "content": {"application/json": {"schema": refusal}},
        })
    };
    let header = |name: &str| json!({"type": "apiKey", "in": "header", "name": name});
    let number = match version {
        ApiVersion::V1 => 1,
        ApiVersion::V2 => 2,
    };
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("The school administration API, v{number}"),
            "description": "Answers to integrators, as Rollbook gives them. It is not affiliated with the service.",
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:8600", "description": "A server on this machine"}],
        "security": [{"username": [], "password": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "username": header("HTTP-X-USERNAME"),
                "password": header("HTTP-X-PASSWORD"),
            },
            "responses": {
                "Invalid": refused("A parameter is invalid, or the body is."),
                "Unauthorised": refused("The credentials are wrong, or the school has not authorised the integrator."),
                "Inactive": refused("The API type is not activated for the school."),
                "Nothing": refused("No record matches."),
                "Refused": refused("The method is not allowed (405), an id was used for another change (409), the body is too long (413), the store failed (500), or the data was not fetched yet (503)."),
            },
            "schemas": generator.take_definitions(true),
        },
    })
}

/// Adds the paths of an endpoint: without its last segment, with it, or both.
fn add_paths(
    endpoint: &Endpoint,
    operation: &Operation,
    version: ApiVersion,
    generator: &mut SchemaGenerator,
    paths: &mut Map<String, Value>,
) {
    let path = endpoint.path(version);
    let [base, last] = match version {
        ApiVersion::V1 => [format!("/api/v1/{}", path.0), "school_login_id".to_owned()],
        ApiVersion::V2 => [format!("/api/v2/{}", path.0), SCHOOL_ID.to_owned()],
    };
    let last = path.1.name().map_or(last, str::to_owned);
    let operation_id = |suffix: &str| format!("{}{suffix}", endpoint.name.replace(['/', ' '], "_"));
    if !matches!(path.1, Last::Needed(_)) {
        let params = query_parameters(endpoint, version, None);
        let answer = match version {
            ApiVersion::V1 => (operation.v1)(generator),
            ApiVersion::V2 => {
                let [record, page] = (operation.v2)(generator);
                if endpoint.is_object { record } else { page }
            }
        };
        let mut item = json!({"get": get(operation, &operation_id(""), &params, &answer)});
        if endpoint.is_settable && version == ApiVersion::V2 {
            for method in ["post", "patch"] {
                item[method] = update(version, method, generator);
            }
        }
        paths.insert(base.clone(), item);
    }
    if path.1 != Last::None {
        let mut params = query_parameters(endpoint, version, Some(0));
        params.insert(0, parameter(&last, "path", true, &integer()));
        let answer = match version {
            ApiVersion::V1 => (operation.v1)(generator),
            ApiVersion::V2 => {
                let [record, _] = (operation.v2)(generator);
                record
            }
        };
        let mut item = json!({"get": get(operation, &operation_id("_by_id"), &params, &answer)});
        if endpoint.is_settable && version == ApiVersion::V1 {
            let mut patch = update(version, "patch", generator);
            patch["parameters"] = json!([parameter(&last, "path", true, &integer())]);
            item["patch"] = patch;
        }
        paths.insert(format!("{base}/{{{last}}}"), item);
    }
}

fn get(operation: &Operation, id: &str, parameters: &[Value], answer: &Value) -> Value {
    json!({
        "summary": operation.summary,
        "operationId": id,
        "parameters": parameters,
        "responses": responses("The records.", answer),
    })
}

/// The state update (4.8).
fn update(version: ApiVersion, method: &str, generator: &mut SchemaGenerator) -> Value {
    let (body, answer, ids) = match version {
        ApiVersion::V1 => (
            json!({
                "type": "object",
                "required": ["state", "api_type_id"],
                "properties": {"state": {"enum": [0, 1]}, "api_type_id": integer()},
            }),
            json!({"type": "array", "maxItems": 0}),
            "api_type",
        ),
        ApiVersion::V2 => (
            json!({
                "type": "object",
                "required": ["school_id", "api_type_id", "state"],
                "properties": {
                    "school_id": integer(),
                    "api_type_id": integer(),
                    "state": {"type": "boolean"},
                },
            }),
            schema::<v2::IntegrationUpdate>(generator),
            "client_integration",
        ),
    };
    let mut responses = responses("The state was changed.", &answer);
    if version == ApiVersion::V1 {
        responses["204"] = json!({"description": "The state was the requested one already."});
    } else {
        responses["400"] = json!({
            "description": "The body is invalid, or the state was the requested one already.",
            "content": {"application/json": {"schema": {"anyOf": [
                schema::<v2::Refusal>(generator),
                answer,
            ]}}},
        });
    }
    json!({
        "summary": "Update Integration State",
        "operationId": format!("{method}_{ids}_state"),
        "requestBody": {
            "required": true,
            "content": {"application/json": {"schema": body}},
        },
        "responses": responses,
    })
}

fn responses(description: &str, answer: &Value) -> Value {
    let refused = |name: &str| json!({"$ref": format!("#/components/responses/{name}")});
    json!({
        "200": {
            "description": description,
            "content": {"application/json": {"schema": answer}},
        },
        "400": refused("Invalid"),
        "401": refused("Unauthorised"),
        "403": refused("Inactive"),
        "404": refused("Nothing"),
        "default": refused("Refused"),
    })
}

/// Returns the parameters of a request for all records, or for the one whose id is in the path.
fn query_parameters(endpoint: &Endpoint, version: ApiVersion, id: Option<u64>) -> Vec<Value> {
    let mut parameters = Vec::new();
    if version == ApiVersion::V2 && endpoint.family.is_some() {
        parameters.push(parameter("HTTP-X-SCHOOLID", "header", true, &integer()));
    }
    let is_one = version == ApiVersion::V2 && id.is_some();
    let (params, _) = endpoint.describe(version, id.filter(|_| is_one), "");
    for param in params.iter().filter(|param| !(is_one && param.is_path)) {
        let mut described = parameter(param.name, "query", param.is_required, &form(param.form));
        match param.form {
            ParamForm::Integers => described["explode"] = json!(false),
            ParamForm::Switch => described["allowEmptyValue"] = json!(true),
            _ => {}
        }
        parameters.push(described);
    }
    if version == ApiVersion::V2 && !is_one && !endpoint.is_object {
        let limit = json!({"type": "integer", "minimum": 1});
        for (name, schema) in [
            ("cursor", json!({"type": "string"})),
            ("limit", limit),
            ("reverse_order", form(ParamForm::Boolean)),
        ] {
            parameters.push(parameter(name, "query", false, &schema));
        }
    }
    parameters
}

fn parameter(name: &str, place: &str, is_required: bool, schema: &Value) -> Value {
    json!({"name": name, "in": place, "required": is_required, "schema": schema})
}

fn integer() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": u64::MAX})
}

fn form(form: ParamForm) -> Value {
    match form {
        ParamForm::Integer => integer(),
        ParamForm::Integers => json!({"type": "array", "items": integer()}),
        ParamForm::Date => json!({"type": "string", "format": "date"}),
        ParamForm::Boolean | ParamForm::Switch => json!({"type": "boolean"}),
        ParamForm::Choice(words) => json!({"enum": words}),
        ParamForm::Text => json!({"type": "string"}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_endpoint_has_an_operation() {
        let described: BTreeSet<_> = OPERATIONS.iter().map(|one| one.endpoint).collect();
        let names: BTreeSet<_> = ENDPOINTS.iter().map(|endpoint| endpoint.name).collect();
        assert_eq!(described, names);
    }

    #[test]
    fn operation_ids_are_unique() {
        for document in [v1(), v2()] {
            let mut names = BTreeSet::new();
            for path in document["paths"].as_object().into_iter().flatten() {
                for (method, operation) in path.1.as_object().into_iter().flatten() {
                    let name = operation["operationId"].as_str().unwrap_or_default();
                    assert!(names.insert(name.to_owned()), "{method} {}: {name}", path.0);
                }
            }
        }
    }
}
