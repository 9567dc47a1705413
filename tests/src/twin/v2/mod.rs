//! The second version of the API (`v2.md`): the rows of v1 at other paths, in pages, with JSON
//! types.
//!
//! | file | contents |
//! |---|---|
//! | `route` | paths, methods, and the ids in header and path |
//! | `request` | the order of checks |
//! | `page`, `cursor` | pages and their continuation |
//! | `types` | JSON types |
//! | `integration_update` | POST and PATCH |
//! | `answer` | the envelopes and their exact texts |

mod answer;
mod cursor;
mod integration_update;
mod page;
mod request;
mod route;
mod types;

pub(crate) use route::is_below;
pub(crate) use types::Types;
