//! A second, naive implementation of the integration API.
//!
//! [`Twin`] keeps records as plain fields in one ordered map and answers every request by reading all of
//! them, straight from `integration-api.md`, `decisions.md`, `dataset.md` and `v2.md`. It shares no code with the
//! engine, keeps passwords in clear and knows nothing of files: it is there to be compared with.
//!
//! | file | idea |
//! |---|---|
//! | `kinds`, `fields`, `people_fields`, `records` | what a record is, and the store |
//! | `json`, `forms`, `terms`, `line` | from a dataset line to a record, or its fault |
//! | `apply`, `needs`, `summary`, `schools` | transactions on the store |
//! | `export` | the canonical export |
//! | `dates`, `decimals`, `fold`, `integers`, `offset` | values |
//! | `target`, `route`, `access`, `params`, `question`, `request`, `answer`, `render` | from a request to an answer |
//! | `learners`, `parents`, `assessment_marks`, `percentage`, `release`, `subjects_per_term`, `subject_marks`, `learner_subjects`, `get_schools`, `clients`, `state_update`, `absentees` | the endpoints of section 4 |
//! | `finance_learners`, `accountable_persons` | the endpoints of the finance family |
//! | `v2` | the second version of the API |

mod absentees;
mod access;
mod accountable_persons;
mod answer;
mod apply;
mod assessment_marks;
mod clients;
mod dates;
mod decimals;
mod export;
mod fields;
mod finance_learners;
mod fold;
mod forms;
mod get_schools;
mod integers;
mod json;
mod kinds;
mod learner_subjects;
mod learners;
mod line;
mod needs;
mod offset;
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
mod subject_marks;
mod subjects_per_term;
mod summary;
mod target;
mod terms;
mod v2;

pub use answer::TwinAnswer;
pub use apply::{comparable, line_key};
pub use kinds::texts_of;
pub use summary::{Counts, Summary};

/// The naive implementation: the records of every school, and the clear passwords of the integrators.
#[derive(Clone, Debug, Default)]
pub struct Twin {
    store: records::Store,
}
