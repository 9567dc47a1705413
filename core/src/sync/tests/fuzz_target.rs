//! The fuzz target: decodes any bytes as the answer to any request.

use crate::date::Date;
use crate::record::{Kind, Value};
use crate::sync::fetched_records::RecordState;
use crate::sync::read::decode_answer;
use crate::sync::resources::resource::{Resource, Selection};
use crate::sync::resources::resource_request::ResourceRequest;

/// Decodes bytes as the answer to the request that the first of them selects. Checks that the
/// decoded records can be encoded and decoded again, and that each has all required values.
#[expect(clippy::expect_used, reason = "a failure of a fuzz target is a panic")]
pub(crate) fn fuzz(bytes: &[u8]) -> bool {
    let Some((which, body)) = bytes.split_first() else {
        return false;
    };
    let resource = Resource::ALL.get(usize::from(*which) % Resource::ALL.len());
    let request = resource.map(|resource| match resource.spec().scope {
        Selection::Learner => ResourceRequest::of_id(*resource, 1),
        Selection::Grade => ResourceRequest::of_id(*resource, 9),
        Selection::Days(_) => ResourceRequest::of_days(*resource, (Date::MIN, Date::MAX)),
        Selection::AllSchools | Selection::School | Selection::Status(_) => {
            ResourceRequest::new(*resource)
        }
    });
    let Some(Ok((fetched, evidence))) = request.map(|request| decode_answer(request, 1000, body))
    else {
        return false;
    };
    let mut records = 0;
    for record in fetched.records(1000) {
        let record = record.expect("a fetched record is decoded");
        records += u64::from(record.state != RecordState::Emptied);
        for (index, field) in record.kind.fields().iter().enumerate() {
            let is_contained = record.fields >> index & 1 == 1 && record.kind != Kind::Mark;
            let is_empty = record.values.get(index).is_none_or(Value::is_empty);
            assert!(
                !(field.is_required() && is_contained && is_empty),
                "{}",
                field.name
            );
        }
    }
    // The subjects of all learners leave digests and no records.
    let is_of_digests = resource == Some(&Resource::LearnerSubjects);
    assert!(is_of_digests || records == evidence.records);
    true
}
