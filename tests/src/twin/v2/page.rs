//! Pages of a collection (`v2.md`, "Pages").

use super::super::params::{Params, fault};
use super::super::question::{Question, Row};
use super::super::render::Json;
use super::super::route::Endpoint;
use super::cursor::{Cursor, Walk};
use super::types::typed;

/// How many records a page has if the request does not say.
const DEFAULT_LIMIT: u64 = 10;

/// How many records a page has at most.
const MAX_ALLOWED_LIMIT: u64 = 50;

/// Which records of a collection are asked for.
#[derive(Debug)]
pub(crate) struct Page {
    limit: u64,
    reverse: bool,
    /// What a cursor of this page must name.
    identity: String,
    /// The place behind which the page starts.
    after: Option<Vec<u64>>,
    /// The walk that the page belongs to, if it is not the first of one.
    pub(crate) walk: Option<Walk>,
}

impl Page {
    /// Reads `cursor`, `limit` and `reverse_order`. A request with a parameter at fault, but for `limit`, is
    /// not the one that any cursor is of.
    pub(crate) fn read(question: &Question, school: Option<u64>, params: &mut Params) -> Self {
        let before = params.faults.len();
        let limit = params.positive("limit");
        let limit_faults = params.faults.split_off(before);
        let reverse = params.switch("reverse_order");
        let order_faults = params.faults.split_off(before);
        let identity = format!("{school:?} {question:?} {reverse}");
        let text = params.text("cursor");
        let sound = before == 0 && order_faults.is_empty();
        let cursor = text
            .as_deref()
            .and_then(Cursor::read)
            .filter(|cursor| sound && cursor.identity == identity);
        if text.is_some() && cursor.is_none() {
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
            identity,
            after: cursor.as_ref().map(|cursor| cursor.after.clone()),
            walk: cursor.map(|cursor| cursor.walk),
        }
    }

    /// `data` and `meta` from all the rows of the collection.
    pub(crate) fn of(&self, mut rows: Vec<Row>, endpoint: Endpoint, walk: &Walk) -> Json {
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
                walk: walk.clone(),
            };
            meta.push(("next_cursor".to_owned(), Json::Text(cursor.text())));
        }
        let records = rows.into_iter().map(|(_, record)| typed(endpoint, record));
        Json::Object(vec![
            ("data".to_owned(), Json::List(records.collect())),
            ("meta".to_owned(), Json::Object(meta)),
        ])
    }
}
