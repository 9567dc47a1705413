//! Decodes the list of which learner takes which subjects (2.3).

use super::answer_builder::{AnswerBuilder, DecodeError};
use super::fields::{Members, read_named};
use super::scalar::Scalar;
use crate::record::Kind;
use serde::de::MapAccess;

const NAMES: [&str; 5] = [
    "learner_id",
    "first_name",
    "last_name",
    "subject_id",
    "subject_name",
];

pub(super) struct EnrolmentReader<'de, 'o> {
    scalars: [Option<Scalar<'de>>; NAMES.len()],
    out: &'o mut AnswerBuilder,
}

impl<'o> EnrolmentReader<'_, 'o> {
    pub(super) fn new(out: &'o mut AnswerBuilder) -> Self {
        let scalars = Default::default();
        EnrolmentReader { scalars, out }
    }
}

impl<'de> Members<'de> for EnrolmentReader<'de, '_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let kind = Kind::LearnerSubject;
        read_named(kind, &NAMES, &mut self.scalars, name, map, self.out)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let scalars = std::mem::take(&mut self.scalars).map(Option::unwrap_or_default);
        let [learner, _, _, subject, name] = scalars;
        let name = name.text().unwrap_or_default();
        match (learner.integer(), subject.integer()) {
            (Some(learner), Some(subject)) => self.out.enrolment(learner, subject, &name),
            (None, _) => self
                .out
                .note(Kind::LearnerSubject, "learner_id", true, None),
            (_, None) => self
                .out
                .note(Kind::LearnerSubject, "subject_id", true, None),
        }
        Ok(())
    }

    fn skip(&mut self) {
        self.out.note(Kind::LearnerSubject, "", true, None);
    }

    fn what(&self) -> &'static str {
        Kind::LearnerSubject.name()
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}
