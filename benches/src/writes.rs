//! Measures durable changes in comparison with the minimum cost: a bare commit of redb.

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

/// The times in seconds of a change, and of the bare commits that were made in turn with it.
#[derive(Debug, Clone, Serialize)]
pub struct Written {
    /// The name of the change.
    pub name: &'static str,
    /// The times of the change.
    pub change: Spread,
    /// The times of a bare commit.
    pub bare: Spread,
    /// The ratio of the two medians.
    pub ratio: f64,
}

/// The number of rounds of the other changes for each time that the same dataset is applied again.
const ROUNDS_OF_ALL: usize = 20;

/// Makes each small change of a school with this number of learners in this number of rounds, and
/// applies its dataset again. Before each change, there is a bare commit. `folder` must not contain
/// files of an earlier measurement.
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

/// A database of redb with only a few values.
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

    /// Commits one small value, as durably as the engine commits.
    fn commit(&mut self) -> Result<()> {
        self.commits += 1;
        let mut transaction = self.database.begin_write()?;
        // This setting implies a two-phase commit.
        transaction.set_quick_repair(true);
        transaction
            .open_table(VALUES)?
            .insert(self.commits, [0; 100].as_slice())?;
        Ok(transaction.commit()?)
    }
}
