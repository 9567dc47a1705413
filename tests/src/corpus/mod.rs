//! The corpus: cases of datasets, requests and exact answers, in files that
//! every surface runs.
//!
//! A `.case` file is text in lines that end at U+000A. A line that starts with
//! `#` is a comment. A directive starts in the first column; the lines that
//! belong to it are indented by two blanks:
//!
//! | directive | its lines |
//! |---|---|
//! | `case NAME` | none; begins a case: an empty store, `at 2026-05-14T08:00:00Z`, `as demo demo` |
//! | `use FILE` | none; applies a dataset file of the corpus |
//! | `apply` | lines of a dataset; `! TEXT` the message of its refusal (`!~ TEXT` its beginning); `= KIND +A ~C -R .U` what was added, changed, removed and left |
//! | `check LIMIT` | as `apply`, but nothing is applied; every fault a `!` line |
//! | `replace_school ID` | as `apply` |
//! | `remove_school ID`, `erase_learner SCHOOL LEARNER` | `=` lines |
//! | `at INSTANT`, `as USER PASSWORD`, `as nobody` | none; the clock and the credentials from here on |
//! | `export` | the exact export, integrators left out |
//! | any other word: a request `METHOD TARGET` | `header NAME: VALUE`, `body TEXT`, `blanks BYTES` (the body goes on with blanks up to so many bytes), then the status, perhaps `allow: METHODS`, then the exact body |
//!
//! In a body, `@KIND{…}` is a record with all the fields that `records.txt` has for the
//! kind, in their order. Those that a case does not spell out are empty: `""` in v1,
//! `null` in v2.
//!
//! A cursor is opaque, so a file gives it a name of lower-case letters and digits:
//!
//! | where | what |
//! |---|---|
//! | `"next_cursor":"<NAME>"` in a body, at most once | any cursor, one or more of `A–Z a–z 0–9 - _`, is there; until the end of the case `NAME` stands for it, or until a later body gives the name anew |
//! | `<NAME>` in the target of a request after that, as often as it is wanted | that cursor is sent in its place |

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
