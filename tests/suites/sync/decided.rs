//! Random schools whose service changes and is partly down, while the app approves and rejects
//! quarantined answers at random, during and between passes. Whatever it decides, the list of
//! quarantined answers is true, an outage removes few records, and the mirror finally equals one that
//! is synced from scratch.

mod app;
mod invariants;
mod service;

use super::guard::mirror_of;
use super::passes::{differences, mirror_with_grades_of, pass};
use super::{ACCESS, NOW, SCHOOL};
use app::{ALL, Answered, FINISH, WHOLE};
use rollbook::{Credentials, Engine, Options, Sync};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::shrink::Change;
use service::{KINDS, PARENT, Records, Service};
use std::collections::{BTreeMap, BTreeSet};

/// What happens to a school, each with the seed of its choices.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The service deletes (0), restores (1), changes (2) or empties (3) this percentage of its
    /// records of a kind.
    Service(usize, &'static str, usize, u64),
    /// Endpoints answer wrongly, or all answer again.
    Outage(Option<u64>),
    /// A pass begins or continues, and ends before this number of replies, or completely.
    Pass(Pass, u64),
    /// The app approves or rejects some of the quarantined answers.
    Decide(Decide, u64),
    /// The app requests some targets with priority.
    Ask(u64),
    Erase(u64),
    Reopen,
}

#[derive(Clone, Copy, Debug)]
struct Pass {
    /// Whether a new pass begins if the last one is over.
    begins: bool,
    rotate: u32,
    most_in_flight: u32,
    /// The number of replies after which the pass is left, and whether its sync is dropped.
    replies: usize,
    drops: bool,
    /// The probabilities that the app decides, or asks, after a reply.
    decides: usize,
    asks: usize,
}

#[derive(Clone, Copy, Debug)]
struct Decide {
    /// The percentage of answers that it decides about, and of approvals among them.
    share: usize,
    approves: usize,
    /// Whether each decision is given to a new sync.
    renews: bool,
}

impl Change for Event {}

fn events(seed: u64) -> Vec<Event> {
    let mut random = Random::new(seed ^ 0xdec1_ded0);
    let count = random.between(6, 16);
    (0..count).map(|_| event(&mut random)).collect()
}

fn event(random: &mut Random) -> Event {
    let seed = random.number();
    match random.below(100) {
        0..24 => {
            let share = random.pick(&[4, 15, 30, 60, 100]);
            let kind = random.pick(&KINDS).0;
            Event::Service(random.below(4), kind, share, seed)
        }
        24..36 => Event::Outage(Some(seed)),
        36..42 => Event::Outage(None),
        42..72 => {
            let replies = if random.chance(30) {
                random.below(60)
            } else {
                usize::MAX
            };
            let pass = Pass {
                begins: true,
                rotate: random.pick(&[0, 3, 1_000, u32::MAX]),
                most_in_flight: random.pick(&[1, 4]),
                replies,
                drops: random.chance(60),
                decides: random.pick(&[0, 0, 3, 20]),
                asks: random.pick(&[0, 0, 3, 20]),
            };
            Event::Pass(pass, seed)
        }
        72..86 => {
            let decide = Decide {
                approves: random.pick(&[0, 50, 100, 100]),
                share: random.pick(&[20, 50, 90, 100]),
                renews: random.chance(30),
            };
            Event::Decide(decide, seed)
        }
        86..94 => Event::Ask(seed),
        94..97 => Event::Erase(seed),
        _ => Event::Reopen,
    }
}

struct World<'c> {
    service: Service,
    mirror: Engine,
    folder: Option<tempfile::TempDir>,
    sync: Option<Sync>,
    calls: Vec<(u64, String)>,
    now: i64,
    erased: BTreeSet<u64>,
    /// The last answer to each target.
    answers: BTreeMap<String, Answered>,
    /// The records at the begin of the pass, as long as the service has these.
    begin: Option<Records>,
    /// The learners that were in no list at some time since then. Their values do not count.
    left: BTreeSet<u64>,
    /// The groups of which an answer was ever approved.
    approved: BTreeSet<String>,
    /// Whether the mirror has the records of the service.
    is_current: bool,
    is_in_pass: bool,
    counts: &'c Counts,
}

impl World<'_> {
    fn new(seed: u64, counts: &Counts) -> World<'_> {
        let mut random = Random::new(seed);
        let service = Service::new(&mut random);
        let mirror = mirror_of(&service.engine);
        let folder = random.chance(20).then(|| tempfile::tempdir().unwrap());
        let mirror = match &folder {
            Some(folder) => {
                let path = folder.path().join("store");
                mirror.backup(&path, Credentials::Keep).unwrap();
                Engine::open(&path, Options::default()).unwrap()
            }
            None => mirror,
        };
        World {
            service,
            mirror,
            folder,
            sync: None,
            calls: Vec::new(),
            now: NOW,
            erased: BTreeSet::new(),
            answers: BTreeMap::new(),
            begin: None,
            left: BTreeSet::new(),
            approved: BTreeSet::new(),
            is_current: true,
            is_in_pass: false,
            counts,
        }
    }

    fn run(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Service(how, kind, share, seed) => {
                (self.is_current, self.begin) = (false, None);
                self.service
                    .change(how, kind, share, &mut Random::new(seed));
            }
            Event::Outage(outage) => self.service.outage = outage,
            Event::Pass(pass, seed) => self.pass(pass, &mut Random::new(seed))?,
            Event::Decide(decide, seed) => {
                self.sync(25, 4);
                self.decide(decide, &mut Random::new(seed))?;
            }
            Event::Ask(seed) => {
                self.sync(25, 4);
                let mut random = Random::new(seed);
                for _ in 0..random.between(1, 8) {
                    self.ask(&mut random);
                    if random.chance(50) {
                        self.pass(FINISH, &mut random)?;
                    }
                }
            }
            Event::Erase(seed) => {
                let learner = 1 + seed % 20;
                drop(self.mirror.erase_learner(SCHOOL, learner));
                self.erased.insert(learner);
                (self.is_current, self.begin) = (false, None);
            }
            Event::Reopen => {
                if let Some(folder) = &self.folder {
                    self.sync = None;
                    self.mirror.close().unwrap();
                    self.mirror =
                        Engine::open(folder.path().join("store"), Options::default()).unwrap();
                } else if self.now % 2 == 0 {
                    self.sync = None;
                }
            }
        }
        self.check()
    }

    fn pass(&mut self, pass: Pass, random: &mut Random) -> Result<(), String> {
        if !self.is_in_pass && pass.begins {
            self.sync = None;
        }
        let is_new = self.sync.is_none() && !self.is_in_pass;
        self.sync(pass.rotate, pass.most_in_flight);
        let (before, bodies, answers) = (self.quarantined(), self.bodies(), self.answers.clone());
        self.is_in_pass = true;
        self.is_in_pass = !self.drive(pass, random)?;
        self.counts.add("passes", 1);
        if pass.decides == 0 && !self.is_in_pass {
            self.has_decided(&before, &answers)?;
            if self.is_current {
                self.has_bodies(&bodies)?;
            }
            let is_whole = is_new && pass.rotate == u32::MAX && pass.asks == 0;
            self.is_current |=
                is_whole && self.service.outage.is_none() && self.quarantined().is_empty();
        }
        self.has_lost_little()?;
        if pass.drops {
            self.sync = None;
            self.sync(25, 4);
        }
        Ok(())
    }

    /// Ends the outage and approves everything. The mirror then equals a fresh one.
    fn finish(&mut self) -> Result<(), String> {
        self.service.outage = None;
        for round in 0.. {
            let continues = self.is_in_pass;
            self.pass(WHOLE, &mut Random::new(round))?;
            self.check()?;
            let list = self.quarantined();
            if list.is_empty() && !continues {
                break;
            }
            if round > 6 {
                return Err(format!("still quarantined: {list:?}"));
            }
            let renews = round % 2 > 0;
            self.decide(Decide { renews, ..ALL }, &mut Random::new(round))?;
        }
        self.sync = None;
        let report = pass(&self.mirror, &self.service.engine, self.now);
        if (&report.failed, &report.quarantined) != (&vec![], &vec![]) {
            return Err(format!("{report:?}"));
        }
        let fresh = mirror_with_grades_of(&self.mirror, &self.service.engine, self.now);
        if !self.erased.is_empty() {
            for learner in &self.erased {
                drop(fresh.erase_learner(SCHOOL, *learner));
            }
            pass(&fresh, &self.service.engine, self.now);
        }
        self.mirror.apply(ACCESS.as_bytes()).unwrap();
        let mut differences = differences(&fresh, &self.mirror);
        // The parent of an erased learner remains until something else is published.
        for learner in &self.erased {
            let parent = format!(r#""parent","school_id":1000,"id":{}"#, learner + PARENT);
            differences.retain(|line| !line.contains(&parent));
        }
        let is_same = differences.is_empty();
        is_same.then_some(()).ok_or(format!("{differences:#?}"))
    }
}

#[test]
fn decisions_in_any_order_lead_to_the_records_of_the_service() {
    let counts = Counts::default();
    let worlds = seeds(extent(15, 400)).chain([3_515_740_073, 9_000_151]);
    let worlds = search(worlds, events, |seed, events| {
        let mut world = World::new(seed, &counts);
        for (number, event) in events.iter().enumerate() {
            world
                .run(*event)
                .map_err(|what| format!("event {number}, {event:?}: {what}"))?;
        }
        world.finish()
    });
    println!("{worlds} worlds: {counts}");
    counts.at_least("approvals", worlds);
    counts.at_least("rejections", worlds / 2);
}
