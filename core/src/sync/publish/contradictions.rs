//! Finds answers that contradict each other because the service has changed between them. Replies
//! may arrive in another order than the service gave them, so that the order of the answers does not
//! show which of them is right. They are read again, even if they are unchanged.

use super::record_merge::RecordForm;
use crate::record::{Kind, Value};
use crate::sync::fetched_records::RecordState;
use crate::sync::resources::resource_request::ResourceRequest;

/// Returns the requests of those forms of a record that have another value of a field than the last
/// form with authority over it. For an assessment, which may have moved to another grade, returns
/// all of them.
pub(crate) fn contradicted(kind: Kind, forms: &[RecordForm<'_>]) -> Vec<ResourceRequest> {
    // These forms are parts of one record.
    if forms.len() < 2 || matches!(kind, Kind::LearnerSubject | Kind::Mark) {
        return Vec::new();
    }
    let mut last: Vec<Option<&Value<'_>>> = vec![None; kind.fields().len()];
    let mut contradicted = Vec::new();
    for form in forms.iter().rev() {
        let Some(fetched) = form.values.as_ref() else {
            continue;
        };
        if fetched.state != RecordState::Read {
            continue;
        }
        let fields = fetched.fields & form.source().authoritative_fields(kind);
        let mut is_contradicted = false;
        for (field, (last, value)) in last.iter_mut().zip(&fetched.values).enumerate() {
            if fields >> field & 1 == 1 {
                is_contradicted |= *last.get_or_insert(value) != value;
            }
        }
        if is_contradicted {
            contradicted.push(form.request);
        }
    }
    if kind == Kind::Assessment && !contradicted.is_empty() {
        contradicted = forms.iter().map(|form| form.request).collect();
    }
    contradicted
}
