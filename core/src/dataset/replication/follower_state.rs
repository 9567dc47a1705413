//! Stores what this store follows: the scope, the position in the source, and the schools that must
//! be sent again.

use crate::dataset::commit_unchecked;
use crate::dataset::output::scope_filter::NamedPeople;
use crate::dataset::staging::staging_buffer;
use crate::dataset::summary::Summary;
use crate::error::Result;
use crate::record::Kind;
use crate::record::replication::position::{FollowerPosition, FollowerState};
use crate::record::replication::scope::{Audience, Kinds};
use crate::store::{
    ChangePosition, Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Records, Sorter,
    Write,
};

/// Stores what is followed, in place of the previous value.
pub(crate) fn put_state(write: &mut Write<'_>, followed: &FollowerState) -> Result<()> {
    let mut edit = FollowedEdit(Some(followed.encode()));
    write.merge(FollowerState::PARTITION, &mut edit)
}

/// Removes a school from what is followed, without changing its records. If it is followed again,
/// it is sent completely.
pub(crate) fn stop_following(write: &mut Write<'_>, school: u64) -> Result<()> {
    let Some(mut followed) = FollowerState::read(write)? else {
        return Ok(());
    };
    if followed.audience(school).is_none() {
        return Ok(());
    }
    followed.position.scope.schools.remove(&school);
    followed.awaiting_resend.schools.remove(&school);
    put_state(write, &followed)
}

/// Records that the store was found to differ from its source at a position, unless its position
/// has changed since. Also requests everything again, unless this was done before. Until it
/// arrives, the store answers from its existing records.
pub(crate) fn record_divergence(
    write: &mut Write<'_>,
    at: &FollowerPosition,
    asked_before: bool,
) -> Result<()> {
    let Some(mut followed) = FollowerState::read(write)? else {
        return Ok(());
    };
    if followed.position != *at {
        return Ok(());
    }
    followed.asked_again = true;
    if !asked_before {
        let scope = std::mem::take(&mut followed.position.scope);
        followed.awaiting_resend.kinds = followed.awaiting_resend.kinds.intersection(scope.kinds);
        followed.awaiting_resend.schools.extend(scope.schools);
        // No source recognises this change position.
        followed.position.change_position = ChangePosition::NONE;
        followed.position.is_incomplete = true;
    }
    put_state(write, &followed)
}

/// Removes the people of a school that no followed learner names any more.
pub(crate) fn remove_unnamed(write: &mut Write<'_>, school: u64) -> Result<Summary> {
    let Some(followed) = FollowerState::read(write)? else {
        return Ok(Summary::default());
    };
    let Some((audience, kinds)) = followed.audience(school) else {
        return Ok(Summary::default());
    };
    let mut sorter = Sorter::default();
    stage_unnamed(write, &mut sorter, school, audience, kinds)?;
    commit_unchecked(write, sorter)
}

/// Stages the removal of the people of a school that no followed learner names.
pub(crate) fn stage_unnamed(
    write: &mut Write<'_>,
    sorter: &mut Sorter,
    school: u64,
    audience: &Audience,
    kinds: Kinds,
) -> Result<()> {
    let Some(named) = NamedPeople::by(write, school, audience, kinds)? else {
        return Ok(());
    };
    let mut key = Vec::new();
    for (kind, of) in [
        (Kind::Parent, Collection::Parents),
        (Kind::AccountablePerson, Collection::AccountablePersons),
    ] {
        let mut records = Records::open(write, Partition::new(school, of))?.all();
        while let Some(record) = records.next()? {
            let Key(id, _) = record.key()?;
            if !named.has(kind, id) {
                let entry = staging_buffer::removal(&mut key, kind, None, &[school, id]);
                sorter.push(&key, &entry)?;
            }
        }
    }
    Ok(())
}

struct FollowedEdit(Option<Vec<u8>>);

impl Edits for FollowedEdit {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.as_ref().map(|_| FollowerState::KEY))
    }

    fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        new.clear();
        let [column, ..] = &mut new.columns;
        *column = self.0.take().unwrap_or_default();
        Ok(Decision::Put)
    }
}
