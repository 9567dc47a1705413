//! Lists the files of the explorer that the server embeds. They are made by
//! `bindings/javascript/explorer/build`, which needs Node; without them the server has a plain page.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folder of the explorer.
const FOLDER: &str = "assets/explorer";

/// The folder in which the explorer is made, in a clone.
const SOURCE: &str = "../../bindings/javascript/explorer";

/// The files that only a page on a host of files needs: the engine, and what stores it offline.
const LEFT_OUT: [&str; 3] = [
    "rollbook/rollbook.wasm",
    "sample.ndjson.gz",
    "service-worker.js",
];

fn main() -> Result<(), Box<dyn Error>> {
    let crate_folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let folder = crate_folder.join(FOLDER);
    println!("cargo::rerun-if-changed=build.rs");
    // A path that does not exist counts as changed, and the crate would be compiled each time.
    if let Some(watched) = [FOLDER, SOURCE]
        .iter()
        .find(|path| crate_folder.join(path).exists())
    {
        println!("cargo::rerun-if-changed={watched}");
    }
    let mut files = Vec::new();
    if folder.join("index.html").exists() {
        list(&folder, &folder, &mut files)?;
    }
    files.sort();
    let mut code = "&[\n".to_owned();
    for (name, path) in files {
        let path = path.to_string_lossy();
        writeln!(code, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    code.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR")?).join("explorer_files.rs");
    Ok(fs::write(out, code)?)
}

/// Adds the files in a folder, with their paths in the explorer.
fn list(
    root: &Path,
    folder: &Path,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(root, &path, files)?;
            continue;
        }
        let name = path
            .strip_prefix(root)?
            .to_string_lossy()
            .replace('\\', "/");
        if !LEFT_OUT.contains(&name.as_str()) {
            files.push((name, path.canonicalize()?));
        }
    }
    Ok(())
}
