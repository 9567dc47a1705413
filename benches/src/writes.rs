//! Durable changes beside the least that one can cost: a bare commit of the
//! store below.

use crate::changes::Change;
use crate::spread::{Spread, timed};
use anyhow::{Result, ensure};
use redb::{Database, TableDefinition};
use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;
use serde::Serialize;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// A change, and the bare commits that were made in turn with it; in seconds.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// What was changed.
    pub name: &'static str,
    /// How long it took.
    pub change: Spread,
    /// How long a bare commit took.
    pub bare: Spread,
    /// How many medians of a bare commit its own is.
    pub ratio: f64,
}

/// The same dataset again is applied once for so many rounds of the others.
const ROUNDS_OF_ALL: usize = 20;

/// Makes each small change of a school of so many learners in so many rounds,
/// and applies its dataset again; each time there is a bare commit before it.
/// The files go to a folder that has none of them.
pub fn measure(learners: u32, folder: &Path, rounds: usize) -> Result<Vec<Written>> {
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    let mut dataset = Vec::new();
    school.reader().read_to_end(&mut dataset)?;
    let engine = Engine::open(folder.join("rollbook.redb"), Options::default())?;
    engine.apply(dataset.as_slice())?;
    let mut bare = Bare::open(&folder.join("bare.redb"))?;
    let rounds_of_all = rounds.div_ceil(ROUNDS_OF_ALL);
    let all = in_turn("the same dataset again", rounds_of_all, &mut bare, |_| {
        let total = engine.apply(dataset.as_slice())?.total();
        let others = total.added + total.changed + total.removed;
        ensure!(others == 0, "the same dataset: {total:?}");
        Ok(())
    })?;
    let mut written = Vec::new();
    for change in Change::for_school(&school)? {
        let write = |round| change.write(&engine, round);
        written.push(in_turn(change.name, rounds, &mut bare, write)?);
    }
    written.push(all);
    engine.close()?;
    Ok(written)
}

fn in_turn(
    name: &'static str,
    rounds: usize,
    bare: &mut Bare,
    mut change: impl FnMut(usize) -> Result<()>,
) -> Result<Written> {
    let (mut changes, mut commits) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let (committed, took) = timed(|| bare.commit());
        committed?;
        commits.push(took);
        let (changed, took): (_, Duration) = timed(|| change(round));
        changed?;
        changes.push(took);
    }
    let (change, bare) = (Spread::new(changes), Spread::new(commits));
    Ok(Written {
        name,
        change,
        bare,
        ratio: change.median / bare.median,
    })
}

/// A database of the store below with nothing but a few values.
struct Bare {
    database: Database,
    commits: u64,
}

const VALUES: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("values");

impl Bare {
    fn open(path: &Path) -> Result<Bare> {
        let database = Database::builder()
            .set_cache_size(Options::default().cache_bytes)
            .create(path)?;
        Ok(Bare {
            database,
            commits: 0,
        })
    }

    /// One small value, as durably as the engine commits.
    fn commit(&mut self) -> Result<()> {
        self.commits += 1;
        let mut transaction = self.database.begin_write()?;
        // With it comes the two-phase commit.
        transaction.set_quick_repair(true);
        transaction
            .open_table(VALUES)?
            .insert(self.commits, [0; 100].as_slice())?;
        Ok(transaction.commit()?)
    }
}
