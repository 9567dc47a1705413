//! The shrink guard. An answer that would remove many of the stored values that it covers is not
//! published until the app approves it, because a service that is only partly available returns
//! short lists. Removed values are counted per column: for each field that the answer has authority
//! over, the number of stored values that the answer no longer contains.

use super::record_merge::RecordForm;
use crate::record::{Kind, Value};
use crate::sync::fetched_records::{FetchedRecord, Fields, RecordState};
use crate::sync::record_values::has_no_value;
use crate::sync::resources::authority::{AnswerSource, RECORD};
use crate::sync::resources::resource_request::ResourceRequest;
use std::collections::{HashMap, HashSet};

/// The number of values of a column that an answer may always remove.
const ALLOWED_LOSS: u64 = 20;
/// An answer may also remove more values, up to one in `ALLOWED_SHARE` of the stored ones.
const ALLOWED_SHARE: u64 = 5;

/// The quarantined answers of a publication, with the values that each would remove.
pub(crate) type Quarantine = HashMap<ResourceRequest, Loss>;

/// The values that the answers of a publication would remove.
#[derive(Default)]
pub(crate) struct Losses {
    /// The loss of each column, by answer, kind and field.
    columns: HashMap<(ResourceRequest, Kind, u32), Loss>,
}

/// The values that answers have removed earlier in the pass.
#[derive(Default)]
pub(crate) struct EarlierLosses {
    by_source: HashMap<AnswerSource, Loss>,
    /// The losses of answers that are examined again.
    by_request: HashMap<ResourceRequest, Loss>,
}

impl EarlierLosses {
    pub(crate) fn add(&mut self, request: ResourceRequest, loss: Loss, is_again: bool) {
        let of_source = self.by_source.entry(request.spec().source).or_default();
        of_source.add(loss);
        if is_again {
            self.by_request.insert(request, loss);
        }
    }
}

/// How many of the stored values of a column would be removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) lost: u64,
    pub(crate) stored: u64,
    /// The learner or record to which all lost values belong, as long as there is only one.
    owner: Option<u64>,
    has_several_owners: bool,
}

impl Loss {
    pub(crate) fn new(owner: u64, lost: u64, stored: u64) -> Loss {
        Loss {
            lost,
            stored,
            owner: Some(owner).filter(|_| lost > 0),
            has_several_owners: false,
        }
    }

    fn add(&mut self, other: Loss) {
        self.lost += other.lost;
        self.stored += other.stored;
        let is_another = self.owner.is_some_and(|owner| Some(owner) != other.owner);
        if other.lost > 0 {
            self.has_several_owners |= other.has_several_owners || is_another;
            self.owner = other.owner;
        }
    }

    /// Returns whether the loss exceeds the limits. A loss of a single owner never does, because
    /// one learner that leaves a small grade has many of its values.
    fn is_too_much(&self) -> bool {
        self.lost > ALLOWED_LOSS
            && self.lost * ALLOWED_SHARE > self.stored
            && self.has_several_owners
    }
}

impl Losses {
    /// Adds a stored record of an owner to the counts. An answer removes the values of a record that
    /// it contains without them, or that it `is_complete_for` and does not contain, unless another
    /// answer of the same source has them.
    pub(crate) fn count(
        &mut self,
        kind: Kind,
        stored: &[Value<'_>],
        owner: u64,
        forms: &[RecordForm<'_>],
        is_complete_for: impl Fn(ResourceRequest) -> bool,
    ) {
        let covered = forms
            .iter()
            .filter(|form| form.values.is_some() || is_complete_for(form.request));
        for request in covered.map(|form| form.request) {
            let source = request.spec().source;
            let fetched = forms.iter().filter(|form| form.source() == source);
            let fetched: Vec<&FetchedRecord<'_>> =
                fetched.filter_map(|form| form.values.as_ref()).collect();
            let fields = source.must_contain(kind, stored);
            for field in (0..Fields::BITS).filter(|field| fields >> field & 1 == 1) {
                let before = value_count(source, kind, field, stored);
                let has_field = |fetched: &FetchedRecord<'_>| fetched.fields >> field & 1 == 1;
                let is_emptied = fetched
                    .iter()
                    .any(|fetched| fetched.state == RecordState::Emptied && has_field(fetched));
                let now = fetched.iter().map(|fetched| match has_field(fetched) {
                    true => value_count(source, kind, field, &fetched.values),
                    // A record without the field shows nothing about it.
                    false if is_emptied => 0,
                    false => before,
                });
                let lost = before.saturating_sub(now.max().unwrap_or(0));
                let loss = Loss::new(owner, lost, before);
                self.columns
                    .entry((request, kind, field))
                    .or_default()
                    .add(loss);
            }
        }
    }

    /// Returns the answers that would remove too much, each by itself or all of one source
    /// together, including the `earlier` losses of the pass. Answers that the app approved are
    /// included in the counts but not in the result.
    pub(crate) fn too_much(
        &self,
        earlier: &EarlierLosses,
        is_approved: impl Fn(ResourceRequest) -> bool,
    ) -> HashSet<ResourceRequest> {
        let mut by_source: HashMap<(AnswerSource, Kind, u32), Loss> = HashMap::new();
        for ((request, kind, field), loss) in &self.columns {
            let source = request.spec().source;
            let total = by_source.entry((source, *kind, *field));
            let before = || earlier.by_source.get(&source).copied().unwrap_or_default();
            total.or_insert_with(before).add(*loss);
        }
        let columns = self
            .columns
            .iter()
            .filter(|((request, kind, field), loss)| {
                let of_source = by_source.get(&(request.spec().source, *kind, *field));
                let mut own = earlier.by_request.get(request).copied().unwrap_or_default();
                own.add(**loss);
                let is_too_much = own.is_too_much() || of_source.is_some_and(Loss::is_too_much);
                loss.lost > 0 && is_too_much && !is_approved(*request)
            });
        columns.map(|((request, ..), _)| *request).collect()
    }

    /// Returns for each answer the loss of the column that would lose most.
    pub(crate) fn largest(&self) -> Quarantine {
        let mut largest = Quarantine::new();
        for ((request, ..), loss) in &self.columns {
            let largest_of_request = largest.entry(*request).or_default();
            if (loss.lost, loss.stored) > (largest_of_request.lost, largest_of_request.stored) {
                *largest_of_request = *loss;
            }
        }
        largest
    }
}

/// Returns how many values a field counts as.
fn value_count(source: AnswerSource, kind: Kind, field: u32, values: &[Value<'_>]) -> u64 {
    if 1 << field == RECORD {
        return u64::from(kind != Kind::Mark || !has_no_value(values));
    }
    match usize::try_from(field)
        .ok()
        .and_then(|field| values.get(field))
    {
        Some(Value::Terms(terms)) if source == AnswerSource::SubjectMarks => {
            terms.iter().filter(|term| term.mark.is_some()).count() as u64
        }
        Some(Value::Terms(terms)) => terms.len() as u64,
        value => u64::from(value.is_some_and(|value| !value.is_empty())),
    }
}
