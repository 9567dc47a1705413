//! Creates the sample school of 1,000 learners for the benches of other languages: `rows FOLDER`
//! creates `rollbook.redb`, and `rows.sqlite`, the peer *`SQLite` rows* with the same data.

use anyhow::{Context as _, Result, ensure};
use rollbook_benches::peers;
use rollbook_benches::schools::Schools;
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).context("rows FOLDER")?);
    std::fs::create_dir_all(&folder)?;
    for name in ["rollbook.redb", "rows.sqlite"] {
        let path = folder.join(name);
        ensure!(!path.exists(), "{} is there", path.display());
    }
    let schools = Schools::load(1, &folder)?;
    peers::rows(&folder, &schools)?;
    schools.engine.compact()?;
    Ok(schools.engine.close()?)
}
