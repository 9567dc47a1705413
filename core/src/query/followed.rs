//! Whether a store that follows a part of another one holds what a question reads. What it
//! does not hold is unknown, and never taken for nothing.

use super::{Query, View};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::position::Followed;
use crate::record::scope::{Belonging, Kinds, Whom};
use crate::store::{Collection, Snapshot};
use std::sync::Arc;

/// What a store follows, if it does.
pub(super) fn of(snapshot: &Snapshot) -> Result<Arc<Option<Followed>>> {
    snapshot.decoded(0, Followed::PARTITION, Followed::SOURCES, || {
        let followed = Followed::read(snapshot)?;
        let bytes = followed
            .as_ref()
            .map_or(0, |followed| followed.encode().len());
        // A tree of numbers takes some times their packed bytes.
        Ok((followed, 16 * bytes))
    })
}

/// Fails as `not_synced` if a question reads more of a school than is followed. Says whether
/// all there is of it is here, so that nothing else need be asked.
pub(super) fn ensure_held(question: &dyn Query, view: View<'_>) -> Result<bool> {
    let followed = of(view.snapshot)?;
    let Some(followed) = &*followed else {
        return Ok(false);
    };
    let Some(school) = question.about() else {
        return Ok(followed.told.is_empty());
    };
    let Some((whom, held)) = followed.held(school) else {
        return Ok(false);
    };
    let read = read_by(question);
    let not_held = |what: String| {
        let school = Some(school);
        Err(Error::NotSynced { school, what }.into())
    };
    let mut kinds = Kind::ALL.into_iter().filter(|kind| is_read(read, *kind));
    if let Some(kind) = kinds.find(|kind| is_beyond(held, *kind)) {
        return not_held(format!("the kind {}, which is not followed,", kind.name()));
    }
    if let Whom::Learners(learners) = whom {
        let is_one = question
            .learner()
            .is_some_and(|one| learners.contains(&one));
        let mut of_people = Kind::ALL.into_iter().filter(|kind| is_read(read, *kind));
        if !is_one && of_people.any(is_of_people) {
            return not_held("all but the learners who are followed, by their ids,".to_owned());
        }
    }
    Ok(!followed.told.contains(&school))
}

/// The collections that a question reads, as bits.
fn read_by(question: &dyn Query) -> u64 {
    question.sources().collections
}

/// Whether a kind's records are among what is read. The rows of marks tell as well who takes
/// which subject.
fn is_read(read: u64, kind: Kind) -> bool {
    let rows: &[Collection] = match kind {
        Kind::Mark | Kind::LearnerSubject => &[Collection::MarkRows, Collection::MarkRowIndex],
        _ => &[],
    };
    let own = kind.storage().collection().into_iter();
    own.chain(rows.iter().copied())
        .any(|collection| read & collection.bit() != 0)
}

/// Records that are the app's own are always here.
fn is_beyond(held: Kinds, kind: Kind) -> bool {
    Belonging::of(kind) != Belonging::App && !held.has(kind)
}

fn is_of_people(kind: Kind) -> bool {
    match Belonging::of(kind) {
        Belonging::Learner | Belonging::Named | Belonging::Staff => true,
        Belonging::Table | Belonging::TableOfMarks | Belonging::App => false,
    }
}
