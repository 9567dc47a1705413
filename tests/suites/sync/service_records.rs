//! The records in the answers of the service.

use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

/// A record of the service: its kind and its key, as a report names them.
pub(super) type Record = (&'static str, String);

/// Passes each object that is a record to `each`, with the kind and the key of the record.
pub(super) fn walk(target: &str, answer: &mut Value, each: &mut dyn FnMut(Record, &mut Object)) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (kind, id) = match path.split('/').nth(4).unwrap_or_default() {
        "learners" => ("learner", "id"),
        "parents" => ("parent", "id"),
        "staffmembers" => ("staff_member", "id"),
        "learnerabsentees" => ("absentee", "id"),
        "learnerdiscipline" => ("discipline", "id"),
        "learnerassessmentmarks" => return walk_marks(answer, &mut Vec::new(), each),
        "learnersubjectmarks" => {
            let learner = query.strip_prefix("learner_id=").unwrap();
            for subject in answer.as_array_mut().into_iter().flatten() {
                let number = |name: &str| subject[name].as_str().unwrap().to_owned();
                let key = format!("{learner}/{}/{}", number("year"), number("subject_id"));
                for term in subject["terms"].as_array_mut().into_iter().flatten() {
                    each(
                        ("learner_subject", key.clone()),
                        term.as_object_mut().unwrap(),
                    );
                }
            }
            return;
        }
        "debtmanagement" if path.contains("/schooldebtors/") => {
            ("accountable_person", "accountable_person_id")
        }
        "debtmanagement" if path.contains("/learnerparentinfo/") => ("account", "learner_id"),
        _ => return,
    };
    for object in answer.as_array_mut().into_iter().flatten() {
        for parent in object
            .get_mut("parents")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            let key = parent["id"].as_str().unwrap().to_owned();
            each(("parent", key), parent.as_object_mut().unwrap());
        }
        let key = object[id].as_str().unwrap().to_owned();
        each((kind, key), object.as_object_mut().unwrap());
    }
}

/// Walks through assessment marks. `names` are the names of the objects around this one.
fn walk_marks(
    value: &mut Value,
    names: &mut Vec<String>,
    each: &mut dyn FnMut(Record, &mut Object),
) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    if let Some(id) = object.get("assessment_id").and_then(Value::as_str) {
        let id = id.to_owned();
        // The names are: grade, years, year, terms, term, learners, learner and so on.
        let learner = &names[6];
        each(("mark", format!("{id}/{learner}")), object);
        each(("assessment", id), object);
        return;
    }
    for (name, inner) in object.iter_mut() {
        names.push(name.clone());
        walk_marks(inner, names, each);
        names.pop();
    }
}
