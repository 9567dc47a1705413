//! A source that changes at random, and may be put back from a copy of its file.

use super::{open, records};
use rollbook::{Credentials, Engine};
use rollbook_tests::random::Random;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::world::{Action, World};

/// A source, what it is made from, and what is asked of it.
pub(super) struct Source {
    world: World,
    disk: Disk,
    pub(super) engine: Option<Engine>,
    /// What the file was once.
    copy: Option<Vec<u8>>,
    /// What was asked in its world: targets, each with its instant.
    pub(super) gets: Vec<(String, i64)>,
    /// How many records were changed.
    pub(super) changes: u64,
}

/// So many questions are kept.
const GETS: usize = 60;

impl Source {
    pub(super) fn new(seed: u64) -> Source {
        let mut source = Source {
            world: World::new(seed),
            disk: Disk::default(),
            engine: None,
            copy: None,
            gets: Vec::new(),
            changes: 0,
        };
        source.engine = Some(open(&source.disk));
        for action in source.world.actions(1) {
            source.carry_out(&action);
        }
        source
    }

    pub(super) fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    pub(super) fn records(&self) -> Vec<String> {
        records(self.engine())
    }

    /// Something becomes of it.
    pub(super) fn live(&mut self, dice: &mut Random) {
        match dice.below(100) {
            0 => self.copy = Some(self.disk.bytes()),
            1 => {
                if let Some(copy) = self.copy.take() {
                    self.disk = Disk::of(copy);
                    self.reopen();
                }
            }
            2 => {
                // One line that is there goes.
                let lines = self.records();
                if let Some(line) = lines.get(dice.below(lines.len().max(1))) {
                    let line = line.replacen('}', r#","deleted":true}"#, 1);
                    let lines = vec![line];
                    self.carry_out(&Action::Apply(lines));
                }
            }
            _ => {
                let action = self.world.action();
                self.carry_out(&action);
            }
        }
    }

    fn reopen(&mut self) {
        self.engine = None;
        self.engine = Some(open(&self.disk));
    }

    fn carry_out(&mut self, action: &Action) {
        let engine = self.engine.as_ref().unwrap();
        let summary = match action {
            Action::Apply(lines) => engine.apply(lines.join("\n").as_bytes()),
            Action::ReplaceSchool(school, lines) => {
                engine.replace_school(*school, lines.join("\n").as_bytes())
            }
            Action::RemoveSchool(school) => engine.remove_school(*school),
            Action::EraseLearner(school, learner) => engine.erase_learner(*school, *learner),
            Action::Reopen => return self.reopen(),
            Action::Compact => {
                engine.compact().unwrap();
                return;
            }
            Action::Request {
                now,
                method,
                target,
                ..
            } => {
                if method == "GET" && !target.contains("cursor") {
                    self.gets.push((target.clone(), *now));
                    let surplus = self.gets.len().saturating_sub(GETS);
                    self.gets.drain(..surplus);
                }
                return;
            }
        };
        // Now and then a line is faulty.
        if let Ok(summary) = summary {
            let total = summary.total();
            self.changes += total.added + total.changed + total.removed;
        }
    }

    /// Lets the app of the tests ask of every school that is there.
    pub(super) fn grant(engine: &Engine) {
        let access = r#"{"type":"api_type","api_type_id":4444,"api_type":"All+ API","family":["administration","curriculum","finance","parents"]}"#;
        drop(engine.apply(access.as_bytes()));
        Source::grant_on(engine);
    }

    pub(super) fn grant_on(engine: &Engine) {
        let lines = engine.export(Credentials::LeaveOut).unwrap();
        let mut access = r#"{"type":"integrator","username":"sync","password":"sync"}"#.to_owned();
        for line in lines.map(Result::unwrap) {
            if let Some(rest) = line.strip_prefix(r#"{"type":"school","school_id":"#) {
                let school: String = rest.chars().take_while(char::is_ascii_digit).collect();
                let one = format!(
                    "\n{{\"type\":\"client_integration\",\"username\":\"sync\",\"school_id\":{school},\"api_type_id\":4444,\"state\":1}}"
                );
                access += &one;
            }
        }
        engine.apply(access.as_bytes()).unwrap();
    }
}
