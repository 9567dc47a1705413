//! The wire: a request in, status and bytes out.
//!
//! - `answer`: a request's way down and back. `typed`: questions of an app that is
//!   trusted. `upgrade`: a v1 request → the v2 one.
//! - `route`: path → endpoint. `ids`: the school and the record that are named.
//!   `access`: who may (section 5). `turns`: whose password is hashed next.
//! - `state`: the one write (4.8). `page`: a page of a collection, one record.
//!   `cursor`: where the next page begins.
//! - `envelope`, `v1`, `v2`: the bytes of an answer. `refusal`: why there is none.
//!   `context`: what requests are answered from. `message`: a request, an answer.

mod access;
mod answer;
mod context;
mod cursor;
mod envelope;
mod ids;
mod message;
mod page;
mod refusal;
mod route;
mod state;
mod turns;
mod typed;
mod upgrade;
mod v1;
mod v2;

pub(crate) use access::LoginCache;
pub(crate) use answer::answer;
pub(crate) use context::Context;
pub use message::{Answer, Request, Status};
pub(crate) use page::Limits;
pub use page::Page;
pub use state::SetState;
pub(crate) use state::set_state;
pub(crate) use typed::{answer_page, answer_question, answer_record};
pub(crate) use upgrade::upgrade;
pub use upgrade::{NoUpgrade, Upgrade};
