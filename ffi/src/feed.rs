//! Feeds: stores that follow another one.

use crate::engine::Engine;
use crate::error::{Result, RollbookError};
use crate::export::Export;
use crate::live_query::{ChangeListener, Listening, locked};
use crate::report::Summary;
use rollbook::Progress;
use std::sync::{Arc, Mutex, Weak};

/// A part of a store's records, which a follower stores or an export contains.
///
/// Tables to which these records refer are always included: schools, API types, the lists that are
/// the same for all schools, years, terms, grades, subjects, and with marks the assessments,
/// learning outcomes and learning programs. They contain no personal data. Integrators, their
/// passwords and client integrations are never part of a scope.
#[derive(Debug, Clone, uniffi::Record)]
pub struct Scope {
    /// The schools in the scope, each of them once.
    pub schools: Vec<SchoolInScope>,
    /// The kinds of personal data in the scope, by the names in their `type`. The default is all
    /// kinds.
    #[uniffi(default)]
    pub kinds: Option<Vec<String>>,
}

/// The part of a school that is in a scope.
#[derive(Debug, Clone, uniffi::Record)]
pub struct SchoolInScope {
    /// The school's login id.
    pub school: u64,
    /// The learners in the scope, with their subjects, marks, absences and discipline, their
    /// parents and accountable persons. The default is all records of the school.
    #[uniffi(default)]
    pub learners: Option<Vec<u64>>,
}

impl Scope {
    /// Converts the scope to the type of the engine.
    fn to_core(&self) -> Result<rollbook::Scope> {
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
    reason = "uniffi passes optional arguments by value"
)]
#[uniffi::export]
impl Engine {
    /// Begins an export of the records of a scope, without integrators. Fails with `suspended` or
    /// `closed`, and with `unsupported` if the name of a kind is unknown.
    pub fn export_scope(&self, scope: &Scope) -> Result<Arc<Export>> {
        let export = self.inner().export_scope(&scope.to_core()?)?;
        Ok(Arc::new(Export::new(export)))
    }

    /// Returns the feed that brings a follower of a scope from a position to the current state.
    /// Without a position, the feed contains the whole scope.
    ///
    /// Fails with `resync_required` if the text is not a position; with `not_synced` if the first
    /// pass of the sync of a school has not published anything yet; with `unsupported` if the name
    /// of a kind is unknown, if the scope contains too many learners and schools, or if this store
    /// follows another one and the scope contains more than it has.
    #[uniffi::method(default(after = None))]
    pub fn feed(&self, scope: &Scope, after: Option<String>) -> Result<Arc<Feed>> {
        let feed = self.inner().feed(&scope.to_core()?, after.as_deref())?;
        Ok(Arc::new(Feed::new(feed)))
    }

    /// Observes the feeds of a scope, for servers that delay their answer until something changes.
    /// The listener is called when it is time to poll; poll once at the start.
    ///
    /// The live feed ends when the engine is closed; while the engine is suspended, it waits. Fails
    /// with `unsupported` if the name of a kind is unknown.
    pub fn observe_feed(
        &self,
        scope: &Scope,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<LiveFeed>> {
        let mut feeds = self.inner().observe_feed(scope.to_core()?);
        let listening = Listening::new(listener);
        let weak = Arc::downgrade(&listening);
        feeds.on_change(move || listening.call());
        Ok(Arc::new(LiveFeed {
            feeds: Mutex::new(Some(feeds)),
            listening: weak,
        }))
    }

    /// Begins to apply a feed of another store to this one.
    ///
    /// Schools that are followed belong to the source, and so do the lists that are the same for
    /// all schools: `apply` refuses their records with `synced`, except for client integrations. A
    /// question about data outside the scope fails with `not_synced`. `remove_school` removes a
    /// followed school, and `forget_sync` turns it into a school of the app.
    pub fn follow(&self) -> Result<Arc<Follow>> {
        let follow = Mutex::new(Some(self.inner().follow()));
        Ok(Arc::new(Follow { follow }))
    }

    /// Returns the position of this store in the history of the store that it follows, which is the
    /// position for requesting the next feed. Returns nothing if it does not follow another store.
    /// Fails with `suspended` or `closed`.
    pub fn followed(&self) -> Result<Option<String>> {
        Ok(self.inner().followed()?)
    }
}

/// The approximate size of a piece of a feed, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// A feed: the changes for a follower, in pieces.
///
/// The lines show the store as it was when the feed was requested. If another call waits to erase,
/// compact or suspend, and the feed is not read completely within five seconds, it fails with
/// `reader_ended`. The lines are personal data: send them only to a device that may see the scope.
#[derive(uniffi::Object)]
pub struct Feed {
    /// `None` once the feed has ended.
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
    /// Returns the next lines, about 64 KiB of them, each with its line feed. Returns nothing at
    /// the end.
    ///
    /// Fails with `io` or `corrupt` if the store fails.
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

    /// Returns whether the follower should apply the feed: its data changed, or its position will
    /// soon be too old for this store. Otherwise a server can answer that nothing changed.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Returns the position of a follower that has applied the complete feed.
    pub fn position(&self) -> String {
        self.position.clone()
    }

    /// Ends the feed early. Does nothing if it has ended.
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
    /// The listener, as long as the engine has not released it.
    listening: Weak<Listening>,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "uniffi passes optional arguments by value"
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
        let removed = locked(&self.feeds).take();
        drop(removed);
        if let Some(listening) = listening {
            listening.end();
        }
    }
}

/// A feed that is being received. Push its bytes in pieces of any size, then call `finish`.
///
/// Each part of a feed is stored durably together with the position after it, or not at all. A feed
/// may therefore be cut anywhere: complete parts are stored, and the next feed is requested after
/// the position that `followed` returns. Parts that arrive late or twice change nothing.
#[derive(uniffi::Object)]
pub struct Follow {
    /// `None` once the feed has ended.
    follow: Mutex<Option<rollbook::Follow>>,
}

#[uniffi::export]
impl Follow {
    /// Receives the next bytes of a feed, and returns how many lines and bytes were received so
    /// far.
    ///
    /// Fails with `bad_dataset` for the first faulty line, with `out_of_sync` if a part does not
    /// begin at the position of this store, with `diverged` if the store differs from its source
    /// after a part, and with `busy` or `io`. After an error, every further call fails with the
    /// same error.
    pub fn push(&self, bytes: &[u8]) -> Result<Progress> {
        let mut follow = locked(&self.follow);
        let follow = follow.as_mut().ok_or_else(over)?;
        follow.push(bytes)?;
        Ok(follow.progress())
    }

    /// Ends the feed and returns a summary of its changes. If the feed removed people, this call
    /// also erases their data from the file of the store, which takes as long as `compact`.
    ///
    /// Fails as `push` does, and with `bad_dataset` if the end of the last part is missing. If the
    /// erasure fails, it fails as `erase_learner` does: all of the feed is stored, and the next
    /// feed repeats the erasure.
    pub fn finish(&self) -> Result<Summary> {
        let follow = locked(&self.follow).take().ok_or_else(over)?;
        Ok(follow.finish()?.into())
    }

    /// Discards the feed. The incomplete part is not stored, but all parts before it are. Does
    /// nothing if the feed has ended.
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
    fn a_change_of_the_scope_is_reported_and_polled() -> Result<()> {
        let engine = Engine::memory(None)?;
        let (sender, calls) = channel();
        let is_reported = || calls.recv_timeout(Duration::from_secs(60)).is_ok();
        let feeds = engine.observe_feed(&school(1), Box::new(Calls(sender)))?;
        let mut after = None;
        for name in ["Smith", "Dlamini"] {
            apply(&engine, 1, name)?;
            assert!(after.is_none() || is_reported());
            let Some(feed) = feeds.poll(after)? else {
                unreachable!("{name} is in no feed")
            };
            let lines = feed.read()?;
            assert!(lines.is_some_and(|lines| lines.contains(name)));
            after = Some(feed.position());
            assert!(feeds.poll(after.clone())?.is_none());
        }
        // The feed contains no changes of another school, and an error does not end the live feed.
        while calls.try_recv().is_ok() {}
        apply(&engine, 2, "Naidoo")?;
        assert!(calls.try_recv().is_err());
        apply(&engine, 1, "Nel")?;
        let refused = feeds.poll(Some("AAAA".to_owned())).err();
        assert!(matches!(refused, Some(RollbookError::ResyncRequired(_))));
        assert!(feeds.poll(after)?.is_some());
        engine.close()?;
        assert!(is_reported() && feeds.is_over() && feeds.poll(None)?.is_none());
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
