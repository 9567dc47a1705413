//! The HTTP API: routes a request, checks it, and answers it with a status and a body.
//!
//! - `answer`: the steps of answering a request. `typed_questions`: typed questions of a trusted app.
//!   `upgrade`: converts a v1 request to the v2 request.
//! - `route`: finds the endpoint of a path. `ids`: the school and the record that a request names.
//!   `access`: the access checks (section 5). `hashing_queue`: the queue for hashing passwords.
//! - `state`: the state update, the only write (4.8). `page`: a page of a collection, or one
//!   record. `cursor`: the position of the next page.
//! - `envelope`, `v1`, `v2`: the bytes of an answer. `refusal`: the reasons for refusing a request.
//!   `context`: the parts of the engine that requests use. `message`: requests and answers.

mod access;
mod answer;
mod context;
mod cursor;
mod envelope;
mod hashing_queue;
mod ids;
mod message;
mod page;
mod refusal;
mod route;
mod state;
mod typed_questions;
mod upgrade;
mod v1;
mod v2;

pub(crate) use access::LoginCache;
pub(crate) use answer::answer;
pub(crate) use context::RequestContext;
pub use message::{Answer, Request, Status};
pub(crate) use page::Limits;
pub use page::Page;
pub use state::SetState;
pub(crate) use state::{NOT_AUTHORISED, set_state};
pub(crate) use typed_questions::{answer_page, answer_question, answer_record};
pub(crate) use upgrade::upgrade;
pub use upgrade::{NoUpgrade, Upgrade};
