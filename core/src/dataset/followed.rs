//! Writing down what the store follows.

use crate::error::Result;
use crate::record::position::Followed;
use crate::store::{Decision, Edits, Item, ItemBuffer, Key, Write};

/// Takes the place of what was written down before.
pub(crate) fn keep(write: &mut Write<'_>, followed: &Followed) -> Result<()> {
    let mut edit = FollowedEdit(Some(followed.encode()));
    write.merge(Followed::PARTITION, &mut edit)
}

/// A school is no longer followed, whatever becomes of its records: it comes whole if it is
/// followed again.
pub(crate) fn let_go_of(write: &mut Write<'_>, school: u64) -> Result<()> {
    let Some(mut followed) = Followed::read(write)? else {
        return Ok(());
    };
    followed.told.remove(&school);
    let was_pending = followed.pending.remove(&school);
    if followed.position.held.schools.remove(&school).is_some() || was_pending {
        keep(write, &followed)?;
    }
    Ok(())
}

struct FollowedEdit(Option<Vec<u8>>);

impl Edits for FollowedEdit {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.as_ref().map(|_| Followed::KEY))
    }

    fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        new.clear();
        let [lane, ..] = &mut new.lanes;
        *lane = self.0.take().unwrap_or_default();
        Ok(Decision::Put)
    }
}
