//! Writes the records that are answered whole, with the fields that the corpus has for
//! them, as `peers/wire.rs` declares records.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const FIELDS: &str = "../tests/corpus/records.txt";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={FIELDS}");
    let text = fs::read_to_string(FIELDS)?;
    let mut records = String::new();
    for (kind, name) in [
        ("learner", "Learner"),
        ("parent", "Parent"),
        ("absentee", "Absentee"),
    ] {
        let (_, after) = text
            .split_once(&format!("\n{kind}\n"))
            .ok_or_else(|| format!("{FIELDS} has no {kind}"))?;
        let fields = after.lines().take_while(|line| line.starts_with(' '));
        let (more, fields): (Vec<_>, Vec<_>) = fields
            .map(str::trim)
            .partition(|field| field.ends_with('?'));
        write!(records, "record! {{ {name}<'a> {{ {} }}", fields.join(", "))?;
        // Its parents are all that one of these may have beside texts.
        if more == ["parents?"] {
            let absent = r#"#[serde(default, skip_serializing_if = "Option::is_none")]"#;
            write!(
                records,
                " and {{ {absent} parents: Option<Vec<Parent<'a>>> }}"
            )?;
        }
        records.push_str(" }\n");
    }
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("records.rs"), records)?;
    Ok(())
}
