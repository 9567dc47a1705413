//! Pages of a collection (`v2.md`, "Pages").

use super::super::endpoints::Endpoint;
use super::super::params::{Params, fault};
use super::super::question::{Question, Row, View};
use super::super::render::Json;
use super::cursor::{Cursor, Walk};
use super::types::typed;

/// The number of records of a page if the request does not state it.
const DEFAULT_LIMIT: u64 = 10;

/// The maximum number of records of a page.
const MAX_ALLOWED_LIMIT: u64 = 50;

/// The records of a collection that a request selects.
#[derive(Debug)]
pub(crate) struct Page {
    limit: u64,
    reverse: bool,
    /// The identity that a cursor of this page must have.
    identity: String,
    /// The place after which the page starts.
    after: Option<Vec<u64>>,
    /// The walk to which the page belongs.
    walk: Walk,
}

impl Page {
    /// Reads `cursor`, `limit` and `reverse_order`, and adds the fault of the rule that the
    /// question breaks. If a request has a fault other than that of `limit`, no cursor belongs to
    /// it. `seen` returns the data that a walk can read at an instant. `start` is the walk that
    /// would begin with this request.
    pub(crate) fn read<'a>(
        endpoint: &Endpoint,
        question: &dyn Question,
        school: Option<u64>,
        params: &mut Params,
        start: Walk,
        seen: impl Fn(&Walk, i64) -> View<'a>,
    ) -> Self {
        let before = params.faults.len();
        let limit = params.positive("limit");
        let limit_faults = params.faults.split_off(before);
        let reverse = params.switch("reverse_order");
        let order_faults = params.faults.split_off(before);
        let identity = |walk: &Walk| {
            let meant = question.canonical_text(&seen(walk, walk.now));
            format!("{} {school:?} {meant} {reverse}", endpoint.v2)
        };
        let text = params.text("cursor");
        // If the request has another fault, the cursor is refused, and does not affect the check of
        // the dates.
        let sound = params.faults.is_empty() && order_faults.is_empty();
        let cursor = text
            .as_deref()
            .filter(|_| sound)
            .and_then(Cursor::read)
            .filter(|cursor| cursor.identity == identity(&cursor.walk));
        let now = start.now;
        let walk = cursor.as_ref().map_or(start, |cursor| cursor.walk.clone());
        if let Err(rule) = question.rows(&seen(&walk, walk.now.min(now))) {
            params.note_rule(rule);
        }
        if text.is_some() && !(params.faults.is_empty() && cursor.is_some()) {
            params.faults.push(fault(
                &["cursor"],
                "The cursor is of another request or damaged: leave it out to start from the first page",
            ));
        }
        params.faults.extend(limit_faults);
        params.faults.extend(order_faults);
        Self {
            limit: limit.unwrap_or(DEFAULT_LIMIT).min(MAX_ALLOWED_LIMIT),
            reverse,
            identity: identity(&walk),
            after: cursor.map(|cursor| cursor.after),
            walk,
        }
    }

    /// Returns the walk to which the page belongs.
    pub(crate) fn walk(&self) -> &Walk {
        &self.walk
    }

    /// Returns `data` and `meta`, given all rows of the collection.
    pub(crate) fn apply(&self, mut rows: Vec<Row>, endpoint: &Endpoint) -> Json {
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        if self.reverse {
            rows.reverse();
        }
        let follows = |place: &Vec<u64>| match &self.after {
            None => true,
            Some(after) if self.reverse => place < after,
            Some(after) => place > after,
        };
        rows.retain(|(place, _)| follows(place));
        let limit = usize::try_from(self.limit).expect("a small number");
        let more = rows.len() > limit;
        rows.truncate(limit);
        let mut meta = vec![
            ("limit".to_owned(), Json::Digits(rows.len().to_string())),
            (
                "max_allowed_limit".to_owned(),
                Json::Number(MAX_ALLOWED_LIMIT),
            ),
        ];
        if let (true, Some((place, _))) = (more, rows.last()) {
            let cursor = Cursor {
                identity: self.identity.clone(),
                after: place.clone(),
                walk: self.walk.clone(),
            };
            meta.push(("next_cursor".to_owned(), Json::Text(cursor.text())));
        }
        let records = rows
            .into_iter()
            .map(|(_, record)| typed(endpoint.types, record));
        Json::Object(vec![
            ("data".to_owned(), Json::List(records.collect())),
            ("meta".to_owned(), Json::Object(meta)),
        ])
    }
}
