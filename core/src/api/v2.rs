//! The envelopes of v2 (section 9): pages of a collection, one record, successes
//! and errors.

use super::asked::Asked;
use super::cursor::{Cursor, Walked};
use super::faults::{Faults, Wrong};
use super::refusal::{ID_REUSED, Refusal, TOO_LARGE, TRY_AGAIN, please_activate, please_use};
use super::request::Status;
use crate::error::Result;
use crate::json::{self, Chunks};
use crate::query::{Outcome, View, Walk};
use std::borrow::Cow;

/// A page of a collection (section 9, item 3).
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Learners, Options, Page};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"learner","school_id":1,"id":7}
/// {"type":"learner","school_id":1,"id":8}"#.as_bytes())?;
/// let learners = Learners { school: 1, ..Learners::default() };
/// let first = engine.page(&learners, &Page { limit: Some(1), ..Page::default() })?;
/// assert!(first.text().starts_with(r#"{"data":[{"id":7,"first_name":null,"#));
/// let (_, cursor) = first.text().split_once(r#""next_cursor":""#).unwrap_or_default();
/// let cursor = cursor.trim_end_matches(r#""}}"#);
/// let second = engine.page(&learners, &Page { cursor: Some(cursor), ..Page::default() })?;
/// assert!(second.text().starts_with(r#"{"data":[{"id":8,"#));
/// assert!(second.text().ends_with(r#""meta":{"limit":1,"max_allowed_limit":50}}"#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Page<'a> {
    /// The `next_cursor` of the page before; none for the first page.
    pub cursor: Option<&'a str>,
    /// The most records; the engine's default unless given, and at most the
    /// engine's maximum.
    pub limit: Option<u64>,
    /// The last record first.
    pub reverse_order: bool,
}

/// How many records a page has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Where a request says nothing.
    pub(crate) usual: u64,
    pub(crate) most: u64,
}

/// What a page is refused for that asks for a limit which is none.
const NO_LIMIT: &str = "limit must be an unsigned integer above 0";

const NO_SUCH_ID: &str = "The requested ID does not exist in the system";

const FOREIGN_CURSOR: &str =
    "The cursor is of another request or damaged: leave it out to start from the first page";

/// What is wrong with the parameters of a page.
#[derive(Default)]
pub(crate) struct PageFaults {
    /// With those of the question.
    pub(super) question: Faults,
    /// With the order.
    pub(super) order: Faults,
}

/// Answers one page of a collection.
pub(crate) fn answer_page(
    question: &(impl Asked + ?Sized),
    page: &Page<'_>,
    faults: PageFaults,
    limits: Limits,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let PageFaults {
        question: mut faults,
        order,
    } = faults;
    let key = view.snapshot.cursor_key()?;
    let walked = |since, year| -> Result<Walked<'_>> {
        let began = View {
            now: since,
            year,
            ..view
        };
        Ok(Walked::new(
            question.identity(began)?,
            page.reverse_order,
            key,
        ))
    };
    let cursor = match page.cursor {
        Some(text) => Cursor::decode(text, |cursor| walked(cursor.since, cursor.year))?,
        None => None,
    };
    let since = cursor.map_or(view.now, |cursor| cursor.since);
    let view = View {
        // A cursor may hold a walk back in time, never send it ahead.
        now: since.min(view.now),
        year: cursor.and_then(|cursor| cursor.year),
        ..view
    };
    if let Some(rule) = question.broken_rule(view)? {
        faults.add_rule(rule);
    }
    // A request at fault is not the one that any cursor is of.
    let is_sound = faults.is_empty() && order.is_empty();
    if page.cursor.is_some() && (cursor.is_none() || !is_sound) {
        faults.say("cursor", FOREIGN_CURSOR);
    }
    let limit = page.limit.unwrap_or(limits.usual).min(limits.most);
    if limit == 0 {
        faults.say("limit", NO_LIMIT);
    }
    faults.append(order);
    if !faults.is_empty() {
        return Ok(refuse(&Refusal::Invalid(&faults), out));
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let reverse = page.reverse_order;
    let mut walk = Walk::page(reverse, limit, cursor.map(|cursor| cursor.position));
    let mut data = Chunks::over(out);
    data.push(b"{\"data\":[");
    let outcome = question.walk(view, &mut walk, &mut data)?;
    if walk.taken() > 0 {
        data.pop();
    }
    drop(data);
    if let Some(refusal) = refused(question, outcome, out) {
        return Ok(refusal);
    }
    out.extend_from_slice(b"],\"meta\":{\"limit\":");
    json::push_integer(out, walk.taken() as u64);
    out.extend_from_slice(b",\"max_allowed_limit\":");
    json::push_integer(out, limits.most);
    if let Some(position) = walk.next() {
        let year = question.year(view)?;
        let next = Cursor {
            position,
            since,
            year,
        };
        out.extend_from_slice(b",\"next_cursor\":\"");
        next.push(&walked(since, year)?, out);
        out.push(b'"');
    }
    out.extend_from_slice(b"}}");
    Ok(Status::of(200))
}

/// Answers the one record that a question finds. It has none if a parameter asks
/// `for_another`.
pub(super) fn answer_one(
    question: &(impl Asked + ?Sized),
    mut faults: Faults,
    for_another: bool,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    if let Some(rule) = question.broken_rule(view)? {
        faults.add_rule(rule);
    }
    if !faults.is_empty() {
        return Ok(refuse(&Refusal::Invalid(&faults), out));
    }
    let mut walk = Walk::one();
    let outcome = question.walk(view, &mut walk, &mut Chunks::over(out))?;
    if outcome == Outcome::Found && walk.taken() == 1 && !for_another {
        out.pop();
        return Ok(Status::of(200));
    }
    // What one may not see is not there.
    Ok(error(404, NO_SUCH_ID, out))
}

/// Answers the one record that a question finds.
pub(crate) fn answer_record(
    question: &(impl Asked + ?Sized),
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    answer_one(question, Faults::default(), false, view, out)
}

fn refused(
    question: &(impl Asked + ?Sized),
    outcome: Outcome,
    out: &mut Vec<u8>,
) -> Option<Status> {
    Some(match outcome {
        Outcome::Found => return None,
        Outcome::Nothing => refuse(&Refusal::Nothing(question.errors()), out),
        Outcome::Refused(rule) => refuse(&Refusal::Invalid(&Faults::from(rule)), out),
        Outcome::Unauthorised => refuse(&Refusal::Client, out),
    })
}

const NOT_AUTHORISED: &str = "Client has not authorised access";

pub(super) fn refuse(refusal: &Refusal<'_>, out: &mut Vec<u8>) -> Status {
    match refusal {
        Refusal::Route => error(404, "Route not found", out),
        Refusal::Method(allow) => Status {
            allow: Some(allow),
            ..error(405, &please_use(allow), out)
        },
        Refusal::Invalid(faults) => invalid(faults, out),
        Refusal::Credentials(_) | Refusal::Client => error(401, NOT_AUTHORISED, out),
        Refusal::Inactive(api_type) => error(403, &please_activate(api_type), out),
        Refusal::TooLarge => error(413, TOO_LARGE, out),
        Refusal::IdReused => error(409, ID_REUSED, out),
        Refusal::Nothing(errors) => error(404, errors.nothing, out),
        Refusal::Failed(text) => error(500, text, out),
        Refusal::Crowded => error(503, TRY_AGAIN, out),
    }
}

fn error(code: u16, message: &str, out: &mut Vec<u8>) -> Status {
    open(false, message, out);
    out.push(b'}');
    Status::of(code)
}

fn invalid(faults: &Faults, out: &mut Vec<u8>) -> Status {
    open(false, "Validation Failed", out);
    out.extend_from_slice(b",\"validation_errors\":{");
    for (place, (field, wrong)) in faults.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        json::push_string(out, field);
        out.push(b':');
        json::push_string(out, &wrong_text(field, wrong));
    }
    out.extend_from_slice(b"}}");
    Status::of(400)
}

/// What is wrong with a field, in v2's words: those of the service where it shows them.
fn wrong_text<'a>(field: &str, wrong: &'a Wrong) -> Cow<'a, str> {
    Cow::Owned(match wrong {
        Wrong::Id | Wrong::Ids => format!("The {field} is invalid"),
        Wrong::Number => format!("{field} must be an unsigned integer"),
        Wrong::Date => format!(
            "The {} is not valid date format. Expected format is 'Y-m-d'.",
            in_words(field)
        ),
        Wrong::Boolean => format!("The {} must be a boolean", in_words(field)),
        Wrong::Other(text) => return Cow::Borrowed(text),
    })
}

/// The name of a field as words, each capitalised: `All Accounts`.
fn in_words(field: &str) -> String {
    let mut begins = true;
    let letters = field.chars().map(|letter| {
        let begun = std::mem::replace(&mut begins, letter == '_');
        match letter {
            '_' => ' ',
            _ if begun => letter.to_ascii_uppercase(),
            _ => letter,
        }
    });
    letters.collect()
}

/// A success, or a failure, with a record.
pub(super) fn with_data(code: u16, message: &str, record: &[u8], out: &mut Vec<u8>) -> Status {
    open(code < 300, message, out);
    out.extend_from_slice(b",\"data\":");
    out.extend_from_slice(record);
    out.push(b'}');
    Status::of(code)
}

fn open(success: bool, message: &str, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(b"{\"success\":");
    out.extend_from_slice(if success { b"true" } else { b"false" });
    out.extend_from_slice(b",\"message\":");
    json::push_string(out, message);
}
