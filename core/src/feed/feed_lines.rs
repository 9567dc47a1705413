//! The lines of a feed that are not records of a dataset.
//!
//! ```text
//! {"type":"feed","from":"…","incarnation":7,"sequence":3,"parts":4,"scope":"…","pending":"…"}
//! {"type":"part","from":"…","schools":"…"}
//! {"type":"whole","school_id":1}
//! {"type":"seen","school_id":1,"units":[…]}
//! {"type":"complete","school_id":1}
//! {"type":"sum","school_id":1,"records":9,"digest":"…"}
//! {"type":"end","lines":7,"digest":"…"}
//! ```
//!
//! - `feed`: the head of a feed, which begins its first part. `from` is the digest of the position
//!   at which the follower must be, and is absent if it must have none. The change position and
//!   `parts` are those of the follower after the first part. `scope` is the scope after all parts,
//!   if it changes. `pending` lists the schools whose records later parts contain.
//! - `part`: the head of a later part, with the schools whose records it contains.
//! - `whole`: all records of the school follow; without a school, all lists that belong to no
//!   school.
//! - `seen`: the coverage of the school at the source.
//! - `complete`: the source has all data of the school.
//! - `sum`: the number and the digest of the records of the school that are in the scope; without a
//!   school, of the lists that belong to no school.
//! - `end`: the end of a part, with the number and the digest of its lines, including its head.

use crate::dataset::replication::coverage_entries::CoverageEntry;
use crate::date::Date;
use crate::json::{self, Object, elements};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::resume_token::{decode_text, encode_text};
use crate::record::replication::scope::{Scope, push_ascending, take_numbers};
use crate::store::{ChangePosition, Key};
use std::collections::BTreeSet;
use twox_hash::{XxHash3_64, XxHash3_128};

/// A line that is not a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FeedLine {
    /// The head of a feed.
    Feed(Box<FeedHead>),
    /// The digest of the position at which the follower must be, and the schools whose records the
    /// part contains.
    Part(String, BTreeSet<u64>),
    /// All records of a school follow, or all lists that belong to no school.
    Whole(Option<u64>),
    /// Coverage of a school at the source.
    Coverage(u64, Vec<CoverageEntry>),
    /// The source has all data of a school.
    Complete(u64),
    /// The sum of the records of a school, or of the lists that belong to no school.
    Sum(Option<u64>, RecordChecksum),
    /// The end of a part.
    End(LineChecksum),
}

/// The count and the digest of the lines of a part, which show that none is missing or altered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineChecksum {
    lines: u64,
    digest: u128,
}

impl LineChecksum {
    /// Adds the next line, without its line feed.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        let seed = XxHash3_64::oneshot(&self.digest.to_le_bytes());
        self.digest = XxHash3_128::oneshot_with_seed(seed, line);
    }
}

/// The count and the digest of a set of records. The digest does not depend on their order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RecordChecksum {
    records: u64,
    digest: u128,
}

impl RecordChecksum {
    /// Adds a record, given as a line.
    pub(super) fn add(&mut self, line: &str) {
        self.records += 1;
        let digest = XxHash3_128::oneshot(line.as_bytes());
        self.digest = self.digest.wrapping_add(digest);
    }
}

/// Returns a digest that identifies a position in a line of a feed. Positions themselves are long
/// if they list many learners, and a follower only needs to compare them.
pub(super) fn digest_of(position: &str) -> String {
    format!("{:032x}", XxHash3_128::oneshot(position.as_bytes()))
}

/// The head of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FeedHead {
    /// The digest of the position at which the follower must be, or `None` if it must have none.
    pub(super) from: Option<String>,
    /// The change position of the follower after the first part and after all later ones.
    pub(super) change_position: ChangePosition,
    /// The number of parts that the follower has applied in total after the first part.
    pub(super) parts: u64,
    /// The scope of the follower after the feed, or `None` if it is unchanged.
    pub(super) scope: Option<Scope>,
    /// Schools of the scope whose records later parts contain. They remain unchanged until then.
    pub(super) pending: BTreeSet<u64>,
}

impl FeedLine {
    pub(super) fn to_line(&self) -> String {
        let mut out = b"{\"type\":".to_vec();
        match self {
            FeedLine::Feed(head) => {
                out.extend_from_slice(b"\"feed\"");
                if let Some(from) = &head.from {
                    push_name(&mut out, "from");
                    json::push_string(&mut out, from);
                }
                let numbers = [
                    ("incarnation", head.change_position.incarnation),
                    ("sequence", head.change_position.sequence),
                    ("parts", head.parts),
                ];
                for (name, number) in numbers {
                    push_name(&mut out, name);
                    json::push_integer(&mut out, number);
                }
                if let Some(scope) = &head.scope {
                    let mut bytes = Vec::new();
                    scope.encode(&mut bytes);
                    push_name(&mut out, "scope");
                    json::push_string(&mut out, &encode_text(&bytes));
                }
                push_schools(&mut out, "pending", &head.pending);
            }
            FeedLine::Part(from, schools) => {
                out.extend_from_slice(b"\"part\"");
                push_name(&mut out, "from");
                json::push_string(&mut out, from);
                push_schools(&mut out, "schools", schools);
            }
            FeedLine::Whole(school) => {
                out.extend_from_slice(b"\"whole\"");
                if let Some(school) = school {
                    push_school(&mut out, *school);
                }
            }
            FeedLine::Coverage(school, entries) => {
                out.extend_from_slice(b"\"seen\"");
                push_school(&mut out, *school);
                push_name(&mut out, "units");
                push_list(&mut out, entries.iter(), push_entry);
            }
            FeedLine::Complete(school) => {
                out.extend_from_slice(b"\"complete\"");
                push_school(&mut out, *school);
            }
            FeedLine::Sum(school, RecordChecksum { records, digest }) => {
                out.extend_from_slice(b"\"sum\"");
                if let Some(school) = school {
                    push_school(&mut out, *school);
                }
                push_sum(&mut out, "records", *records, *digest);
            }
            FeedLine::End(LineChecksum { lines, digest }) => {
                out.extend_from_slice(b"\"end\"");
                push_sum(&mut out, "lines", *lines, *digest);
            }
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }

    /// Parses a line. Returns `None` if the line is a record, and an error text if it is faulty.
    pub(super) fn parse(line: &[u8]) -> Option<Result<FeedLine, String>> {
        const STARTS: [&[u8]; 7] = [
            b"feed\"",
            b"part\"",
            b"whole\"",
            b"seen\"",
            b"complete\"",
            b"sum\"",
            b"end\"",
        ];
        let rest = line.strip_prefix(b"{\"type\":\"")?;
        if !STARTS.iter().any(|start| rest.starts_with(start)) {
            return None;
        }
        let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned());
        Some(text.and_then(read))
    }
}

fn push_name(out: &mut Vec<u8>, name: &str) {
    out.push(b',');
    json::push_string(out, name);
    out.push(b':');
}

fn push_school(out: &mut Vec<u8>, school: u64) {
    push_name(out, "school_id");
    json::push_integer(out, school);
}

fn push_sum(out: &mut Vec<u8>, name: &str, count: u64, digest: u128) {
    push_name(out, name);
    json::push_integer(out, count);
    push_name(out, "digest");
    json::push_string(out, &format!("{digest:032x}"));
}

fn push_schools(out: &mut Vec<u8>, name: &str, schools: &BTreeSet<u64>) {
    let mut bytes = Vec::new();
    push_ascending(&mut bytes, schools.iter());
    push_name(out, name);
    json::push_string(out, &encode_text(&bytes));
}

fn push_list<T>(out: &mut Vec<u8>, list: impl Iterator<Item = T>, push: fn(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (index, one) in list.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push(out, one);
    }
    out.push(b']');
}

/// Writes `[kind, year, key, key, as of, last day]`, all as numbers. The last day is 0 if the entry
/// has no days.
fn push_entry(
    out: &mut Vec<u8>,
    CoverageEntry {
        key: unit,
        as_of,
        to,
    }: &CoverageEntry,
) {
    let CoverageKey { kind, year, key } = *unit;
    let to = to.map_or(0, Date::number);
    let numbers = [kind as u64, year, key.0, key.1, as_of.cast_unsigned(), to];
    push_list(out, numbers.into_iter(), json::push_integer);
}

fn read(line: &str) -> Result<FeedLine, String> {
    let object = Object::parse(line).map_err(|what| format!("is not a JSON object: {what}"))?;
    let member = |name: &str| {
        let mut members = object.members.iter();
        members
            .find(|(one, _)| one == name)
            .map(|(_, value)| *value)
    };
    let wrong = |name: &str| format!("{name} is missing or damaged: ask for the feed again");
    let text = |name: &str| member(name).and_then(json::string);
    let count = |name: &str| member(name).and_then(number).ok_or_else(|| wrong(name));
    let schools = |name: &str| {
        let schools = member(name).and_then(|text| decoded(text, take_numbers));
        schools.ok_or_else(|| wrong(name))
    };
    let school = || count("school_id");
    let any_school = || member("school_id").map(|_| school()).transpose();
    let digest = || {
        let digest = text("digest").and_then(|text| u128::from_str_radix(&text, 16).ok());
        digest.ok_or_else(|| wrong("digest"))
    };
    match member("type") {
        Some("\"feed\"") => {
            let from = member("from").map(|from| json::string(from).ok_or_else(|| wrong("from")));
            let scope = member("scope").map(|text| decoded(text, Scope::decode));
            let scope = scope.map(|scope| scope.ok_or_else(|| wrong("scope")));
            Ok(FeedLine::Feed(Box::new(FeedHead {
                from: from.transpose()?.map(Into::into),
                change_position: ChangePosition {
                    incarnation: count("incarnation")?,
                    sequence: count("sequence")?,
                },
                parts: count("parts")?,
                scope: scope.transpose()?,
                pending: schools("pending")?,
            })))
        }
        Some("\"part\"") => {
            let from = text("from").ok_or_else(|| wrong("from"))?;
            Ok(FeedLine::Part(from.into(), schools("schools")?))
        }
        Some("\"whole\"") => Ok(FeedLine::Whole(any_school()?)),
        Some("\"sum\"") => {
            let sum = RecordChecksum {
                records: count("records")?,
                digest: digest()?,
            };
            Ok(FeedLine::Sum(any_school()?, sum))
        }
        Some("\"seen\"") => {
            let entries = member("units").and_then(elements);
            let entries = entries.and_then(|all| all.map(read_entry).collect());
            Ok(FeedLine::Coverage(
                school()?,
                entries.ok_or_else(|| wrong("units"))?,
            ))
        }
        Some("\"complete\"") => Ok(FeedLine::Complete(school()?)),
        Some("\"end\"") => Ok(FeedLine::End(LineChecksum {
            lines: count("lines")?,
            digest: digest()?,
        })),
        _ => Err(wrong("type")),
    }
}

/// Decodes a JSON string of base64url text. Returns `None` unless `take` consumes all bytes.
fn decoded<T>(text: &str, take: fn(&mut &[u8]) -> crate::error::Result<T>) -> Option<T> {
    let bytes = decode_text(&json::string(text)?).ok()?;
    let mut rest = bytes.as_slice();
    let taken = take(&mut rest).ok()?;
    rest.is_empty().then_some(taken)
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

fn read_entry(text: &str) -> Option<CoverageEntry> {
    let mut numbers = elements(text)?.map(number);
    let [kind, year, first, second, as_of, to] = [(); 6].map(|()| numbers.next().flatten());
    let unit = CoverageKey {
        kind: CoverageKind::numbered(kind?).ok()?,
        year: year?,
        key: Key(first?, second?),
    };
    Some(CoverageEntry {
        key: unit,
        as_of: as_of?.cast_signed(),
        to: Date::from_number(to?).filter(|_| unit.kind.is_of_days()),
    })
}
