//! Verification: the check of redb, and the check of the records in the store.

use crate::dataset;
use crate::error::{Error, Result};
use crate::store::Store;

/// The result of a check of the whole store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// The number of records that were checked.
    pub records: u64,
    /// The first hundred problems that were found. It is empty if the store is sound.
    pub problems: Vec<String>,
}

impl Verification {
    /// Returns whether no problem was found.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let found = engine.verify()?;
    /// if !found.is_sound() {
    ///     for problem in &found.problems {
    ///         eprintln!("{problem}");
    ///     }
    /// }
    /// # assert!(found.is_sound());
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

pub(super) fn verify(store: &Store) -> Result<Verification> {
    let checked = store.check(|snapshot| {
        let mut found = dataset::Inspection::default();
        // Data that cannot be read is a problem too.
        if let Err(error) = found.inspect(snapshot) {
            found.problem(error.to_string());
        }
        Ok(found)
    });
    let (sound, found) = match checked {
        Ok(checked) => checked,
        Err(error) if matches!(*error, Error::Corrupt { .. } | Error::Io { .. }) => {
            let mut found = dataset::Inspection::default();
            found.problem(error.to_string());
            (true, found)
        }
        Err(error) => return Err(error),
    };
    let mut verification = Verification {
        records: found.records,
        problems: found.problems,
    };
    if !sound {
        verification
            .problems
            .insert(0, "the file fails redb's check".to_owned());
    }
    Ok(verification)
}
