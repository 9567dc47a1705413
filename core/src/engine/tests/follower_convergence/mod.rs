//! Tests that a follower of a store misses nothing: all differences from an export at an earlier
//! change position are reported as changed since then, whatever happened in between.

mod bounds;
mod histories;
mod place;
mod world;

use crate::Credentials;
use crate::engine::Engine;
use crate::error::Result;
use crate::store::{self, ChangePosition, ChangedKey, LogPartition};
use place::Place;
use std::collections::BTreeSet;
use std::ops::Range;
use world::{Random, Records, SCHOOLS};

/// The default of `journal_bytes`.
const USUAL: u64 = 1 << 20;

fn change_position(engine: &Engine) -> Result<ChangePosition> {
    engine.store.read(|snapshot| snapshot.change_position())
}

fn knows(engine: &Engine, change_position: ChangePosition) -> Result<bool> {
    engine
        .store
        .read(|snapshot| snapshot.covers(change_position))
}

/// The changes of a log partition since a change position.
#[derive(Debug, PartialEq, Eq)]
enum Since {
    Records {
        changed_keys: BTreeSet<ChangedKey>,
        coverage: bool,
    },
    Whole,
}

fn since(
    engine: &Engine,
    log_partition: LogPartition,
    change_position: ChangePosition,
) -> Result<Since> {
    engine.store.read(|snapshot| {
        let store::ChangesSince::Listed { coverage, .. } =
            snapshot.since(log_partition, change_position)?
        else {
            return Ok(Since::Whole);
        };
        let changed_keys = snapshot.changed_keys(
            log_partition,
            change_position,
            None,
            usize::MAX,
            &mut |_| Ok(true),
        )?;
        Ok(Since::Records {
            changed_keys,
            coverage,
        })
    })
}

fn changed_key(kind: u8, words: [u64; 4]) -> ChangedKey {
    ChangedKey { kind, words }
}

/// Returns a report of exactly these changed records.
fn reported<const N: usize>(records: [ChangedKey; N]) -> Since {
    Since::Records {
        changed_keys: records.into(),
        coverage: false,
    }
}

/// An earlier export, and its change position.
struct EarlierExport {
    change_position: ChangePosition,
    records: Records,
}

fn exported(engine: &Engine) -> Result<Records> {
    let lines: Vec<_> = engine
        .export(Credentials::Keep)?
        .collect::<std::result::Result<_, _>>()?;
    Ok(world::records(&lines))
}

const LOG_PARTITIONS: [LogPartition; 3] = [
    LogPartition::Global,
    LogPartition::School(SCHOOLS[0]),
    LogPartition::School(SCHOOLS[1]),
];

/// The number of reports with changed records, of records that differed, and of reports that
/// everything may have changed.
#[derive(Debug, Default)]
struct ReportCounts {
    records: usize,
    differing: usize,
    whole: usize,
}

/// Fails if a follower with this export would miss a change.
fn follow(
    engine: &Engine,
    seen: &EarlierExport,
    counts: &mut ReportCounts,
    what: &str,
) -> Result<()> {
    let now = exported(engine)?;
    let keys = now.keys().chain(seen.records.keys());
    let differ = keys.filter(|key| now.get(key) != seen.records.get(key));
    let differ: BTreeSet<_> = differ.copied().collect();
    for log_partition in LOG_PARTITIONS {
        match since(engine, log_partition, seen.change_position)? {
            Since::Whole => counts.whole += 1,
            Since::Records { changed_keys, .. } => {
                counts.records += 1;
                for (_, record) in differ.iter().filter(|(of, _)| *of == log_partition) {
                    counts.differing += 1;
                    assert!(
                        changed_keys.contains(record),
                        "{what}: {log_partition:?} {record:?}"
                    );
                }
            }
        }
    }
    Ok(())
}

/// A store with a random history.
struct RandomHistory {
    random: Random,
    journal_bytes: u64,
    place: Place,
    engine: Engine,
    did: Vec<u64>,
}

impl RandomHistory {
    fn act(&mut self) -> Result<()> {
        let (engine, random) = (&self.engine, &mut self.random);
        let school = random.pick(&SCHOOLS).copied().unwrap_or(0);
        let what = random.up_to(40);
        self.did.push(what);
        match what {
            // A refused dataset changes nothing.
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
    let place = Place::from_bytes(&std::fs::read(&path)?)?;
    std::fs::remove_file(path)?;
    Ok(place)
}

/// Returns the seeds of a sample, or of a long search if `ROLLBOOK_SEARCH` is `whole`, beginning
/// with `ROLLBOOK_SEED`.
fn seeds() -> Range<u64> {
    let is_whole = std::env::var("ROLLBOOK_SEARCH").is_ok_and(|extent| extent == "whole");
    let first = std::env::var("ROLLBOOK_SEED").ok();
    let first = first.and_then(|seed| seed.parse().ok()).unwrap_or(0);
    first..first + if is_whole { 600 } else { 30 }
}

/// Tests three limits of the journal: the default, one with which rows are merged, and one with
/// which almost all rows are removed.
#[test]
fn each_difference_is_reported_as_changed() -> Result<()> {
    for journal_bytes in [USUAL, 2000, 300] {
        let mut counts = ReportCounts::default();
        for seed in seeds() {
            let place = Place::default();
            let mut life = RandomHistory {
                random: Random(seed),
                journal_bytes,
                engine: place.open(journal_bytes)?,
                place,
                did: Vec::new(),
            };
            let mut seen: Vec<EarlierExport> = Vec::new();
            for _ in 0..50 {
                life.act()?;
                let what = format!("{journal_bytes} bytes, seed {seed}: {:?}", life.did);
                for _ in 0..3 {
                    if let Some(seen) = life.random.pick(&seen) {
                        follow(&life.engine, seen, &mut counts, &what)?;
                    }
                }
                seen.push(EarlierExport {
                    change_position: change_position(&life.engine)?,
                    records: exported(&life.engine)?,
                });
            }
            let found = life.engine.verify()?;
            assert!(found.is_sound(), "{found:?}");
        }
        let worlds = seeds().count();
        let enough = counts.records > 35 * worlds && counts.differing > 35 * worlds;
        let enough = enough && counts.whole >= worlds;
        assert!(enough, "{journal_bytes} bytes: {counts:?}");
    }
    Ok(())
}
