//! `rollbook export`: writes the records of a store as a dataset.

use crate::args::parse_scope;
use crate::output::{Written, file_of, print, write_lines};
use crate::store::{StoreError, named, open_existing};
use crate::{Outcome, UsageError};
use indicatif::{HumanBytes, HumanCount};
use rollbook::{Credentials, Engine, Export, Options, Scope};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Write the records of a store as a dataset, one record per line.
///
/// The dataset is personal data. A file that is created can be read only by its owner. It is
/// complete, or remains as it was if the command fails.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The file of the dataset, which is replaced if it exists. The default is stdout.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only the records of a school (1000), or of learners of it (1000:1,2). Several schools are
    /// joined by +. Logins are never part of it.
    #[arg(long, value_name = "SCOPE", value_parser = parse_some_scope, conflicts_with_all = ["pseudonymise", "with_credentials"])]
    scope: Option<Scope>,
    /// Replace ids, names, texts and dates by others, for tests. A reader who knows the school can
    /// recognise its people, so that the dataset is still confidential.
    ///
    /// The same key, in ROLLBOOK_PSEUDONYM_KEY as 64 hexadecimal digits, gives the same pseudonyms.
    /// Without a key, each export has other ones. Logins are never part of it.
    #[arg(long, conflicts_with = "with_credentials")]
    pseudonymise: bool,
    /// Include the integrators with the hashes of their passwords.
    #[arg(long)]
    with_credentials: bool,
}

/// The environment variable with the key of the pseudonyms.
const KEY: &str = "ROLLBOOK_PSEUDONYM_KEY";

const EXAMPLES: &str = "\
Examples:
  rollbook export --store school.redb -o school.ndjson
  rollbook export --store school.redb | grep '\"type\":\"learner\"'
  rollbook export --store school.redb --scope 1000:1,2
      The records of two learners, and the tables to which they refer.
  ROLLBOOK_PSEUDONYM_KEY=$(openssl rand -hex 32) \\
    rollbook export --store school.redb --pseudonymise -o test.ndjson
      A school with the same structure and other people.";

/// Exports the store.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let store = &arguments.store;
    let file = file_of(arguments.output.as_deref());
    if file.is_some_and(|file| is_same_file(file, store)) {
        let store = store.display();
        let what = format!("{store} is the store: give another file for the output");
        return Err(UsageError(what).into());
    }
    let key = arguments.pseudonymise.then(pseudonym_key).transpose()?;
    let engine = open_existing(store, Options::default())?;
    let lines = export(&engine, arguments, key.as_ref()).map_err(named(store))?;
    let mut has_school = false;
    let lines = lines.map(|line| {
        let line = line.map_err(named(store))?;
        has_school = has_school || line.contains(r#""school_id":"#);
        Ok::<_, StoreError>(line)
    });
    let written = write_lines(file, lines)?;
    engine.close().map_err(named(store))?;
    if !has_school {
        let of = arguments.scope.as_ref().map_or("", |_| " of the scope");
        eprintln!("rollbook: the store has no school{of}");
    }
    if let Some(file) = file {
        print_written(file, &written, json)?;
    }
    Ok(Outcome::Success)
}

fn export(
    engine: &Engine,
    arguments: &Arguments,
    key: Option<&[u8; 32]>,
) -> rollbook::Result<Export> {
    match (&arguments.scope, key) {
        (Some(scope), _) => engine.export_scope(scope),
        (None, Some(key)) => engine.export_pseudonymised(key),
        (None, None) if arguments.with_credentials => engine.export(Credentials::Keep),
        (None, None) => engine.export(Credentials::LeaveOut),
    }
}

/// Prints the numbers of records and bytes of a new dataset.
pub(super) fn print_written(file: &Path, written: &Written, json: bool) -> Result<(), String> {
    let file = file.display();
    let text = if json {
        let (file, records, bytes) = (file.to_string(), written.lines, written.bytes);
        json!({"file": file, "records": records, "bytes": bytes}).to_string()
    } else {
        let (records, bytes) = (HumanCount(written.lines), HumanBytes(written.bytes));
        format!("{file}: {records} records, {bytes}")
    };
    print(&format!("{text}\n"))
}

/// Parses a scope that is not empty.
fn parse_some_scope(text: &str) -> Result<Scope, &'static str> {
    parse_scope(text)
        .filter(|scope| *scope != Scope::default())
        .ok_or("give a school, or learners of it, for example 1000 or 1000:1,2")
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns the key of the environment, or a random one.
fn pseudonym_key() -> Result<[u8; 32], Box<dyn Error>> {
    let Some(text) = std::env::var_os(KEY) else {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        eprintln!("rollbook: {KEY} is not set: a random key is used, and then discarded");
        return Ok(key);
    };
    let key = text.to_str().and_then(parse_key);
    key.ok_or_else(|| UsageError(format!("{KEY} must have 64 hexadecimal digits")).into())
}

fn parse_key(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if text.len() != 2 * key.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in key.iter_mut().enumerate() {
        let digits = text.get(2 * index..2 * index + 2)?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(key)
}
