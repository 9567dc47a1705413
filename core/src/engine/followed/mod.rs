//! Whoever follows a store misses nothing: what differs from an export of an earlier moment
//! was touched since, whatever happened between.

mod bounds;
mod histories;
mod place;
mod world;

use super::Engine;
use crate::Credentials;
use crate::error::Result;
use crate::store::{Area, Moment, Since, Touched};
use place::Place;
use std::collections::BTreeSet;
use world::{Random, Records, SCHOOLS};

/// What the bound is unless told otherwise.
const USUAL: u64 = 1 << 20;

fn moment(engine: &Engine) -> Result<Moment> {
    engine.store.read(|snapshot| snapshot.moment())
}

fn knows(engine: &Engine, moment: Moment) -> Result<bool> {
    engine.store.read(|snapshot| snapshot.knows(moment))
}

fn since(engine: &Engine, area: Area, moment: Moment) -> Result<Since> {
    engine
        .store
        .read(|snapshot| snapshot.touched_since(area, moment))
}

fn touched(kind: u8, words: [u64; 4]) -> Touched {
    Touched { kind, words }
}

/// What is told of these records alone.
fn told<const N: usize>(records: [Touched; N]) -> Since {
    Since::Records {
        touched: records.into(),
        coverage: false,
    }
}

/// What a follower saw, and when.
struct Seen {
    moment: Moment,
    records: Records,
}

fn exported(engine: &Engine) -> Result<Records> {
    let lines: Vec<_> = engine
        .export(Credentials::Keep)?
        .collect::<std::result::Result<_, _>>()?;
    Ok(world::records(&lines))
}

const AREAS: [Area; 3] = [
    Area::Global,
    Area::School(SCHOOLS[0]),
    Area::School(SCHOOLS[1]),
];

/// How often a follower was told of records, how many of them differed, and how often the
/// follower was to look at everything.
#[derive(Debug, Default)]
struct Told {
    records: usize,
    differing: usize,
    whole: usize,
}

/// Fails if a follower who saw this would miss something.
fn follow(engine: &Engine, seen: &Seen, told: &mut Told, what: &str) -> Result<()> {
    let now = exported(engine)?;
    let keys = now.keys().chain(seen.records.keys());
    let differ = keys.filter(|key| now.get(key) != seen.records.get(key));
    let differ: BTreeSet<_> = differ.copied().collect();
    for area in AREAS {
        match since(engine, area, seen.moment)? {
            Since::Whole => told.whole += 1,
            Since::Records { touched, .. } => {
                told.records += 1;
                for (_, record) in differ.iter().filter(|(of, _)| *of == area) {
                    told.differing += 1;
                    assert!(touched.contains(record), "{what}: {area:?} {record:?}");
                }
            }
        }
    }
    Ok(())
}

/// A store that things happen to.
struct Life {
    random: Random,
    journal_bytes: u64,
    place: Place,
    engine: Engine,
    did: Vec<u64>,
}

impl Life {
    fn act(&mut self) -> Result<()> {
        let (engine, random) = (&self.engine, &mut self.random);
        let school = random.pick(&SCHOOLS).copied().unwrap_or(0);
        let what = random.up_to(40);
        self.did.push(what);
        match what {
            // What is refused changes nothing.
            1..=25 => drop(engine.apply(world::dataset(random, None, 12).as_bytes())),
            26..=29 => {
                let dataset = world::dataset(random, Some(school), 40);
                drop(engine.replace_school(school, dataset.as_bytes()));
            }
            30..=32 => {
                engine.erase_learner(school, random.up_to(5))?;
            }
            33 => {
                engine.remove_school(school)?;
            }
            34..=35 => self.reopen()?,
            36 => engine.compact()?,
            37..=38 => {
                self.place = self.place.copy()?;
                self.reopen()?;
            }
            _ => {
                self.place = backup(engine, Credentials::Keep)?;
                self.reopen()?;
            }
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<()> {
        self.engine.close()?;
        self.engine = self.place.open(self.journal_bytes)?;
        Ok(())
    }
}

fn backup(engine: &Engine, credentials: Credentials) -> Result<Place> {
    let name = format!("rollbook-followed-{}.redb", std::process::id());
    let name = format!("{:?}-{name}", std::thread::current().id());
    let path = std::env::temp_dir().join(name);
    engine.backup(&path, credentials)?;
    let place = Place::holding(&std::fs::read(&path)?)?;
    std::fs::remove_file(path)?;
    Ok(place)
}

/// The bound: as it usually is; so that rows are merged; so that almost all are dropped.
#[test]
fn whatever_differs_was_touched() -> Result<()> {
    for journal_bytes in [USUAL, 2000, 300] {
        let mut told = Told::default();
        for seed in 0..30 {
            let place = Place::default();
            let mut life = Life {
                random: Random(seed),
                journal_bytes,
                engine: place.open(journal_bytes)?,
                place,
                did: Vec::new(),
            };
            let mut seen: Vec<Seen> = Vec::new();
            for _ in 0..50 {
                life.act()?;
                let what = format!("{journal_bytes} bytes, seed {seed}: {:?}", life.did);
                for _ in 0..3 {
                    if let Some(seen) = life.random.pick(&seen) {
                        follow(&life.engine, seen, &mut told, &what)?;
                    }
                }
                seen.push(Seen {
                    moment: moment(&life.engine)?,
                    records: exported(&life.engine)?,
                });
            }
            let found = life.engine.verify()?;
            assert!(found.is_sound(), "{found:?}");
        }
        let enough = told.records > 1000 && told.differing > 1000 && told.whole > 0;
        assert!(enough, "{journal_bytes} bytes: {told:?}");
    }
    Ok(())
}
