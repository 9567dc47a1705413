//! Compares live queries with the same questions asked again, through random sequences of changes
//! on random days: the last answer is always the current one, and no answer is returned twice.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use crate::corpus::typed::{Handed, Shape, Way, hand};
use rollbook::{Answer, Clock, Engine, Error, Grades, LiveQuery, Observable, Options, Question};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::storage::watchdog::Watchdog;
use rollbook_tests::world::{Action, World};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// The question of a request, which counts how often it is asked.
#[derive(Clone)]
pub(crate) struct Asked {
    username: String,
    target: String,
    count: Arc<AtomicU64>,
}

impl Asked {
    fn hand(&self, ask: &mut dyn FnMut(&dyn Question)) -> Option<Handed> {
        let ask = RefCell::new(ask);
        let way = Way {
            shape: Shape::All,
            take: &|question, _| (ask.borrow_mut())(question),
        };
        hand(&self.username, &self.target, &way)
    }

    /// Returns the current answer, of one record or as a list.
    pub(crate) fn fresh(&self, engine: &Engine, is_record: bool) -> Result<Answer, Error> {
        let mut fresh = None;
        self.hand(&mut |question| {
            fresh = Some(if is_record {
                engine.find(question)
            } else {
                engine.ask(question)
            });
        });
        fresh.unwrap()
    }
}

impl Observable for Asked {
    fn with(&self, ask: &mut dyn FnMut(&dyn Question)) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.hand(ask).unwrap();
    }
}

/// A live query, and its last answer.
pub(crate) struct CheckedQuery {
    asked: Asked,
    is_record: bool,
    observation: LiveQuery,
    pub(crate) last: Option<Result<Answer, Error>>,
}

impl CheckedQuery {
    pub(crate) fn new(engine: &Engine, asked: Asked, is_record: bool) -> CheckedQuery {
        let observation = if is_record {
            engine.observe_record(asked.clone())
        } else {
            engine.observe(asked.clone())
        };
        CheckedQuery {
            asked,
            is_record,
            observation,
            last: None,
        }
    }

    /// Returns whether the last answer found something.
    pub(crate) fn has_found(&self) -> bool {
        let answer = self.last.as_ref().and_then(|last| last.as_ref().ok());
        answer.is_some_and(|answer| answer.status.code == 200)
    }

    /// Polls. Returns whether there is a new answer, which must differ from the last one.
    pub(crate) fn poll(&mut self) -> Result<bool, String> {
        let given = self.observation.poll();
        let is_new = given.is_some();
        if is_new && given == self.last {
            return Err(format!("{} gave the same again", self.asked.target));
        }
        self.last = given.or(self.last.take());
        Ok(is_new)
    }

    /// Compares the last answer with the current one.
    pub(crate) fn check(&mut self, engine: &Engine) -> Result<bool, String> {
        let is_new = self.poll()?;
        let fresh = Some(self.asked.fresh(engine, self.is_record));
        if self.last == fresh {
            return Ok(is_new);
        }
        let (target, last) = (&self.asked.target, &self.last);
        Err(format!("{target}\nobserved {last:?}\nasked {fresh:?}"))
    }
}

#[test]
fn live_queries_return_current_answers() {
    let count = Counts::default();
    let sequences = search(
        seeds(extent(60, 500)),
        |seed| World::new(seed).actions(40),
        |seed, actions| run(seed, actions, &count),
    );
    println!("{sequences} sequences: {count}");
    // Days change often here, and a batch contains records of most kinds.
    let [polls, asks] = ["polls", "asked again"].map(|what| count.get(what));
    count.at_least("changes", 5 * sequences);
    count.at_least("polls", 400 * sequences);
    count.at_least("asked again", 50 * sequences);
    count.at_least("gave something", asks / 20);
    count.at_least("found something", 10 * sequences);
    assert!(asks * 3 < polls * 2);
}

/// Several live queries while a writer makes changes: each returns newer and newer answers, up to
/// the last one.
#[test]
fn no_answer_is_older_than_the_one_before() {
    const LAST: u64 = 300;
    let _dog = Watchdog::over("observers beside a writer", Duration::from_secs(300));
    let engine = Engine::memory(Options::default()).unwrap();
    let grade = |name: u64| {
        let line = format!(r#"{{"type":"grade","school_id":1,"grade_id":9,"grade":"{name}"}}"#);
        engine.apply(line.as_bytes()).unwrap();
    };
    grade(0);
    let given: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let observers: Vec<_> = (0..4)
            .map(|_| {
                let mut grades = engine.observe(Grades {
                    school: 1,
                    grade_id: None,
                });
                scope.spawn(move || {
                    let mut names = Vec::new();
                    while names.last() != Some(&LAST) {
                        names.push(name(&grades.next().unwrap().unwrap()));
                    }
                    names
                })
            })
            .collect();
        for name in 1..=LAST {
            grade(name);
        }
        let ended = observers.into_iter().map(ScopedJoinHandle::join);
        ended.map(Result::unwrap).collect()
    });
    for given in &given {
        assert!(given.is_sorted_by(|a, b| a < b), "{given:?}");
    }
    println!(
        "{:?} answers",
        given.iter().map(Vec::len).collect::<Vec<_>>()
    );
}

/// Returns the number in the name of the grade.
fn name(answer: &Answer) -> u64 {
    let digits = |letter: &char| letter.is_ascii_digit();
    let name = answer.text().split("Grade ").nth(1).unwrap();
    name.chars()
        .take_while(digits)
        .collect::<String>()
        .parse()
        .unwrap()
}

fn run(seed: u64, actions: &[Action], count: &Counts) -> Result<(), String> {
    let text = |error: Error| error.to_string();
    let folder = tempfile::tempdir().unwrap();
    let hand = Arc::new(AtomicI64::new(0));
    let now = hand.clone();
    let clock = Clock::custom(move || now.load(Ordering::Relaxed));
    let options = Options {
        clock,
        ..Options::default()
    };
    let engine = Engine::open(folder.path().join("store.redb"), options).map_err(text)?;
    let mut observed: Vec<CheckedQuery> = questions(seed)
        .into_iter()
        .map(|(asked, is_record)| CheckedQuery::new(&engine, asked, is_record))
        .collect();
    for (place, action) in actions.iter().enumerate() {
        count.add("changes", u64::from(perform(&engine, action, &hand)?));
        for query in &mut observed {
            let asks = query.asked.count.load(Ordering::Relaxed);
            let is_new = query.check(&engine);
            let is_new = is_new.map_err(|what| format!("action {place} {action:?}: {what}"))?;
            let asks = query.asked.count.load(Ordering::Relaxed) - asks;
            count.add("polls", 1);
            count.add("asked again", asks);
            count.add("gave something", u64::from(is_new));
            count.add("found something", u64::from(is_new && query.has_found()));
        }
    }
    engine.close().map_err(text)?;
    let mut ended = observed.iter_mut();
    match ended.find_map(|query| query.observation.next()) {
        Some(given) => Err(format!("it gave {given:?} at the end")),
        None => Ok(()),
    }
}

/// Returns the questions of the requests of a world, some of them for one record.
pub(crate) fn questions(seed: u64) -> Vec<(Asked, bool)> {
    let mut dice = Random::new(!seed);
    let mut questions = Vec::new();
    for action in World::new(seed + 1_000_000).actions(120) {
        let Action::Request {
            method,
            target,
            headers,
            ..
        } = action
        else {
            continue;
        };
        let username = headers.iter().find(|(name, _)| name == "HTTP-X-USERNAME");
        let username = username.and_then(|(_, value)| String::from_utf8(value.clone()).ok());
        let asked = Asked {
            username: username.unwrap_or_else(|| "demo".to_owned()),
            target,
            count: Arc::default(),
        };
        if method == "GET" && asked.hand(&mut |_| {}).is_some() {
            questions.push((asked, dice.chance(25)));
        }
    }
    questions
}

/// Makes a change, or sets the time. Returns whether something was changed. Instead of opening the
/// store again, suspends it and resumes.
fn perform(engine: &Engine, action: &Action, hand: &AtomicI64) -> Result<bool, String> {
    let text = |error: Error| error.to_string();
    let changed = match action {
        Action::Apply(lines) => engine.apply(lines.join("\n").as_bytes()),
        Action::ReplaceSchool(school, lines) => {
            engine.replace_school(*school, lines.join("\n").as_bytes())
        }
        Action::RemoveSchool(school) => engine.remove_school(*school),
        Action::EraseLearner(school, learner) => engine.erase_learner(*school, *learner),
        Action::Compact => return engine.compact().map(|()| false).map_err(text),
        Action::Reopen => {
            engine.suspend().map_err(text)?;
            return engine.resume().map(|()| false).map_err(text);
        }
        Action::Request { method, .. } if method == "GET" => {
            if let Action::Request { now, .. } = action {
                hand.store(*now, Ordering::Relaxed);
            }
            return Ok(false);
        }
        Action::Request { .. } => {
            let answer = action.ask(engine, None);
            return Ok(answer.is_some_and(|answer| answer.status.code == 200));
        }
    };
    match changed {
        Ok(_) => Ok(true),
        // A dataset with a fault changes nothing.
        Err(Error::BadDataset(_)) => Ok(false),
        Err(error) => Err(text(error)),
    }
}
