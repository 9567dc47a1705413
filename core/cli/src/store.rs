//! Opens stores for commands that need an existing one, and prints their results.

use rollbook::{Engine, Options};
use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Opens a store. Fails if there is no such file, where `Engine::open` would create one.
pub(crate) fn open_existing(path: &Path, options: Options) -> Result<Engine, Box<dyn Error>> {
    if !path.exists() {
        return Err(format!(
            "{}: there is no such store. `rollbook load` and `rollbook sync` create one",
            path.display()
        )
        .into());
    }
    Ok(Engine::open(path, options)?)
}

/// Prints a line. A reader that has closed the pipe wants no more, which is no error.
pub(crate) fn print_line(out: &mut impl Write, line: &str) -> io::Result<()> {
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}
