//! A source that changes at random, and may be restored from a copy of its file.

use super::records;
use rollbook::{Credentials, Engine, Options};
use rollbook_tests::login::quick;
use rollbook_tests::random::Random;
use rollbook_tests::shrink::{Change, Part};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::world::{Action, World};

/// What happens to a source.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// The file is copied.
    Copy,
    /// The file is replaced by the copy.
    PutBack,
    /// One existing record is removed. The number is the seed of its choice.
    Remove(u64),
    /// A change, or a question for later comparisons.
    Act(Action),
}

impl Change for Event {
    fn retain(&mut self, part: Part, stays: &mut dyn FnMut() -> bool) {
        if let Event::Act(action) = self {
            action.retain(part, stays);
        }
    }
}

/// The random events of a source. The first one fills it.
pub(super) struct Events {
    world: World,
    is_first: bool,
}

impl Events {
    pub(super) fn new(seed: u64) -> Events {
        Events {
            world: World::new(seed),
            is_first: true,
        }
    }

    pub(super) fn next(&mut self, dice: &mut Random) -> Event {
        if std::mem::take(&mut self.is_first) {
            return Event::Act(Action::Apply(self.world.dataset()));
        }
        match dice.below(100) {
            0 => Event::Copy,
            1 => Event::PutBack,
            2 => Event::Remove(dice.number()),
            _ => Event::Act(self.world.action()),
        }
    }
}

/// A source, and questions for it.
#[derive(Default)]
pub(super) struct Source {
    disk: Disk,
    pub(super) engine: Option<Engine>,
    /// The limit of its journal in bytes, which is usually too small for some followers.
    journal_bytes: u64,
    /// An earlier copy of the file.
    copy: Option<Vec<u8>>,
    /// The latest GET requests of its world: targets, each with its instant.
    pub(super) gets: Vec<(String, i64)>,
    /// The number of changed records.
    pub(super) changes: u64,
}

/// The maximum number of stored questions.
const GETS: usize = 60;

impl Source {
    pub(super) fn new(seed: u64) -> Source {
        let mut source = Source {
            journal_bytes: [1 << 20, 2_000, 400][usize::try_from(seed % 3).unwrap()],
            ..Source::default()
        };
        source.reopen();
        source
    }

    pub(super) fn engine(&self) -> &Engine {
        self.engine.as_ref().unwrap()
    }

    /// Carries out an event.
    pub(super) fn live(&mut self, event: &Event) {
        match event {
            Event::Copy => self.copy = Some(self.disk.bytes()),
            Event::PutBack => {
                if let Some(copy) = self.copy.take() {
                    self.disk = Disk::new(copy);
                    self.reopen();
                }
            }
            Event::Remove(number) => {
                let lines = records(self.engine());
                if let Some(line) = lines.get(Random::new(*number).below(lines.len().max(1))) {
                    let line = line.replacen('}', r#","deleted":true}"#, 1);
                    self.carry_out(&Action::Apply(vec![line]));
                }
            }
            Event::Act(action) => self.carry_out(action),
        }
    }

    fn reopen(&mut self) {
        self.engine = None;
        let options = Options {
            journal_bytes: self.journal_bytes,
            ..Options::default()
        };
        let engine = Engine::open_with_backend(self.disk.clone(), options);
        self.engine = Some(engine.unwrap());
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
            } if method == "GET" => {
                if !target.contains("cursor") {
                    self.gets.push((target.clone(), *now));
                    let surplus = self.gets.len().saturating_sub(GETS);
                    self.gets.drain(..surplus);
                }
                return;
            }
            Action::Request { now, .. } => {
                let answer = action.ask(engine, Some(*now));
                self.changes += u64::from(answer.is_some_and(|answer| answer.status.code == 200));
                return;
            }
        };
        match summary {
            Ok(summary) => {
                let total = summary.total();
                self.changes += total.added + total.changed + total.removed;
            }
            // Some datasets contain a faulty line.
            Err(error) => assert_eq!(error.code(), "bad_dataset", "{error}"),
        }
    }

    /// Lets the app of the tests ask about every existing school.
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
        engine.apply(quick(&access).as_bytes()).unwrap();
    }
}
