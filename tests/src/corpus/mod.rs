//! The corpus: cases of datasets, requests and exact answers, in files that run on the engine, over
//! HTTP and in every language.
//!
//! A `.case` file is text with lines that end at U+000A. A line that starts with `#` is a comment.
//! A directive starts in the first column; the lines that belong to it are indented by two spaces:
//!
//! | directive | its lines |
//! |---|---|
//! | `case NAME` | none; begins a case with an empty store, `at 2026-05-14T08:00:00Z`, `as demo demo` |
//! | `use FILE` | none; applies a dataset file of the corpus |
//! | `apply` | lines of a dataset; `! TEXT` the message of its error (`!~ TEXT` the beginning of it); `= KIND +A ~C -R .U` the numbers of records that are added, changed, removed and unchanged |
//! | `check LIMIT` | as `apply`, but nothing is applied; every fault has a `!` line |
//! | `replace_school ID` | as `apply` |
//! | `remove_school ID`, `erase_learner SCHOOL LEARNER` | `=` lines |
//! | `at INSTANT`, `as USER PASSWORD`, `as nobody` | none; sets the clock, or the credentials (`as nobody`: none), for the following requests |
//! | `export` | the exact export, without integrators |
//! | any other word: a request `METHOD TARGET` | `header NAME: VALUE`, `body TEXT`, `blanks BYTES` (the body is padded with spaces to this length), then the status, an optional `allow: METHODS`, then the exact body |
//!
//! In a body, `@KIND{…}` is a record with all fields that `records.txt` lists for the kind, in
//! their order. Fields that a case does not write are empty: `""` in v1, `null` in v2.
//!
//! A cursor is opaque, so a file gives it a name of lower-case letters and digits:
//!
//! | where | what |
//! |---|---|
//! | `"next_cursor":"<NAME>"` in a body, at most once | matches any cursor of one or more of `A–Z a–z 0–9 - _`; `NAME` stands for it until the end of the case, or until a later body assigns the name again |
//! | `<NAME>` in the target of a later request, any number of times | the cursor is sent in its place |

mod cursors;
mod parse;
mod records;
mod step;

pub use cursors::Cursors;
pub use parse::{Size, cases, cases_in_clear, size};
pub use records::Records;
pub use step::{Case, Expected, Message, Request, Step};

use std::path::{Path, PathBuf};

/// The folder of the corpus.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}
