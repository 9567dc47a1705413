//! The check that the scope of a follower contains the data that a question reads. Data outside
//! of the scope is unknown, and is never treated as absent.

use super::{Query, View};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::presence::has_records;
use crate::record::replication::position::FollowerState;
use crate::record::replication::scope::{Audience, Kinds, RecordOwner};
use crate::store::Snapshot;
use std::sync::Arc;

/// Returns the state of a follower, or `None` if the store follows no other store.
pub(super) fn read(snapshot: &Snapshot) -> Result<Arc<Option<FollowerState>>> {
    snapshot.decoded(0, FollowerState::PARTITION, FollowerState::SOURCES, || {
        let followed = FollowerState::read(snapshot)?;
        let bytes = followed
            .as_ref()
            .map_or(0, |followed| followed.encode().len());
        // A decoded tree of numbers takes several times the memory of its encoding.
        Ok((followed, 16 * bytes))
    })
}

/// Fails with `not_synced` if a question reads data of a school outside of the scope.
pub(super) fn ensure_followed(question: &dyn Query, view: View<'_>) -> Result<()> {
    let followed = read(view.snapshot)?;
    let (Some(followed), Some(school)) = (&*followed, question.about()) else {
        return Ok(());
    };
    let not_followed = |what: String| {
        let school = Some(school);
        Err(Error::NotSynced { school, what }.into())
    };
    let Some((whom, followed_kinds)) = followed.audience(school) else {
        let is_app = view.snapshot.owners().get(school).is_app();
        return if !is_app || has_records(view.snapshot, school)? {
            Ok(())
        } else {
            not_followed("any record".to_owned())
        };
    };
    let read = read_by(question);
    let mut kinds = Kind::ALL.into_iter().filter(|kind| is_read(read, *kind));
    if let Some(kind) = kinds.find(|kind| is_beyond(followed_kinds, *kind)) {
        return not_followed(format!("the kind {}, which is not followed,", kind.name()));
    }
    if let Audience::Learners(learners) = whom {
        let is_one = question
            .learner()
            .is_some_and(|one| learners.contains(&one));
        let mut of_people = Kind::ALL.into_iter().filter(|kind| is_read(read, *kind));
        if !is_one && of_people.any(is_of_people) {
            return not_followed("all but the learners who are followed, by their ids,".to_owned());
        }
    }
    Ok(())
}

/// Returns true if the answer depends on whether the store has any records of the question's
/// school: a follower refuses a question about a school that it neither follows nor has records
/// of.
pub(crate) fn depends_on_any_record(question: &dyn Query, snapshot: &Snapshot) -> Result<bool> {
    let followed = read(snapshot)?;
    let school = question.about();
    Ok((*followed)
        .as_ref()
        .zip(school)
        .is_some_and(|(followed, school)| followed.audience(school).is_none()))
}

/// Returns the collections that a question reads, as bits.
fn read_by(question: &dyn Query) -> u64 {
    question.sources().bits
}

/// Returns true if a question reads records of a kind.
fn is_read(read: u64, kind: Kind) -> bool {
    read & kind.storage().sources().bits != 0
}

/// Returns true if the scope excludes a kind. Records that belong to the app itself are always
/// present.
fn is_beyond(followed_kinds: Kinds, kind: Kind) -> bool {
    RecordOwner::of_kind(kind) != RecordOwner::App && !followed_kinds.has(kind)
}

fn is_of_people(kind: Kind) -> bool {
    match RecordOwner::of_kind(kind) {
        RecordOwner::Learner | RecordOwner::Named | RecordOwner::Staff => true,
        RecordOwner::Table | RecordOwner::TableOfMarks | RecordOwner::App => false,
    }
}
