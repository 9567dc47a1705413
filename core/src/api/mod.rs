//! The wire: a request in, status and bytes out.
//!
//! - `request`: what is asked, and what it comes to. `route`: path → endpoint.
//! - `access`: who may (section 5). `params`: query string → question.
//! - `state`: the one write (4.8). `v1`: the bodies of errors (section 7).

mod access;
mod params;
mod request;
mod route;
mod state;
mod v1;

pub(crate) use access::Credentials;
pub use request::{Answer, Request, Status};
pub(crate) use request::{Context, answer};
pub use state::SetState;
pub(crate) use state::set_state;
pub(crate) use v1::{answer_question, internal_error};
