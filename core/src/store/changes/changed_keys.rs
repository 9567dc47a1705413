//! Collects the keys that a transaction changes, until they are written to the journal.

use crate::store::changes::changed_key::{ChangedKey, LogPartition};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The options of the journal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Journaling {
    /// The approximate limit of a log partition, in bytes.
    pub(crate) bytes: u64,
    /// The incarnation, which identifies this opening of the store.
    pub(crate) incarnation: u64,
}

/// Collects changed keys, or nothing if the store has no journal. Clones share one collection.
#[derive(Clone, Default)]
pub(crate) struct ChangedKeys(Option<Rc<RefCell<ChangeCollector>>>);

/// The maximum number of keys that are recorded individually for one log partition.
const MAX_OF_PARTITION: usize = 1 << 15;
/// The maximum number of keys that are recorded individually in total.
const MOST: usize = 1 << 16;

/// The changed keys, by log partition.
#[derive(Default)]
pub(crate) struct ChangeCollector {
    /// The current log partition. Keys usually arrive grouped by log partition.
    log_partition: LogPartition,
    current: ChangedInPartition,
    others: BTreeMap<LogPartition, ChangedInPartition>,
    /// The number of keys that are recorded individually.
    count: usize,
}

/// The changes of a log partition.
#[derive(Default)]
pub(crate) struct ChangedInPartition {
    pub(crate) keys: Vec<ChangedKey>,
    /// Whether any record may have changed, because there are too many changes to record them
    /// individually.
    pub(crate) is_whole: bool,
    pub(crate) coverage: bool,
}

impl ChangedInPartition {
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.is_whole && !self.coverage
    }

    /// Replaces the individual keys by a mark that any record may have changed. Returns the number
    /// of these keys.
    fn mark_whole(&mut self) -> usize {
        self.is_whole = true;
        std::mem::take(&mut self.keys).len()
    }
}

impl ChangedKeys {
    pub(crate) fn on() -> ChangedKeys {
        ChangedKeys(Some(Rc::default()))
    }

    /// Returns whether changes are collected.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.0.as_deref().is_some()
    }

    /// Returns whether more keys of a log partition would be recorded.
    #[inline]
    pub(crate) fn accepts(&self, log_partition: LogPartition) -> bool {
        match self.0.as_deref() {
            Some(collector) => !collector.borrow_mut().partition_mut(log_partition).is_whole,
            None => false,
        }
    }

    /// Records that a record was changed. It does no harm if the record is in fact unchanged.
    pub(crate) fn record(&self, log_partition: LogPartition, changed_key: ChangedKey) {
        if let Some(collector) = self.0.as_deref() {
            collector.borrow_mut().record(log_partition, changed_key);
        }
    }

    /// Records that any record of a log partition may have changed.
    pub(crate) fn record_all(&self, log_partition: LogPartition) {
        if let Some(collector) = self.0.as_deref() {
            let collector = &mut *collector.borrow_mut();
            collector.count -= collector.partition_mut(log_partition).mark_whole();
        }
    }

    /// Records that the coverage of a school was changed.
    pub(crate) fn record_coverage(&self, school: u64) {
        if let Some(collector) = self.0.as_deref() {
            collector
                .borrow_mut()
                .partition_mut(LogPartition::School(school))
                .coverage = true;
        }
    }

    /// Removes and returns all recorded changes.
    pub(crate) fn take(&self) -> BTreeMap<LogPartition, ChangedInPartition> {
        let collector = self
            .0
            .as_deref()
            .map(|collector| std::mem::take(&mut *collector.borrow_mut()));
        let ChangeCollector {
            log_partition,
            current,
            mut others,
            ..
        } = collector.unwrap_or_default();
        others.insert(log_partition, current);
        others.retain(|_, of_log_partition| !of_log_partition.is_empty());
        others
    }
}

impl ChangeCollector {
    fn partition_mut(&mut self, log_partition: LogPartition) -> &mut ChangedInPartition {
        if log_partition != self.log_partition {
            let next = self.others.remove(&log_partition).unwrap_or_default();
            let before = std::mem::replace(&mut self.current, next);
            let of = std::mem::replace(&mut self.log_partition, log_partition);
            if !before.is_empty() {
                self.others.insert(of, before);
            }
        }
        &mut self.current
    }

    fn record(&mut self, log_partition: LogPartition, changed_key: ChangedKey) {
        let of_log_partition = self.partition_mut(log_partition);
        if of_log_partition.is_whole {
            return;
        }
        of_log_partition.keys.push(changed_key);
        let is_full = of_log_partition.keys.len() > MAX_OF_PARTITION;
        self.count += 1;
        if is_full {
            self.count -= self.current.mark_whole();
        }
        if self.count > MOST {
            self.reduce();
        }
    }

    /// Reduces the number of keys. A log partition with at least half as many keys as the average
    /// is recorded as a whole, which removes at least half of all keys.
    fn reduce(&mut self) {
        let log_partitions = self.others.values_mut().chain([&mut self.current]);
        let partitions: Vec<_> = log_partitions.filter(|of| !of.keys.is_empty()).collect();
        let enough = self.count / partitions.len().max(1) / 2;
        for of_log_partition in partitions {
            if of_log_partition.keys.len() >= enough {
                self.count -= of_log_partition.mark_whole();
            }
        }
    }
}
