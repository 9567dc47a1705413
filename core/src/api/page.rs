//! Answers pages of a collection, or one record of it (section 9, items 1 and 3).

use super::cursor::{PageCursor, PageSequence};
use super::v2;
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::{
    Identity, Outcome, PageWriter, Params, Query, ValidationErrors, View, Walk, ensure_available,
};
use crate::record::values::value::integer;
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
    /// The `next_cursor` of the previous page, or `None` for the first page.
    pub cursor: Option<&'a str>,
    /// The maximum number of records. The default is that of the engine, and the engine limits it.
    pub limit: Option<u64>,
    /// Whether the last record is first.
    pub reverse_order: bool,
}

/// The limits for the number of records of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The default for a request without a limit.
    pub(crate) usual: u64,
    pub(crate) most: u64,
}

/// The parameters that select the page.
pub(super) struct Paging<'a> {
    cursor: Option<Cow<'a, str>>,
    limit: Option<u64>,
    reverse_order: bool,
    faults: ValidationErrors,
}

impl<'a> Paging<'a> {
    /// Reads the parameters. A limit that is not a number is read as 0.
    pub(super) fn read(query: &'a str) -> Paging<'a> {
        let mut params = Params::new(ApiVersion::V2, query);
        let limit = params.text("limit");
        Paging {
            cursor: params.text("cursor"),
            limit: limit.map(|limit| integer(&limit).unwrap_or(0)),
            reverse_order: params.boolean("reverse_order"),
            faults: params.take_faults(),
        }
    }

    /// Returns the page, and the validation errors of its order.
    pub(super) fn page(&mut self) -> (Page<'_>, ValidationErrors) {
        let page = Page {
            cursor: self.cursor.as_deref(),
            limit: self.limit,
            reverse_order: self.reverse_order,
        };
        (page, std::mem::take(&mut self.faults))
    }
}

/// The error for a limit of 0.
const NO_LIMIT: &str = "limit must be an unsigned integer above 0";

const FOREIGN_CURSOR: &str =
    "The cursor is of another request or damaged: leave it out to start from the first page";

/// Writes one page of a collection. `faults` are the validation errors of the question, `order`
/// those of the page.
pub(super) fn page(
    question: &dyn Query,
    (page, order): (Page<'_>, ValidationErrors),
    mut faults: ValidationErrors,
    limits: Limits,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Outcome> {
    let key = view.snapshot.cursor_key();
    let walked = |since, year| -> Result<PageSequence<'_>> {
        let began = View {
            now: since,
            year,
            ..view
        };
        let mut identity = Identity::new(question.endpoint().name);
        question.identify(began, &mut identity)?;
        Ok(PageSequence::new(identity, page.reverse_order, key))
    };
    // A cursor belongs to a valid request only. A request with another validation error is checked
    // like one for a first page, so that the cursor determines none of its dates.
    let cursor = match page.cursor {
        Some(text) if faults.is_empty() && order.is_empty() => {
            PageCursor::decode(text, |cursor| walked(cursor.since, cursor.year))?
        }
        _ => None,
    };
    let since = cursor.map_or(view.now, |cursor| cursor.since);
    let view = View {
        // A cursor may refer to an earlier instant, but never to a later one.
        now: since.min(view.now),
        year: cursor.and_then(|cursor| cursor.year),
        ..view
    };
    if let Some(rule) = question.broken_rule(view)? {
        faults.add_rule(rule);
    }
    if page.cursor.is_some() && (cursor.is_none() || !faults.is_empty()) {
        faults.add_message("cursor", FOREIGN_CURSOR);
    }
    let limit = page.limit.unwrap_or(limits.usual).min(limits.most);
    if limit == 0 {
        faults.add_message("limit", NO_LIMIT);
    }
    faults.append(order);
    if !faults.is_empty() {
        return Ok(Outcome::Refused(faults));
    }
    ensure_available(question, view, false)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let reverse = page.reverse_order;
    let mut walk = Walk::page(reverse, limit, cursor.map(|cursor| cursor.position));
    let mut data = OutputBuffer::over(out);
    data.push(v2::PAGE_START);
    let outcome = question.write(PageWriter {
        view,
        version: ApiVersion::V2,
        walk: &mut walk,
        out: &mut data,
    })?;
    if walk.count() > 0 {
        data.pop();
    }
    drop(data);
    if outcome != Outcome::Found {
        return Ok(outcome);
    }
    let mut next = None;
    if let Some(position) = walk.next() {
        let year = question.year(view)?;
        let cursor = PageCursor {
            position,
            since,
            year,
        };
        next = Some((cursor, walked(since, year)?));
    }
    let push_cursor = next.map(|(next, walked)| move |out: &mut Vec<u8>| next.push(&walked, out));
    v2::end_page(walk.count(), limits.most, push_cursor, out);
    Ok(Outcome::Found)
}

/// Writes the one record that matches a question. If `for_another` is true, a parameter excludes
/// the record, and there is none.
pub(super) fn one(
    question: &dyn Query,
    mut faults: ValidationErrors,
    for_another: bool,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Outcome> {
    if let Some(rule) = question.broken_rule(view)? {
        faults.add_rule(rule);
    }
    if !faults.is_empty() {
        return Ok(Outcome::Refused(faults));
    }
    ensure_available(question, view, true)?;
    let mut walk = Walk::one();
    let outcome = question.write(PageWriter {
        view,
        version: ApiVersion::V2,
        walk: &mut walk,
        out: &mut OutputBuffer::over(out),
    })?;
    if outcome == Outcome::Found && walk.count() == 1 && !for_another {
        out.pop();
        return Ok(Outcome::Found);
    }
    // A record that is not visible to the caller is reported as missing.
    Ok(Outcome::NoRecord)
}
