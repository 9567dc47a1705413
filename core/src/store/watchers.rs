//! Notification of changes. The bits of the data that a commit changed are compared with the bits
//! of the data that an answer depends on.

use super::redb_guard::panic_guard::catch_panic;
use crate::store::changes::change_bits::{ChangedSources, Sources};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A function that wakes a waiter. It is called without any lock.
pub(crate) type Wake = Arc<dyn Fn() + Send + Sync>;

/// All watches of a store.
#[derive(Default)]
pub(super) struct Watchers(Mutex<WatcherList>);

#[derive(Default)]
struct WatcherList {
    /// The watchers by the school that they watch, or by `None` if they watch all schools.
    all: HashMap<Option<u64>, Vec<Arc<Watcher>>>,
    /// The functions of watchers that were notified and not woken yet.
    due: Vec<Wake>,
    has_ended: bool,
}

struct Watcher {
    school: Option<u64>,
    /// The bits of the sources that are watched. More sources can be added.
    sources: AtomicU64,
    /// Whether a change was notified since the last [`Watch::take_changed`]. Until the next one, the
    /// watcher is not woken again.
    is_notified: AtomicBool,
    has_ended: AtomicBool,
    wake: Mutex<Option<Wake>>,
}

/// A watch, which ends when it is dropped. It does not prevent the store from being closed.
pub(crate) struct Watch {
    watchers: Arc<Watchers>,
    watcher: Arc<Watcher>,
}

impl Watchers {
    /// Adds a watch. Initially it counts as notified, because nothing was read yet.
    pub(super) fn watch(self: &Arc<Self>, school: Option<u64>, sources: Sources) -> Watch {
        let mut list = self.list();
        let watcher = Arc::new(Watcher {
            school,
            sources: AtomicU64::new(sources.bits),
            is_notified: AtomicBool::new(true),
            has_ended: AtomicBool::new(list.has_ended),
            wake: Mutex::default(),
        });
        list.all.entry(school).or_default().push(watcher.clone());
        Watch {
            watchers: self.clone(),
            watcher,
        }
    }

    /// Notifies the watches that are affected by these changes. Readers must already see the
    /// changes.
    pub(super) fn mark(&self, changes: &ChangedSources) {
        let is_affected = |watcher: &Watcher| changes.affects(watcher.school, watcher.sources());
        if changes.has_shared() {
            self.notify(is_affected);
        } else {
            let schools = changes.schools().map(Some);
            self.notify_of(schools.chain([None]), is_affected);
        }
    }

    /// Notifies all watches, if it is not known what was changed.
    pub(super) fn mark_all(&self) {
        self.notify(|_| true);
    }

    /// Ends all watches, present and future, because the store is closed.
    pub(super) fn end(&self) {
        self.list().has_ended = true;
        self.notify(|watcher| {
            watcher.has_ended.store(true, Ordering::Release);
            true
        });
    }

    fn notify(&self, is_affected: impl Fn(&Watcher) -> bool) {
        let schools: Vec<_> = self.list().all.keys().copied().collect();
        self.notify_of(schools.into_iter(), is_affected);
    }

    /// Notifies the watches of these schools for which `is_affected` returns true.
    fn notify_of(
        &self,
        schools: impl Iterator<Item = Option<u64>>,
        is_affected: impl Fn(&Watcher) -> bool,
    ) {
        let list = &mut *self.list();
        for school in schools {
            for watcher in list.all.get(&school).into_iter().flatten() {
                if is_affected(watcher) && !watcher.is_notified.swap(true, Ordering::AcqRel) {
                    list.due.extend(watcher.wake().clone());
                }
            }
        }
    }

    /// Wakes the watchers that were notified. The caller must not have any lock of the store,
    /// because the functions may use the store at once.
    pub(super) fn wake(&self) {
        let due = std::mem::take(&mut self.list().due);
        for wake in due {
            // A failure of the function is not a failure of the change.
            let _ = catch_panic(|| wake());
        }
    }

    fn list(&self) -> MutexGuard<'_, WatcherList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watcher {
    fn sources(&self) -> Sources {
        Sources {
            bits: self.sources.load(Ordering::Acquire),
        }
    }

    fn wake(&self) -> MutexGuard<'_, Option<Wake>> {
        self.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// Returns whether there was a notification since the last call. A read that starts after this
    /// call sees at least the changes that caused the notification.
    pub(crate) fn take_changed(&self) -> bool {
        self.watcher.is_notified.swap(false, Ordering::AcqRel)
    }

    /// Also watches these sources from now on. Returns whether any of them is new. If so, a
    /// previous read may be older than a change of that source.
    pub(crate) fn extend(&self, sources: Sources) -> bool {
        let more = sources.bits;
        self.watcher.sources.fetch_or(more, Ordering::AcqRel) & more != more
    }

    /// Returns whether the store was closed.
    pub(crate) fn has_ended(&self) -> bool {
        self.watcher.has_ended.load(Ordering::Acquire)
    }

    /// Sets the function that is called at the next notification, and at the first one after each
    /// [`take_changed`](Self::take_changed).
    pub(crate) fn on_change(&self, wake: Option<Wake>) {
        let before = std::mem::replace(&mut *self.watcher.wake(), wake);
        drop(before);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut list = self.watchers.list();
        if let Some(others) = list.all.get_mut(&self.watcher.school) {
            others.retain(|other| !Arc::ptr_eq(other, &self.watcher));
            if others.is_empty() {
                list.all.remove(&self.watcher.school);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::blocks::collection::Collection;
    use crate::store::blocks::partition::Partition;
    use std::sync::atomic::AtomicUsize;

    /// Adds a watch with a counter of how often it is woken.
    fn counted(watchers: &Arc<Watchers>, school: u64, of: Collection) -> (Watch, Arc<AtomicUsize>) {
        let watch = watchers.watch(Some(school), Sources::new(&[of]));
        let woken = Arc::new(AtomicUsize::new(0));
        let count = woken.clone();
        watch.on_change(Some(Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        })));
        assert!(watch.take_changed() && !watch.take_changed());
        (watch, woken)
    }

    fn change(watchers: &Watchers, partition: Partition) {
        let mut changes = ChangedSources::default();
        changes.partition(partition);
        watchers.mark(&changes);
        watchers.wake();
    }

    /// With a hundred watchers, a change wakes only those that it affects, and each of them only
    /// once until it has called `take_changed`.
    #[test]
    fn an_affected_watcher_is_woken_once() {
        let watchers = Arc::new(Watchers::default());
        let all: Vec<_> = (0..50)
            .flat_map(|school| {
                [
                    (school, Collection::Learners),
                    (school, Collection::MarkRows),
                ]
            })
            .map(|(school, of)| counted(&watchers, school, of))
            .collect();
        let count = |(_, woken): &(Watch, Arc<AtomicUsize>)| woken.load(Ordering::Relaxed);
        let woken = || all.iter().map(count).collect::<Vec<_>>();
        for _ in 0..3 {
            change(&watchers, Partition::new(7, Collection::Learners));
        }
        assert_eq!(woken().iter().sum::<usize>(), 1);
        assert_eq!(all.get(14).map(count), Some(1));
        let notified = all.iter().filter(|(watch, _)| watch.take_changed()).count();
        assert_eq!(notified, 1);
        change(&watchers, Partition::new(7, Collection::Learners));
        assert_eq!(all.get(14).map(count), Some(2));
        change(&watchers, Partition::new(7, Collection::Parents));
        change(&watchers, Partition::new(99, Collection::Learners));
        assert_eq!(woken().iter().sum::<usize>(), 2);
        // The one that was woken since its last `take_changed` is not woken again.
        watchers.mark_all();
        watchers.wake();
        assert_eq!(woken().iter().sum::<usize>(), 101);
    }

    #[test]
    fn a_watch_of_all_schools_sees_each() {
        let watchers = Arc::new(Watchers::default());
        let sources = Sources::new(&[Collection::Coverage]);
        let watch = watchers.watch(None, sources.union(Sources::INTEGRATORS));
        assert!(watch.take_changed());
        change(&watchers, Partition::new(3, Collection::Coverage));
        assert!(watch.take_changed());
        change(&watchers, Partition::new(3, Collection::Learners));
        assert!(!watch.take_changed());
        let mut changes = ChangedSources::default();
        changes.integrator_row(None);
        watchers.mark(&changes);
        assert!(watch.take_changed());
    }

    #[test]
    fn all_watches_end_although_one_of_them_fails() {
        let watchers = Arc::new(Watchers::default());
        let (watch, woken) = counted(&watchers, 1, Collection::Learners);
        let (failing, _) = counted(&watchers, 1, Collection::Learners);
        failing.on_change(Some(Arc::new(|| std::panic::resume_unwind(Box::new(())))));
        watchers.end();
        watchers.wake();
        assert!(watch.has_ended() && woken.load(Ordering::Relaxed) == 1);
        assert!(watchers.watch(None, Sources::NONE).has_ended());
        drop((watch, failing));
        assert!(watchers.list().all.is_empty());
    }
}
