//! Tests that complete answers from one state of the service result in the same records, in
//! whatever order and groups they are published.

#![allow(clippy::panic)]

use crate::dataset::Line;
use crate::date::Date;
use crate::record::kinds::assessment::AssessmentPlace;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::fetch_log_entry::FetchLogEntry;
use crate::record::values::value::EnrolledTerm;
use crate::record::{Kind, Value};
use crate::sync::fetched_records::FetchedRecords;
use crate::sync::publish::completeness::{Relations, is_complete_for};
use crate::sync::publish::record_merge::{MergeContext, RecordForm, merge};
use crate::sync::read::decode_answer;
use crate::sync::resources::resource::{Frequency, Resource, Selection, Years};
use crate::sync::resources::resource_request::ResourceRequest;
use crate::{Engine, Options, Request};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

const SCHOOL: u64 = 1000;
const YEAR: u64 = 2026;
const NOW: i64 = 1_778_745_600;

/// Contains an example of each state of a learner, an account, a programme and a mark.
const WORLD: &str = r#"
{"type":"school","school_id":1000,"school_name":"Little","website":"w","country":"ZA","current_year":2026}
{"type":"api_type","api_type_id":1,"family":["administration","curriculum","finance","parents"]}
{"type":"integrator","username":"sync","password":"sync"}
{"type":"client_integration","username":"sync","school_id":1000,"api_type_id":1,"state":1}
{"type":"gender","id":1,"name":"M"}
{"type":"year","school_id":1000,"year":2026,"year_name":"This year"}
{"type":"term","school_id":1000,"year":2026,"term":1,"term_id":11}
{"type":"term","school_id":1000,"year":2026,"term":2,"term_id":12}
{"type":"grade","school_id":1000,"grade_id":8,"grade":"6","name":"Six"}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"parent","school_id":1000,"id":5,"first_name":"Zoe"}
{"type":"parent","school_id":1000,"id":6,"first_name":"Yan"}
{"type":"learner","school_id":1000,"id":1,"first_name":"Anna","nationality":"n","grade_id":9,"grade":"7","parent1_id":5,"debtor_code":"007","accountable_person_id":3}
{"type":"learner","school_id":1000,"id":2,"first_name":"Ben","grade_id":9,"parent1_id":6,"account":"closed"}
{"type":"learner","school_id":1000,"id":3,"first_name":"Cleo","status":"waitlist","grade_id":8}
{"type":"learner","school_id":1000,"id":4,"first_name":"Dan","status":"left","parent1_id":6,"account":"open","accountable_person_id":3}
{"type":"learner","school_id":1000,"id":7,"first_name":"Eve","status":"left"}
{"type":"accountable_person","school_id":1000,"accountable_person_id":3,"first_name":"Max"}
{"type":"accountable_person","school_id":1000,"accountable_person_id":4,"first_name":"Uma","account":"closed"}
{"type":"staff_member","school_id":1000,"id":1,"first_name":"Sam"}
{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-05-04"}
{"type":"discipline","school_id":1000,"id":1,"learner_id":1,"discipline_date":"2026-05-04"}
{"type":"subject","school_id":1000,"subject_id":101,"subject_name":"Maths","super_subject_id":1,"super_subject_name":"S"}
{"type":"subject","school_id":1000,"subject_id":102,"subject_name":"Art"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"subject_group_name":"7A","mark":"71.5"},{"term":2}]}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":102,"grade_id":9,"terms":[{"term":1}]}
{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":101,"grade_id":9}
{"type":"learning_outcome","school_id":1000,"learning_outcome_id":3,"learning_outcome_name":"O"}
{"type":"learning_program","school_id":1000,"grade_id":9,"year":2026,"term":1,"subject_id":101,"released":1}
{"type":"learning_program","school_id":1000,"grade_id":9,"year":2026,"term":2,"subject_id":101,"released":0}
{"type":"assessment","school_id":1000,"assessment_id":77,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":3,"assessment_name":"Test","assessment_date":"2026-02-01","weight":10,"mark_out_of":20}
{"type":"assessment","school_id":1000,"assessment_id":78,"grade_id":9,"year":2026,"term":2,"subject_id":101,"learning_outcome_id":3,"assessment_date":"2026-05-01","weight":10,"mark_out_of":20}
{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":1,"mark":"13.5"}
{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":2,"mark":"1.5"}
{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":3,"captured":0}
{"type":"mark","school_id":1000,"assessment_id":78,"learner_id":1,"mark":"2.5"}
{"type":"mark","school_id":1000,"assessment_id":78,"learner_id":2,"mark":"2.5"}
"#;

fn requests() -> Vec<ResourceRequest> {
    let days = |text: &str| text.parse().unwrap_or(Date::MIN);
    let (from, to) = (days("2026-05-01"), days("2026-05-14"));
    let mut requests = Vec::new();
    for resource in Resource::ALL {
        let spec = resource.spec();
        if spec.frequency == Frequency::Indication {
            continue;
        }
        let year = Some(YEAR).filter(|_| spec.years == Years::Any);
        let of_id = |id| ResourceRequest {
            year,
            ..ResourceRequest::of_id(resource, id)
        };
        match spec.scope {
            Selection::Learner => requests.extend([1, 2, 3].map(of_id)),
            Selection::Grade => requests.extend([8, 9].map(of_id)),
            Selection::Days(_) => requests.push(ResourceRequest::of_days(resource, (from, to))),
            Selection::AllSchools | Selection::School | Selection::Status(_) => {
                requests.push(of_id(0));
            }
        }
    }
    requests
}

#[test]
fn requests_are_restored_from_the_fetch_log() {
    let mut requests = requests();
    requests.extend(
        requests
            .clone()
            .into_iter()
            .filter_map(ResourceRequest::excluding_parents),
    );
    for request in requests {
        let row = FetchLogEntry {
            to: request.to(),
            without_parents: request.without_parents,
            ..FetchLogEntry::UNFETCHED
        };
        assert_eq!(
            ResourceRequest::logged(request.coverage_key(0), &row),
            Some(request)
        );
    }
}

/// Returns the answer of the service to each request.
fn fetch_all() -> Result<Vec<(ResourceRequest, FetchedRecords)>, crate::Error> {
    let service = Engine::memory(Options::default())?;
    service.apply(WORLD.as_bytes())?;
    let answer = |request: ResourceRequest| {
        let answer = service.request(&Request {
            target: &request.target(SCHOOL),
            headers: &[("HTTP-X-USERNAME", "sync"), ("HTTP-X-PASSWORD", "sync")],
            now: Some(NOW),
            ..Request::default()
        });
        let fetched = match answer.status.code {
            200 => decode_answer(request, SCHOOL, &answer.body).map(|(fetched, _)| fetched),
            404 => Ok(FetchedRecords::default()),
            other => panic!("{other}: {}", answer.text()),
        };
        (
            request,
            fetched.unwrap_or_else(|why| panic!("{why}: {}", answer.text())),
        )
    };
    Ok(requests().into_iter().map(answer).collect())
}

type Key = (Kind, Vec<u64>);

/// A minimal store of records.
#[derive(Default)]
struct RecordMap {
    records: BTreeMap<Key, Vec<Value<'static>>>,
    whole: BTreeSet<CoverageKey>,
}

impl RecordMap {
    fn publish(
        &mut self,
        answers: &[(ResourceRequest, FetchedRecords)],
    ) -> crate::error::Result<()> {
        let mut forms_by_record: BTreeMap<Key, Vec<RecordForm<'_>>> = BTreeMap::new();
        for (request, fetched) in answers {
            let request = *request;
            for (key, values) in &self.records {
                let relations = Relations {
                    at: self.place_of(key),
                    ..Relations::default()
                };
                if is_complete_for(request, YEAR, key.0, values, relations) {
                    let fetched = None;
                    forms_by_record
                        .entry(key.clone())
                        .or_default()
                        .push(RecordForm {
                            request,
                            values: fetched,
                        });
                }
            }
            for record in fetched.records(SCHOOL) {
                let record = record?;
                let fields = record.kind.fields().iter().zip(&record.values);
                let key = fields.filter(|(field, _)| field.is_key());
                let key = key.filter_map(|(_, value)| value.integer()).collect();
                let forms = forms_by_record.entry((record.kind, key)).or_default();
                forms.retain(|form| form.request != request || form.values.is_some());
                let fetched = Some(record);
                forms.push(RecordForm {
                    request,
                    values: fetched,
                });
            }
            self.whole.insert(request.coverage_key(YEAR));
        }
        for (key, forms) in forms_by_record {
            let old = self.records.get(&key).cloned();
            let context = MergeContext {
                whole: &self.whole,
                at: self.place_of(&key),
                is_named: true,
            };
            match merge(key.0, old, &forms, &context) {
                None => drop(self.records.remove(&key)),
                Some(mut values) => {
                    if key.0 == Kind::School
                        && let Some(year) =
                            values.get_mut(crate::record::kinds::school::CURRENT_YEAR)
                    {
                        *year = Value::Integer(YEAR);
                    }
                    let line = Line::whole(key.0, values);
                    let line = line.unwrap_or_else(|what| panic!("{key:?}: {what}"));
                    let values = line.values.into_iter().map(owned);
                    self.records.insert(key, values.collect());
                }
            }
        }
        Ok(())
    }

    fn place_of(&self, (kind, key): &Key) -> Option<AssessmentPlace> {
        let assessment = key.get(..2).filter(|_| *kind == Kind::Mark)?;
        let at = self.records.get(&(Kind::Assessment, assessment.to_vec()))?;
        AssessmentPlace::from_values(at)
    }

    fn debug_lines(&self) -> Vec<String> {
        let records = self.records.iter();
        records.map(|record| format!("{record:?}")).collect()
    }
}

/// Returns a permutation of the answers, split into groups, that depends on the seed.
fn shuffle(
    answers: &[(ResourceRequest, FetchedRecords)],
    mut seed: u64,
) -> Vec<Vec<(ResourceRequest, FetchedRecords)>> {
    let mut below = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % most.max(1)
    };
    let mut rest = answers.to_vec();
    let mut groups = vec![Vec::new()];
    while !rest.is_empty() {
        let answer = rest.swap_remove(below(rest.len()));
        if below(4) == 0 {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(answer);
        }
    }
    groups
}

#[test]
fn any_order_and_any_groups_result_in_the_same_records() -> Result<(), crate::Error> {
    let answers = fetch_all()?;
    let mut at_once = RecordMap::default();
    at_once.publish(&answers)?;
    let expected = at_once.debug_lines();
    for seed in 0..500 {
        let mut store = RecordMap::default();
        for group in shuffle(&answers, seed) {
            store.publish(&group)?;
        }
        let debug_lines = store.debug_lines();
        let other = debug_lines.iter().find(|record| !expected.contains(record));
        assert_eq!(other, None, "seed {seed}");
        assert_eq!(debug_lines, expected, "seed {seed}");
        // Publishing them again in another order changes nothing.
        for group in shuffle(&answers, seed + 1) {
            store.publish(&group)?;
        }
        assert_eq!(store.debug_lines(), expected, "seed {seed}, again");
    }
    Ok(())
}

/// Copies a value so that it outlives the answer.
fn owned(value: Value<'_>) -> Value<'static> {
    let text = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
    match value {
        Value::Empty => Value::Empty,
        Value::Integer(number) => Value::Integer(number),
        Value::Text(of) => Value::Text(text(of)),
        Value::Date(date) => Value::Date(date),
        Value::DateTime(time) => Value::DateTime(time),
        Value::Decimal(decimal) => Value::Decimal(decimal),
        Value::Absent => Value::Absent,
        Value::Terms(terms) => Value::Terms(
            terms
                .into_iter()
                .map(|EnrolledTerm { term, group, mark }| EnrolledTerm {
                    term,
                    group: group.map(text),
                    mark,
                })
                .collect(),
        ),
    }
}
