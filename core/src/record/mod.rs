//! The kinds of records (dataset format, "Kinds"): one file a kind, with its
//! fields in the order of section 2.
//!
//! - `field`, `value`, `decimal`, `texts`: what fields hold. `plain`: many at once, fast. `fold`: names for search.
//! - `template`: an assessment with a gap that a mark fills.
//! - `typed`: a rendering with the JSON types of v2.
//! - `facts`: what is kept beside a rendering. `lanes`: where each of them lies.
//! - `kind`: the catalogue, a row a kind. `storage`: where the records of a kind lie.
//! - `account`: what answers about accounts take of a learner. `shown`: values in faults.
//! - `coverage`: what was seen of a school that is synced. `ledger`, `hints`: what a sync keeps
//!   of the answers.
//! - `scope`: which part of the records a follower holds. `position`: how far it has come.
//! - `bake`: a record as the JSON that it will be answered with, and what that
//!   JSON lacks; and back.

pub(crate) mod absentee;
pub(crate) mod account;
pub(crate) mod accountable_person;
pub(crate) mod api_type;
pub(crate) mod assessment;
pub(crate) mod bake;
pub(crate) mod client_integration;
pub(crate) mod coverage;
pub(crate) mod decimal;
pub(crate) mod discipline;
pub(crate) mod facts;
pub(crate) mod field;
pub(crate) mod fold;
mod fold_table;
pub(crate) mod grade;
#[cfg_attr(
    not(any(test, feature = "sync")),
    expect(dead_code, reason = "only a sync makes them")
)]
pub(crate) mod hints;
pub(crate) mod integrator;
pub(crate) mod kind;
pub(crate) mod lanes;
pub(crate) mod learner;
pub(crate) mod learner_subject;
pub(crate) mod learning_outcome;
pub(crate) mod learning_program;
pub(crate) mod ledger;
pub(crate) mod lookup;
pub(crate) mod mark;
pub(crate) mod mark_row;
pub(crate) mod open_row;
pub(crate) mod parent;
pub(crate) mod password;
pub(crate) mod plain;
#[cfg(feature = "sync")]
pub(crate) mod position;
pub(crate) mod school;
#[cfg(feature = "sync")]
pub(crate) mod scope;
pub(crate) mod shown;
pub(crate) mod staff_member;
pub(crate) mod storage;
pub(crate) mod subject;
pub(crate) mod template;
pub(crate) mod term;
pub(crate) mod terms;
mod texts;
pub(crate) mod typed;
pub(crate) mod value;
pub(crate) use crate::varint;
pub(crate) mod year;

pub(crate) use kind::Kind;
pub(crate) use value::Value;
