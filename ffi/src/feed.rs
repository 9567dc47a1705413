//! Stores that follow another one.

use crate::engine::Engine;
use crate::error::{Result, RollbookError};
use crate::export::Export;
use crate::live_query::{ChangeListener, Listening, locked};
use crate::report::Summary;
use rollbook::Progress;
use std::sync::{Arc, Mutex, Weak};

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
    /// Fails as `resync_required` if the text is not a position; as `unsupported` if a kind has no
    /// such name, or if this store follows another one and the scope names more than it has.
    #[uniffi::method(default(after = None))]
    pub fn feed(&self, scope: &Scope, after: Option<String>) -> Result<Arc<Feed>> {
        let feed = self.inner().feed(&scope.as_given()?, after.as_deref())?;
        Ok(Arc::new(Feed::new(feed)))
    }

    /// Observes the feeds of a scope, for servers that delay their answer until something changes.
    /// The listener is called when it is time to poll; poll once at the start.
    ///
    /// The live feed ends when the engine is closed; while the engine is suspended, it waits. Fails
    /// with `unsupported` if a kind has no such name.
    pub fn observe_feed(
        &self,
        scope: &Scope,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<LiveFeed>> {
        let mut feeds = self.inner().observe_feed(scope.as_given()?);
        let listening = Listening::new(listener);
        let heard = Arc::downgrade(&listening);
        feeds.on_change(move || listening.call());
        Ok(Arc::new(LiveFeed {
            feeds: Mutex::new(Some(feeds)),
            listening: heard,
        }))
    }

    /// Begins to take a feed of another store into this one.
    ///
    /// Schools that are followed are the source's to change, and so are the lists that are the
    /// same for all schools: `apply` refuses them as `synced`, but for client integrations. A
    /// question about more than the scope has is `not_synced`. `remove_school` takes a school
    /// back, and `forget_sync` makes it the app's.
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
/// Its lines are those of the moment at which it was asked for. It fails as `reader_ended`
/// if another call waits to erase, compact or suspend, and it is not read to its end within
/// five seconds. The lines are personal data: hand them to the device alone that may see the
/// scope.
#[derive(uniffi::Object)]
pub struct Feed {
    /// None once it is over.
    feed: Mutex<Option<rollbook::Feed>>,
    has_changes: bool,
    position: String,
}

impl Feed {
    fn new(feed: rollbook::Feed) -> Feed {
        Feed {
            has_changes: feed.has_changes(),
            position: feed.position(),
            feed: Mutex::new(Some(feed)),
        }
    }
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

    /// Whether the follower should take the feed: anything changed for it, or its position is
    /// one that this store will forget before long. Else a server answers that nothing changed.
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

/// A live feed: the successive feeds of a scope that have changes. It does not prevent the engine
/// from being closed.
#[derive(uniffi::Object)]
pub struct LiveFeed {
    /// `None` once it is cancelled.
    feeds: Mutex<Option<rollbook::LiveFeed>>,
    /// Gone once the engine has released it.
    listening: Weak<Listening>,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what may be left out crosses owned"
)]
#[uniffi::export]
impl LiveFeed {
    /// Returns the feed after a position, or the complete feed without a position, if it has
    /// changes. The first call always looks for changes; as long as nothing is changed in the
    /// schools of the scope, a later call costs almost nothing.
    ///
    /// Fails as `feed` does. The live feed continues, and the next call looks again.
    #[uniffi::method(default(after = None))]
    pub fn poll(&self, after: Option<String>) -> Result<Option<Arc<Feed>>> {
        let mut feeds = locked(&self.feeds);
        let feed = feeds
            .as_mut()
            .and_then(|feeds| feeds.poll(after.as_deref()));
        Ok(feed.transpose()?.map(|feed| Arc::new(Feed::new(feed))))
    }

    /// Returns whether the live feed was cancelled or the engine was closed. No feed follows.
    pub fn is_over(&self) -> bool {
        let feeds = locked(&self.feeds);
        feeds.as_ref().is_none_or(rollbook::LiveFeed::is_over)
    }

    /// Ends the live feed. It waits for a call of the listener that is in progress, unless it is
    /// called within that call. No call of the listener follows.
    pub fn cancel(&self) {
        let listening = self.listening.upgrade();
        let gone = locked(&self.feeds).take();
        drop(gone);
        if let Some(listening) = listening {
            listening.end();
        }
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
    /// Fails as `bad_dataset` for the first faulty line; as `out_of_sync` if a part does not
    /// begin where this store is; as `diverged` if the store differs from its source after a
    /// part; as `busy` or `io`. It is over then, and every further call gives the same error.
    pub fn push(&self, bytes: &[u8]) -> Result<Progress> {
        let mut follow = locked(&self.follow);
        let follow = follow.as_mut().ok_or_else(over)?;
        follow.push(bytes)?;
        Ok(follow.progress())
    }

    /// Ends the feed; says what it changed. If people are no longer in it, nothing of them stays
    /// in the file of the store: that takes as long as `compact`.
    ///
    /// Fails as `push`, and as `bad_dataset` if its last part lacks its end; as `erase_learner`
    /// if erasing fails: all of the feed was taken then, and the next one tries again.
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

fn over() -> RollbookError {
    RollbookError::Closed("the feed is over: begin another".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, ListenerError};
    use std::sync::mpsc::{Sender, channel};
    use std::time::Duration;

    struct Calls(Sender<()>);

    impl ChangeListener for Calls {
        fn changed(&self) -> Result<(), ListenerError> {
            let _ = self.0.send(());
            Ok(())
        }
    }

    fn apply(engine: &Engine, school: u64, name: &str) -> Result<Summary> {
        let text =
            format!(r#"{{"type":"learner","school_id":{school},"id":7,"last_name":"{name}"}}"#);
        engine.apply(Dataset::Text { text }, None)
    }

    fn school(school: u64) -> Scope {
        Scope {
            schools: vec![SchoolInScope {
                school,
                learners: None,
            }],
            kinds: None,
        }
    }

    #[test]
    fn a_change_of_the_scope_is_heard_and_polled() -> Result<()> {
        let engine = Engine::memory(None)?;
        let (sender, calls) = channel();
        let heard = || calls.recv_timeout(Duration::from_secs(60)).is_ok();
        let feeds = engine.observe_feed(&school(1), Box::new(Calls(sender)))?;
        let mut after = None;
        for name in ["Smith", "Dlamini"] {
            apply(&engine, 1, name)?;
            assert!(after.is_none() || heard());
            let Some(feed) = feeds.poll(after)? else {
                unreachable!("{name} is in no feed")
            };
            let lines = feed.read()?;
            assert!(lines.is_some_and(|lines| lines.contains(name)));
            after = Some(feed.position());
            assert!(feeds.poll(after.clone())?.is_none());
        }
        // Another school is in no feed, and an error does not end the live feed.
        while calls.try_recv().is_ok() {}
        apply(&engine, 2, "Naidoo")?;
        assert!(calls.try_recv().is_err());
        apply(&engine, 1, "Nel")?;
        let refused = feeds.poll(Some("AAAA".to_owned())).err();
        assert!(matches!(refused, Some(RollbookError::ResyncRequired(_))));
        assert!(feeds.poll(after)?.is_some());
        engine.close()?;
        assert!(heard() && feeds.is_over() && feeds.poll(None)?.is_none());
        Ok(())
    }

    #[test]
    fn a_live_feed_that_was_cancelled_releases_its_listener() -> Result<()> {
        let engine = Engine::memory(None)?;
        let (sender, calls) = channel();
        let feeds = engine.observe_feed(&school(1), Box::new(Calls(sender)))?;
        feeds.cancel();
        assert!(feeds.is_over() && feeds.poll(None)?.is_none());
        assert!(calls.recv().is_err());
        let scope = Scope {
            kinds: Some(vec!["learners".to_owned()]),
            ..school(1)
        };
        let (sender, _calls) = channel();
        let refused = engine.observe_feed(&scope, Box::new(Calls(sender))).err();
        assert!(matches!(refused, Some(RollbookError::Unsupported(_))));
        Ok(())
    }
}
