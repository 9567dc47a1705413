//! Rollbook.
mod api;
mod clock;
mod dataset;
mod date;
mod engine;
mod entropy;
mod error;
#[cfg(feature = "http")]
mod http;
mod json;
mod query;
mod record;
mod store;

pub use api::{Answer, Request, SetState, Status};
pub use clock::Clock;
pub use dataset::{Counts, Export, Load, Progress, Summary};
pub use date::{BadDate, Date};
pub use engine::{Compaction, Credentials, Engine, Options, Question, Stats, Verification};
pub use entropy::Entropy;
pub use error::{Error, Fault, Result};
#[cfg(feature = "http")]
pub use http::Service;
pub use query::{
    Absentees, AssessmentMarks, Clients, LearnerStatus, LearnerSubjects, Learners, Schools,
    SubjectMarks, SubjectsPerTerm,
};
