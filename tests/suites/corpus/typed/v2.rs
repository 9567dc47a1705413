//! Converts a request of v2 to a typed question for a page or for one record.

use super::params::number;
use super::question::{Asked, RESOURCES};
use super::{Shape, Way, header, with_id};
use rollbook::{Answer, Engine, Page};
use rollbook_tests::corpus::Request;

/// Asks the question of a path below `/api/v2/`. `asked` takes the school and the id of one record.
pub(super) fn ask<'a>(
    engine: &Engine,
    request: &Request,
    path: &str,
    asked: impl Fn(Option<u64>, Option<u64>) -> Asked<'a>,
    now: i64,
) -> Option<Answer> {
    // State updates have no typed question in v2.
    if request.method != "GET" {
        return None;
    }
    let (path, id) = with_id(path)?;
    let found = RESOURCES.iter().find(|resource| resource.v2 == path);
    let resource = found.filter(|resource| id.is_none() || resource.has_id)?;
    let params = asked(None, None).params;
    let school = if resource.of_school {
        Some(number(header(request, "HTTP-X-SCHOOLID")?)?)
    } else {
        None
    };
    let shape = match id {
        Some(_) => Shape::One,
        None => Shape::Page(Page {
            cursor: params.text("cursor"),
            limit: params.parsed("limit")?,
            reverse_order: params.flag("reverse_order")?,
        }),
    };
    let asked = asked(school, id);
    Way::answer(engine, now, shape, |way| (resource.ask)(&asked, way))
}
