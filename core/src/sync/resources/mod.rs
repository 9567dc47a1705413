//! The resources of the service: the table of all of them (`resource`), requests for them
//! (`resource_request`), the phases of a pass (`phase`), the members of each answer
//! (`member_table`), and which answer determines which fields (`authority`).

pub(crate) mod authority;
pub(crate) mod member_table;
pub(crate) mod phase;
pub(crate) mod resource;
pub(crate) mod resource_request;
