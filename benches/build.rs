//! Generates the records that are answered with all their fields, for the macro of `peers/wire.rs`,
//! from the fields in the corpus.

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
        // The only field of such a record that is not a text is `parents`.
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
