//! Queries: the parameters of each endpoint, and how its answer is written from a snapshot into
//! an output buffer.
//!
//! - `endpoints`: one file per endpoint. `endpoint`: the declaration of an endpoint, and the
//!   trait that its questions implement.
//! - `parameters`: the parameters of a request, and their errors. `filters`: conditions that select
//!   records. `view`: the snapshot, and the time at which a question is answered from it.
//! - `lists`, `marks`: writers of records. `outcome`: the result of answering a question.
//!   `walk`: pagination of a collection, for v2. `page_writer`: writes the records of a page.
//! - `decoded`: decoded values of a snapshot, which answers share.
//! - `coverage_check`: which data of a school a question reads. `required_coverage`: the check that
//!   this data was fetched, if the school is synced. `follower_scope`: the check that it is in the
//!   scope of a follower.

mod coverage_check;
mod decoded;
mod endpoint;
pub(crate) mod endpoints;
mod filters;
mod follower_scope;
mod lists;
mod marks;
mod outcome;
mod page_writer;
mod parameters;
mod required_coverage;
mod view;
mod walk;

pub use endpoint::Question;
pub use parameters::learner_status::LearnerStatus;

pub(crate) use coverage_check::CoverageCheck;
pub(crate) use decoded::authorisations::{Authorisations, authorisations};
pub(crate) use decoded::integrators::{Family, Integrators, api_types, integrators};
pub(crate) use decoded::school_facts::SchoolFacts;
pub(crate) use endpoint::{CLIENT_NOT_AUTHORISED, Endpoint, Last, Query, SCHOOL_ID, Then};
pub(crate) use endpoints::ENDPOINTS;
pub(crate) use endpoints::clients::{NO_INTEGRATIONS, push_client};
pub(crate) use follower_scope::depends_on_any_record;
pub(crate) use outcome::{ArrayWriter, Outcome};
pub(crate) use page_writer::PageWriter;
#[cfg(feature = "openapi")]
pub(crate) use parameters::params::ParamForm;
pub(crate) use parameters::params::{Param, Params};
pub(crate) use parameters::validation_errors::{Rule, ValidationErrors, Wrong};
pub(crate) use required_coverage::ensure_available;
pub(crate) use view::View;
pub(crate) use walk::{Identity, RecordPosition, Walk};
