//! The wire: a request in, status and bytes out.
//!
//! - `request`: what is asked, and what it comes to. `route`: path → endpoint.
//!   `ids`: the school and the record that are named.
//! - `access`: who may (section 5). `turns`: whose password is hashed next. `params`, `questions`: query string →
//!   question. `asked`: the questions and the texts of their errors.
//! - `state`: the one write (4.8). `upgrade`: a v1 request → the v2 one.
//! - `v1`, `v2`: the envelopes. `faults`, `refusal`: why there is no answer.
//!   `cursor`: where the next page begins.

mod access;
mod asked;
mod cursor;
mod faults;
mod ids;
mod params;
mod questions;
mod refusal;
mod request;
mod route;
mod state;
mod turns;
mod upgrade;
mod v1;
mod v2;

pub(crate) use access::Credentials;
pub(crate) use asked::Asked;
pub use request::{Answer, Request, Status};
pub(crate) use request::{Context, answer};
pub use state::SetState;
pub(crate) use state::set_state;
pub(crate) use upgrade::upgrade;
pub use upgrade::{NoUpgrade, Upgrade};
pub(crate) use v1::answer_question;
pub use v2::Page;
pub(crate) use v2::{Limits, PageFaults, answer_page, answer_record};
