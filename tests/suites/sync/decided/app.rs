//! What the app does with its mirror: it drives passes, requests targets with priority, and decides
//! about quarantined answers.

use super::service::{group, is_listed, records};
use super::{Decide, Pass, World};
use crate::sync::{SCHOOL, get};
use rollbook::{Reply, Step, SyncOptions};
use rollbook_tests::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// The status and the body of an answer.
pub(super) type Answered = (u16, String);

/// The maximum number of steps of a pass.
const STEPS: usize = 20_000;

/// A whole pass in which everything is requested.
pub(super) const WHOLE: Pass = Pass {
    begins: true,
    rotate: u32::MAX,
    most_in_flight: 4,
    replies: usize::MAX,
    drops: false,
    decides: 0,
    asks: 0,
};

/// Approves every quarantined answer.
pub(super) const ALL: Decide = Decide {
    approves: 100,
    share: 100,
    renews: false,
};

/// Continues a pass, or publishes what was requested with priority.
pub(super) const FINISH: Pass = Pass {
    begins: false,
    ..WHOLE
};

impl World<'_> {
    /// Starts a sync, unless there is one.
    pub(super) fn sync(&mut self, rotate: u32, most_in_flight: u32) {
        if self.sync.is_none() {
            let mut options = SyncOptions::default();
            (options.rotate, options.most_in_flight) = (Some(rotate), Some(most_in_flight));
            self.calls.clear();
            self.sync = Some(self.mirror.sync(SCHOOL, options).unwrap());
            // Without an unfinished pass, this sync begins one.
            if !self.is_in_pass {
                self.begin = self.is_current.then(|| records(&self.mirror));
                self.left.clear();
            }
        }
    }

    /// Returns the targets of the quarantined answers, with how much they would remove.
    pub(super) fn quarantined(&self) -> BTreeMap<String, u64> {
        let list = self.sync.as_ref().unwrap().quarantined().unwrap();
        list.into_iter().map(|one| (one.target, one.lost)).collect()
    }

    /// Drives the pass. Returns whether it is over.
    pub(super) fn drive(&mut self, pass: Pass, random: &mut Random) -> Result<bool, String> {
        let mut replies = 0;
        for _ in 0..STEPS {
            if replies >= pass.replies {
                return Ok(false);
            }
            match self.sync.as_ref().unwrap().next(self.now).unwrap() {
                Step::Send(call) => self.calls.push((call.id, call.target)),
                Step::Wait { until } if self.calls.is_empty() => self.now = until,
                Step::Wait { .. } => {
                    let (id, target) = self.calls.swap_remove(random.below(self.calls.len()));
                    let (status, body) = self.service.answer(&target, self.now);
                    let reply = Reply {
                        status,
                        body: body.as_bytes(),
                        ..Reply::default()
                    };
                    self.sync
                        .as_ref()
                        .unwrap()
                        .handle_reply(id, self.now, &reply)
                        .unwrap();
                    self.answers.insert(target, (status, body));
                    replies += 1;
                    if random.chance(pass.decides) {
                        let decide = Decide {
                            approves: 50,
                            share: 20,
                            renews: false,
                        };
                        self.decide(decide, random)?;
                    }
                    if random.chance(pass.asks) {
                        self.ask(random);
                    }
                }
                Step::Done(_) | Step::Stop { .. } => return Ok(true),
                other => panic!("{other:?}"),
            }
        }
        Err("the pass does not end".to_owned())
    }

    /// Requests a target with priority.
    pub(super) fn ask(&mut self, random: &mut Random) {
        let targets: Vec<&String> = self.answers.keys().collect();
        if targets.is_empty() {
            return;
        }
        let target = targets[random.below(targets.len())];
        // The targets of indications cannot be requested.
        drop(self.sync.as_ref().unwrap().prioritise(target));
    }

    /// Approves and rejects a share of the quarantined answers, one by one.
    pub(super) fn decide(&mut self, decide: Decide, random: &mut Random) -> Result<(), String> {
        let list: Vec<String> = self.quarantined().into_keys().collect();
        let mut list: Vec<String> = list
            .into_iter()
            .filter(|_| random.chance(decide.share))
            .collect();
        random.shuffle(&mut list);
        for target in list {
            if decide.renews {
                self.sync = None;
                self.sync(3, 4);
            }
            let mut expected: BTreeSet<String> = self.quarantined().into_keys().collect();
            let sync = self.sync.as_ref().unwrap();
            let is_approved = random.chance(decide.approves);
            for _ in 0..random.between(1, 2) {
                if is_approved {
                    sync.approve(&target).unwrap();
                } else {
                    sync.reject(&target).unwrap();
                }
            }
            if is_approved {
                (self.is_current, self.begin) = (false, None);
                self.counts.add("approvals", 1);
                self.approved.insert(group(&target));
                expected.remove(&target);
            } else if expected.contains(&target) {
                self.counts.add("rejections", 1);
                expected.retain(|other| group(other) != group(&target));
            }
            let list: BTreeSet<String> = self.quarantined().into_keys().collect();
            if list != expected {
                return Err(format!(
                    "{is_approved} {target}: {}",
                    change_of(&expected, &list)
                ));
            }
            // The next step publishes what was approved, and nothing else.
            if !self.is_in_pass && random.chance(50) {
                let (bodies, before) = (self.bodies(), self.quarantined());
                // What is only unpublished because of an approved answer belongs to it. If another
                // answer has replaced the one that would remove much, nothing is left to decide.
                let losing = before.iter().filter(|(_, lost)| **lost > 0);
                let losing: BTreeSet<String> = losing.map(|(other, _)| group(other)).collect();
                let is_open = |other: &String| {
                    let group = group(other);
                    before.get(other) == Some(&0)
                        && (self.approved.contains(&group) || !losing.contains(&group))
                };
                expected.retain(|other| !is_open(other));
                match self.sync.as_ref().unwrap().next(self.now).unwrap() {
                    Step::Send(call) => {
                        self.is_in_pass = true;
                        self.calls.push((call.id, call.target));
                    }
                    Step::Done(_) => {}
                    other => return Err(format!("{other:?}")),
                }
                let mut list: BTreeSet<String> = self.quarantined().into_keys().collect();
                list.retain(|other| !is_open(other));
                // The answers about learners that leave are removed.
                let stored = records(&self.mirror);
                expected.retain(|other| list.contains(other) || is_listed(&stored, other));
                if list != expected {
                    return Err(format!(
                        "published {is_approved} {target}: {}",
                        change_of(&expected, &list)
                    ));
                }
                self.has_bodies(&bodies)?;
            }
        }
        Ok(())
    }

    /// Returns the answers of the mirror to the quarantined targets.
    pub(super) fn bodies(&self) -> BTreeMap<String, Answered> {
        let list = self.quarantined().into_keys();
        let bodies = list.map(|target| {
            let answer = get(&self.mirror, &target, self.now);
            let body = (answer.status.code, answer.text().to_owned());
            (target, body)
        });
        bodies.collect()
    }

    /// Checks that targets that are still quarantined are answered as before, or refused.
    pub(super) fn has_bodies(&self, before: &BTreeMap<String, Answered>) -> Result<(), String> {
        for (target, now) in self.bodies() {
            let is_other = |before: &Answered| now.0 != 503 && *before != now;
            if let Some(before) = before.get(&target).filter(|before| is_other(before)) {
                return Err(format!("{target} was not approved:\n{before:?}\n{now:?}"));
            }
        }
        Ok(())
    }
}

/// Names what a list lacks, and what it has instead.
fn change_of(expected: &BTreeSet<String>, list: &BTreeSet<String>) -> String {
    let lacks: Vec<_> = expected.difference(list).collect();
    let has: Vec<_> = list.difference(expected).collect();
    format!("it lacks {lacks:?} and has {has:?}")
}
