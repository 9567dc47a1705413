//! Stores that follow another one.

use crate::engine::Engine;
use crate::error::{Result, RollbookError};
use crate::export::Export;
use crate::report::Summary;
use rollbook::Progress;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A part of a store's records: what a follower may hold, and an export of a part has.
///
/// The tables that records name come along: schools, API types, the lists that are the same
/// for all schools, years, terms, grades, subjects, and with marks the assessments,
/// learning outcomes and learning programs. They tell of nobody. Integrators, their
/// passwords and client integrations are never part of a scope.
#[derive(Debug, Clone, uniffi::Record)]
pub struct Scope {
    /// The schools of which anything is in it, each once.
    pub schools: Vec<SchoolInScope>,
    /// The kinds of records that tell of people, by the names that their `type` bears; all
    /// unless given.
    #[uniffi(default)]
    pub kinds: Option<Vec<String>>,
}

/// What of a school is in a scope.
#[derive(Debug, Clone, uniffi::Record)]
pub struct SchoolInScope {
    /// The school's login id.
    pub school: u64,
    /// The learners who are in it, with their subjects, marks, absences and discipline,
    /// their parents and accountable persons; everybody unless given.
    #[uniffi(default)]
    pub learners: Option<Vec<u64>>,
}

impl Scope {
    fn as_given(&self) -> Result<rollbook::Scope> {
        let mut scope = rollbook::Scope::default();
        for SchoolInScope { school, learners } in &self.schools {
            scope = match learners {
                Some(learners) => scope.learners(*school, learners.iter().copied()),
                None => scope.school(*school),
            };
        }
        Ok(match &self.kinds {
            Some(kinds) => scope.only(kinds.iter().map(String::as_str))?,
            None => scope,
        })
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what may be left out crosses owned"
)]
#[uniffi::export]
impl Engine {
    /// Begins an export of a scope, without integrators. Fails as `suspended` or `closed`;
    /// as `unsupported` if a kind has no such name.
    pub fn export_scope(&self, scope: &Scope) -> Result<Arc<Export>> {
        let export = self.inner().export_scope(&scope.as_given()?)?;
        Ok(Arc::new(Export::new(export)))
    }

    /// What brings a follower of a scope from a position to now; from nothing without one.
    ///
    /// Fails as `begin_anew` if the position is of another store, or lies before what this
    /// one has noted of its changes; as `unsupported` if a kind has no such name, or if this
    /// store follows another one and the scope names more than it has.
    #[uniffi::method(default(after = None))]
    pub fn feed(&self, scope: &Scope, after: Option<String>) -> Result<Arc<Feed>> {
        let feed = self.inner().feed(&scope.as_given()?, after.as_deref())?;
        let (has_changes, position) = (feed.has_changes(), feed.position());
        Ok(Arc::new(Feed {
            feed: Mutex::new(Some(feed)),
            has_changes,
            position,
        }))
    }

    /// Begins to take a feed of another store into this one.
    ///
    /// Schools that are followed are the source's to change: `apply` refuses them as
    /// `synced`, but for client integrations. A question about more than the scope has is
    /// `not_synced`. `remove_school` takes a school back, and `forget_sync` makes it the
    /// app's.
    pub fn follow(&self) -> Result<Arc<Follow>> {
        let follow = Mutex::new(Some(self.inner().follow()));
        Ok(Arc::new(Follow { follow }))
    }

    /// How far this store has followed another one: the position to ask for the next feed
    /// after. Nothing if it has not. Fails as `suspended` or `closed`.
    pub fn followed(&self) -> Result<Option<String>> {
        Ok(self.inner().followed()?)
    }
}

/// About how much a piece of a feed holds, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// What changed for a follower, in pieces.
///
/// Its lines are those of the moment at which it was asked for; until it is read to its end
/// or cancelled, the store cannot be compacted or suspended. They hold personal data: hand
/// them to the device alone that may see the scope.
#[derive(uniffi::Object)]
pub struct Feed {
    /// None once it is over.
    feed: Mutex<Option<rollbook::Feed>>,
    has_changes: bool,
    position: String,
}

#[uniffi::export]
impl Feed {
    /// The next lines, each with its line feed, about 64 KiB of them; nothing at the end.
    ///
    /// Fails as `io` or `corrupt` if the store fails.
    pub fn read(&self) -> Result<Option<String>> {
        let mut reading = locked(&self.feed);
        let Some(feed) = reading.as_mut() else {
            return Ok(None);
        };
        let mut piece = String::new();
        for line in feed {
            piece += &line?;
            piece.push('\n');
            if piece.len() >= PIECE_BYTES {
                return Ok(Some(piece));
            }
        }
        *reading = None;
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// Whether anything changed for the follower. A feed without changes may still have
    /// lines that move the position on.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Where a follower is that has taken all of it.
    pub fn position(&self) -> String {
        self.position.clone()
    }

    /// Ends the feed early. Does nothing if it is over.
    pub fn cancel(&self) -> Result<()> {
        *locked(&self.feed) = None;
        Ok(())
    }
}

/// A feed that is being followed: push its bytes in pieces of any size, then finish.
///
/// Each part of a feed is kept whole with the position behind it, durably, or not at all. So
/// a feed may be cut anywhere: what came to its end is kept, and the next feed is asked for
/// after what `followed` gives. Parts that come late or twice change nothing.
#[derive(uniffi::Object)]
pub struct Follow {
    /// None once it is over.
    follow: Mutex<Option<rollbook::Follow>>,
}

#[uniffi::export]
impl Follow {
    /// Takes the next bytes of a feed, and says how far it has come.
    ///
    /// Fails as `bad_dataset` for the first faulty line; as `out_of_step` if a part does not
    /// begin where this store is; as `busy` or `io`. It is over then, and every further call
    /// gives the same error.
    pub fn push(&self, bytes: &[u8]) -> Result<Progress> {
        let mut follow = locked(&self.follow);
        let follow = follow.as_mut().ok_or_else(over)?;
        follow.push(bytes)?;
        Ok(follow.progress())
    }

    /// Ends the feed; says what it changed. Fails as `push`, and as `bad_dataset` if its last
    /// part lacks its end.
    pub fn finish(&self) -> Result<Summary> {
        let follow = locked(&self.follow).take().ok_or_else(over)?;
        Ok(follow.finish()?.into())
    }

    /// Gives the feed up; the part that is under way is not kept. Does nothing if it is over.
    pub fn cancel(&self) -> Result<()> {
        *locked(&self.follow) = None;
        Ok(())
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn over() -> RollbookError {
    RollbookError::Closed("the feed is over: begin another".to_owned())
}
