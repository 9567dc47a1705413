//! A second, naive implementation of the integration API.
//!
//! [`Twin`] stores records as plain fields in one ordered map, and answers every request by reading
//! all of them, according to `integration-api.md`, `decisions.md`, `dataset.md` and `v2.md`. It
//! shares no code with the engine, stores passwords unchanged and uses no files. Tests compare its
//! results with those of the engine.
//!
//! | file | contents |
//! |---|---|
//! | `kinds`, `fields`, `people_fields`, `records` | the records and the store |
//! | `json`, `forms`, `terms`, `line` | dataset lines to records or faults |
//! | `apply`, `needs`, `summary`, `schools` | transactions on the store |
//! | `export` | the canonical export |
//! | `dates`, `decimals`, `fold`, `integers`, `offset` | values |
//! | `target`, `route`, `access`, `params`, `question`, `request`, `answer`, `render` | requests and answers |
//! | `endpoints` | the endpoints of section 4 and of the finance family, one per file |
//! | `parents`, `percentage`, `release`, `state_update` | parts of the answers, and 4.8 |
//! | `v2` | the second version of the API |

mod access;
mod answer;
mod apply;
mod dates;
mod decimals;
mod endpoints;
mod export;
mod fields;
mod forms;
mod integers;
mod json;
mod kinds;
mod line;
mod needs;
mod params;
mod parents;
mod people_fields;
mod percentage;
mod question;
mod records;
mod release;
mod render;
mod request;
mod route;
mod schools;
mod state_update;
mod summary;
mod target;
mod terms;
mod v2;

pub use answer::TwinAnswer;
pub use apply::{comparable, line_key};
pub use endpoints::nothing_found;
pub use kinds::texts_of;
pub use summary::{Counts, Summary};
pub use target::percent_decoded;

/// The naive implementation: the records of every school, and the passwords of the integrators.
#[derive(Clone, Debug, Default)]
pub struct Twin {
    store: records::Store,
}
