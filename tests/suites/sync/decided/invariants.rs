//! What must be true of a mirror and its quarantined answers, whatever has happened.

use super::World;
use super::app::Answered;
use super::service::hash;
use super::service::{KINDS, PARENT, group, records};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

impl World<'_> {
    /// Checks that the pass removed few records, unless the service has.
    pub(super) fn has_lost_little(&mut self) -> Result<(), String> {
        let Some(begin) = &self.begin else {
            return Ok(());
        };
        self.counts.add("passes in an outage", 1);
        let now = records(&self.mirror);
        let is_in = |learner: u64| now.contains_key(&("learner".to_owned(), vec![learner]));
        let learners = begin.keys().filter(|(kind, _)| kind == "learner");
        let learners = learners.map(|(_, key)| key[0]);
        self.left
            .extend(learners.filter(|learner| !is_in(*learner)));
        for (kind, _) in KINDS {
            let learner = |key: &[u64]| match kind {
                "parent" => key[0] - PARENT,
                "mark" => key[1],
                "learner" | "learner_subject" | "accountable_person" | "absentee" => key[0],
                _ => 0,
            };
            let of_kind = begin.iter().filter(|((of, _), _)| *of == kind);
            let is_listed = |learner: u64| is_in(learner) && !self.left.contains(&learner);
            // A mark without a value is only a cell of a structure.
            let has_value = |record: &Value| kind != "mark" || record.get("mark").is_some();
            let lost = of_kind
                .clone()
                .filter(|(key, before)| has_value(before) && !now.get(*key).is_some_and(has_value));
            let lost: Vec<&Vec<u64>> = lost
                .map(|((_, key), _)| key)
                .filter(|key| {
                    matches!(kind, "learner" | "staff_member" | "assessment")
                        || is_listed(learner(key))
                })
                .collect();
            let owners: BTreeSet<u64> = lost.iter().map(|key| learner(key)).collect();
            let allowed = 20.max(of_kind.count() / 5);
            if lost.len() > allowed && (owners.len() > 1 || owners.contains(&0)) {
                return Err(format!(
                    "{} records of {kind} were removed, and {allowed} may be: {lost:?}",
                    lost.len()
                ));
            }
        }
        Ok(())
    }

    /// Checks what must be true after every event.
    pub(super) fn check(&mut self) -> Result<(), String> {
        if let Some(sync) = &self.sync {
            let (report, list) = (
                sync.report().unwrap().quarantined,
                sync.quarantined().unwrap(),
            );
            if report != list {
                return Err(format!("the report has {report:?}, and the sync {list:?}"));
            }
            if hash((list.len(), self.answers.len())) % 3 == 0 {
                self.sync = None;
                self.sync(25, 4);
                let renewed = self.sync.as_ref().unwrap();
                let again = renewed.quarantined().unwrap();
                if again != list || renewed.report().unwrap().quarantined != list {
                    return Err(format!("a new sync has {again:?} instead of {list:?}"));
                }
            }
        }
        match self.mirror.verify().unwrap() {
            verified if verified.is_sound() => Ok(()),
            verified => Err(format!("{verified:?}")),
        }
    }

    /// Checks that answers remain quarantined that the service has repeated, or that the pass has not
    /// requested. `before` has the quarantined answers before the pass, and `answers` the last answers.
    pub(super) fn has_decided(
        &self,
        before: &BTreeMap<String, u64>,
        answers: &BTreeMap<String, Answered>,
    ) -> Result<(), String> {
        let (now, stored) = (self.quarantined(), records(&self.mirror));
        for (target, _) in before.iter().filter(|(_, lost)| **lost > 0) {
            // The subjects of a learner that has left are not requested.
            let group = group(target);
            let learner = group.strip_prefix("learner ");
            let learner = learner.and_then(|id| id.parse().ok());
            let is_listed =
                learner.is_none_or(|id| stored.contains_key(&("learner".to_owned(), vec![id])));
            let is_repeated = self.answers.get(target) == answers.get(target);
            if is_listed && is_repeated && !now.contains_key(target) {
                return Err(format!(
                    "{target} was repeated, and is no longer quarantined"
                ));
            }
        }
        Ok(())
    }
}
