//! Opens the stores that subcommands work with, and describes their failures.

use rollbook::{Engine, Options};
use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

/// An error of the engine, with the path of the store.
#[derive(Debug)]
pub(crate) struct StoreError {
    path: PathBuf,
    pub(crate) error: rollbook::Error,
}

impl Display for StoreError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        use rollbook::Error::{AlreadyOpen, CannotOpen, Exists, Missing, NotAStore};
        let has_path = matches!(
            self.error,
            AlreadyOpen { .. }
                | CannotOpen { .. }
                | Exists { .. }
                | Missing { .. }
                | NotAStore { .. }
        );
        if !has_path {
            write!(formatter, "{}: ", self.path.display())?;
        }
        self.error.fmt(formatter)
    }
}

impl Error for StoreError {}

/// Returns a function that adds the path of a store to an error of its engine.
pub(crate) fn named(path: &Path) -> impl Fn(rollbook::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |error| StoreError {
        path: path.clone(),
        error,
    }
}

/// Opens a store. Fails if there is no such file, where [`Engine::open`] would create one.
pub(crate) fn open_existing(path: &Path, options: Options) -> Result<Engine, Box<dyn Error>> {
    if !path.exists() {
        return Err(format!(
            "{}: there is no such store. `rollbook load` and `rollbook sync` create one",
            path.display()
        )
        .into());
    }
    Ok(Engine::open(path, options).map_err(named(path))?)
}
