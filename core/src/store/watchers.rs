//! Who is told of changes: bits of what a commit changed are held against bits of what an
//! answer was made from.

use super::memo::{Changes, Sources};
#[cfg(not(target_family = "wasm"))]
use super::panics::catch_panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What wakes somebody who waits for a change. It is called with no lock held. Where there are
/// no threads nobody waits.
#[cfg(not(target_family = "wasm"))]
pub(crate) type Wake = Arc<dyn Fn() + Send + Sync>;

/// Everybody who watches a store.
#[derive(Default)]
pub(super) struct Watchers(Mutex<List>);

#[derive(Default)]
struct List {
    all: Vec<Arc<Watcher>>,
    /// Those who were touched and are not woken yet.
    #[cfg(not(target_family = "wasm"))]
    due: Vec<Wake>,
    has_ended: bool,
}

struct Watcher {
    school: Option<u64>,
    sources: Sources,
    /// Set until it looks: meanwhile it is not woken again.
    is_touched: AtomicBool,
    has_ended: AtomicBool,
    #[cfg(not(target_family = "wasm"))]
    wake: Mutex<Option<Wake>>,
}

/// Watches until it is dropped. It does not keep the store open.
pub(crate) struct Watch {
    watchers: Arc<Watchers>,
    watcher: Arc<Watcher>,
}

impl Watchers {
    /// Touched from the start: nothing was looked at yet.
    pub(super) fn watch(self: &Arc<Self>, school: Option<u64>, sources: Sources) -> Watch {
        let mut list = self.list();
        let watcher = Arc::new(Watcher {
            school,
            sources,
            is_touched: AtomicBool::new(true),
            has_ended: AtomicBool::new(list.has_ended),
            #[cfg(not(target_family = "wasm"))]
            wake: Mutex::default(),
        });
        list.all.push(watcher.clone());
        Watch {
            watchers: self.clone(),
            watcher,
        }
    }

    /// Touches whom these changes concern. Readers see them already.
    pub(super) fn mark(&self, changes: &Changes) {
        self.touch(|watcher| changes.touch(watcher.school, watcher.sources));
    }

    /// Touches everybody: what changed is not known.
    pub(super) fn mark_all(&self) {
        self.touch(|_| true);
    }

    /// There is nothing to watch any more.
    pub(super) fn end(&self) {
        self.list().has_ended = true;
        self.touch(|watcher| {
            watcher.has_ended.store(true, Ordering::Release);
            true
        });
    }

    fn touch(&self, concerns: impl Fn(&Watcher) -> bool) {
        // Nobody watches the browser's module, whose size counts: its tabs look by themselves.
        if cfg!(module) {
            return;
        }
        let list = &mut *self.list();
        for watcher in &list.all {
            if concerns(watcher) && !watcher.is_touched.swap(true, Ordering::AcqRel) {
                #[cfg(not(target_family = "wasm"))]
                list.due.extend(watcher.wake().clone());
            }
        }
    }

    /// Wakes who was touched. No lock of the store may be held: they may ask it at once.
    #[cfg(not(target_family = "wasm"))]
    pub(super) fn wake(&self) {
        let due = std::mem::take(&mut self.list().due);
        for wake in due {
            // What fails there is no failure of the change.
            let _ = catch_panic(|| wake());
        }
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(target_family = "wasm"))]
impl Watcher {
    fn wake(&self) -> MutexGuard<'_, Option<Wake>> {
        self.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    /// Whether it was touched since this was asked last. What is read from here on is at
    /// least as new as what touched it.
    pub(crate) fn take(&self) -> bool {
        self.watcher.is_touched.swap(false, Ordering::AcqRel)
    }

    /// Whether the store was closed.
    pub(crate) fn has_ended(&self) -> bool {
        self.watcher.has_ended.load(Ordering::Acquire)
    }

    /// Has this called at the next touch, and at each that follows a [`take`](Self::take).
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn on_touch(&self, wake: Option<Wake>) {
        let before = std::mem::replace(&mut *self.watcher.wake(), wake);
        drop(before);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut list = self.watchers.list();
        list.all.retain(|other| !Arc::ptr_eq(other, &self.watcher));
    }
}

#[cfg(test)]
mod tests {
    use super::super::collection::Collection;
    use super::super::partition::Partition;
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A watch, and how often it was woken.
    fn counted(watchers: &Arc<Watchers>, school: u64, of: Collection) -> (Watch, Arc<AtomicUsize>) {
        let watch = watchers.watch(Some(school), Sources::of(&[of]));
        let woken = Arc::new(AtomicUsize::new(0));
        let count = woken.clone();
        watch.on_touch(Some(Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        })));
        assert!(watch.take() && !watch.take());
        (watch, woken)
    }

    fn change(watchers: &Watchers, partition: Partition) {
        let mut changes = Changes::default();
        changes.partition(partition);
        watchers.mark(&changes);
        watchers.wake();
    }

    /// Of a hundred watchers those are woken that a change concerns, and no other; once, until
    /// they have looked.
    #[test]
    fn who_is_concerned_is_woken_once() {
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
            change(&watchers, Partition::of(7, Collection::Learners));
        }
        assert_eq!(woken().iter().sum::<usize>(), 1);
        assert_eq!(all.get(14).map(count), Some(1));
        let touched = all.iter().filter(|(watch, _)| watch.take()).count();
        assert_eq!(touched, 1);
        change(&watchers, Partition::of(7, Collection::Learners));
        assert_eq!(all.get(14).map(count), Some(2));
        change(&watchers, Partition::of(7, Collection::Parents));
        change(&watchers, Partition::of(99, Collection::Learners));
        assert_eq!(woken().iter().sum::<usize>(), 2);
        // The one that has not looked since stays as it is.
        watchers.mark_all();
        watchers.wake();
        assert_eq!(woken().iter().sum::<usize>(), 101);
    }

    #[test]
    fn a_watch_of_all_schools_sees_each() {
        let watchers = Arc::new(Watchers::default());
        let sources = Sources::of(&[Collection::Coverage]);
        let watch = watchers.watch(None, sources.and(Sources::INTEGRATORS));
        assert!(watch.take());
        change(&watchers, Partition::of(3, Collection::Coverage));
        assert!(watch.take());
        change(&watchers, Partition::of(3, Collection::Learners));
        assert!(!watch.take());
        let mut changes = Changes::default();
        changes.integrators();
        watchers.mark(&changes);
        assert!(watch.take());
    }

    #[test]
    fn nobody_is_left_and_a_failure_stays_where_it_is() {
        let watchers = Arc::new(Watchers::default());
        let (watch, woken) = counted(&watchers, 1, Collection::Learners);
        let (failing, _) = counted(&watchers, 1, Collection::Learners);
        failing.on_touch(Some(Arc::new(|| std::panic::resume_unwind(Box::new(())))));
        watchers.end();
        watchers.wake();
        assert!(watch.has_ended() && woken.load(Ordering::Relaxed) == 1);
        assert!(watchers.watch(None, Sources::NONE).has_ended());
        drop((watch, failing));
        assert!(watchers.list().all.is_empty());
    }
}
