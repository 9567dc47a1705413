//! What a fuzzer reads without a store around it. It is there for a fuzzer alone.

use crate::engine::Engine;
use crate::error::{Result, public};
use crate::json::Chunks;
use crate::record::learner_subject::LearnerSubject;
use crate::record::mark::Mark;
use crate::record::open_row::OpenRow;
use crate::record::{Kind, bake, typed};
use crate::store::{Collection, Directory, Run, Totals};

/// Forgets what an engine has read: the bytes beneath it are others now.
pub fn forget(engine: &Engine) -> public::Result<()> {
    Ok(engine.forget()?)
}

/// Reads bytes as a row of a store, of which kind says the first: whether it is one. What
/// was written comes out the same when it is written again.
pub fn row(bytes: &[u8]) -> bool {
    let Some((kind, bytes)) = bytes.split_first() else {
        return false;
    };
    let collection = Collection::ALL.get(usize::from(*kind));
    collection
        .map_or_else(|| table(bytes), |collection| run(bytes, *collection))
        .is_ok()
}

/// Reads bytes as the answer to a question of a sync, of which the first byte says which:
/// whether it is one. What it told comes back.
#[cfg(feature = "sync")]
pub fn answer(bytes: &[u8]) -> bool {
    crate::sync::fuzz(bytes)
}

fn table(bytes: &[u8]) -> Result<()> {
    if let Ok(totals) = Totals::decode(bytes) {
        let once = totals.encode();
        assert_eq!(Totals::decode(&once)?.encode(), once);
    }
    let directory = Directory::decode(bytes)?;
    assert_eq!(directory.encode(), bytes);
    Ok(())
}

fn run(bytes: &[u8], collection: Collection) -> Result<()> {
    let run = Run::open(bytes, collection.layout())?;
    run.check()?;
    for (index, key) in run.keys().enumerate() {
        assert_eq!(run.find(key), Some(index));
        let item = run.item(index)?;
        let [lane, ..] = item.lanes;
        match Kind::kept_in(collection) {
            Some(Kind::LearnerSubject) => drop(LearnerSubject::open(lane)?.values()?),
            Some(Kind::Mark) => drop(Mark::decode(lane)?),
            Some(kind) => {
                bake::values(kind, &[key.0, key.1], &item)?;
                let mut out = Vec::new();
                typed::push_record(&run, index, &mut Chunks::new(&mut out))?;
            }
            None if collection == Collection::MarkRows => {
                let (mut once, mut twice) = (Vec::new(), Vec::new());
                OpenRow::of(lane)?.encode(&mut once);
                OpenRow::of(&once)?.encode(&mut twice);
                assert_eq!(once, twice);
            }
            None => {}
        }
    }
    Ok(())
}
