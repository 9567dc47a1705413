//! The lines of a feed that are no records of a dataset.
//!
//! ```text
//! {"type":"feed","from":"…","to":"…","pending":[2]}   its head: from which position to which;
//!                                                     schools that stay until they come
//! {"type":"whole","school_id":1}                      all of the school follows; without a
//!                                                     school all tables of no school
//! {"type":"seen","school_id":1,"units":[…]}           what the source has seen of the school
//! {"type":"complete","school_id":1}                   the source has all of the school
//! {"type":"end"}                                      what came since the head counts
//! ```

use crate::dataset::coverage::Told;
use crate::date::Date;
use crate::json::{self, Object, elements};
use crate::record::coverage::{Part, Unit};
use crate::record::position::Position;
use crate::store::Key;
use std::collections::BTreeSet;

/// A line that is no record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Feed(Box<Head>),
    Whole(Option<u64>),
    Seen(u64, Vec<Told>),
    Complete(u64),
    End,
}

/// What a part of a feed brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Nothing, if it begins anew.
    pub(super) from: Option<Position>,
    pub(super) to: Position,
    /// Schools that are not in `to` yet, and stay as they are.
    pub(super) pending: BTreeSet<u64>,
}

/// How many units a line has at most: it stays far below the longest line.
pub(super) const UNITS: usize = 1000;

impl Mark {
    pub(super) fn to_line(&self) -> String {
        let mut out = b"{\"type\":".to_vec();
        match self {
            Mark::Feed(head) => {
                out.extend_from_slice(b"\"feed\"");
                if let Some(from) = &head.from {
                    push_name(&mut out, "from");
                    json::push_string(&mut out, &from.to_text());
                }
                push_name(&mut out, "to");
                json::push_string(&mut out, &head.to.to_text());
                push_name(&mut out, "pending");
                push_list(&mut out, head.pending.iter(), |out, school| {
                    json::push_integer(out, *school);
                });
            }
            Mark::Whole(school) => {
                out.extend_from_slice(b"\"whole\"");
                if let Some(school) = school {
                    push_school(&mut out, *school);
                }
            }
            Mark::Seen(school, units) => {
                out.extend_from_slice(b"\"seen\"");
                push_school(&mut out, *school);
                push_name(&mut out, "units");
                push_list(&mut out, units.iter(), push_unit);
            }
            Mark::Complete(school) => {
                out.extend_from_slice(b"\"complete\"");
                push_school(&mut out, *school);
            }
            Mark::End => out.extend_from_slice(b"\"end\""),
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }

    /// Reads a line; nothing if it is a record's. On failure says what is wrong with it.
    pub(super) fn parse(line: &[u8]) -> Option<Result<Mark, String>> {
        const STARTS: [&[u8]; 5] = [b"feed\"", b"whole\"", b"seen\"", b"complete\"", b"end\""];
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

/// `[part, year, key, key, as of, last day]`: numbers, the last one 0 of what is not of days.
fn push_unit(out: &mut Vec<u8>, Told { unit, as_of, to }: &Told) {
    let Unit { part, year, key } = *unit;
    let to = to.map_or(0, Date::number);
    let numbers = [part as u64, year, key.0, key.1, as_of.cast_unsigned(), to];
    push_list(out, numbers.into_iter(), json::push_integer);
}

fn read(line: &str) -> Result<Mark, String> {
    let object = Object::parse(line).map_err(|what| format!("is not a JSON object: {what}"))?;
    let member = |name: &str| {
        let mut members = object.members.iter();
        members
            .find(|(one, _)| one == name)
            .map(|(_, value)| *value)
    };
    let wrong = |name: &str| format!("{name} is missing or damaged: ask for the feed again");
    let school = || {
        member("school_id")
            .and_then(number)
            .ok_or_else(|| wrong("school_id"))
    };
    let position = |text: &str| Position::from_text(&json::string(text)?);
    match member("type") {
        Some("\"feed\"") => {
            let from = match member("from") {
                Some(from) => Some(position(from).ok_or_else(|| wrong("from"))?),
                None => None,
            };
            let to = member("to").and_then(position).ok_or_else(|| wrong("to"))?;
            let pending = member("pending").and_then(elements);
            let pending = pending.and_then(|all| all.map(number).collect());
            let pending = pending.ok_or_else(|| wrong("pending"))?;
            Ok(Mark::Feed(Box::new(Head { from, to, pending })))
        }
        Some("\"whole\"") => match member("school_id") {
            Some(_) => school().map(|school| Mark::Whole(Some(school))),
            None => Ok(Mark::Whole(None)),
        },
        Some("\"seen\"") => {
            let units = member("units").and_then(elements);
            let units = units.and_then(|all| all.map(unit).collect());
            Ok(Mark::Seen(school()?, units.ok_or_else(|| wrong("units"))?))
        }
        Some("\"complete\"") => Ok(Mark::Complete(school()?)),
        Some("\"end\"") => Ok(Mark::End),
        _ => Err(wrong("type")),
    }
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

fn unit(text: &str) -> Option<Told> {
    let mut numbers = elements(text)?.map(number);
    let [part, year, first, second, as_of, to] = [(); 6].map(|()| numbers.next().flatten());
    let unit = Unit {
        part: Part::numbered(part?)
            .ok()
            .filter(|part| *part != Part::Erased)?,
        year: year?,
        key: Key(first?, second?),
    };
    Some(Told {
        unit,
        as_of: as_of?.cast_signed(),
        to: Date::from_number(to?).filter(|_| unit.part.is_of_days()),
    })
}
