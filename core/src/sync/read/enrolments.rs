//! Decodes the list of which learner takes which subjects (2.3).

use super::answer_builder::{AnswerBuilder, DecodeError, invalid_value};
use super::fields::{Members, take_text};
use crate::record::Kind;
use crate::record::value::integer;
use serde::de::MapAccess;
use std::borrow::Cow;

const NAMES: [&str; 5] = [
    "learner_id",
    "first_name",
    "last_name",
    "subject_id",
    "subject_name",
];

pub(super) struct EnrolmentReader<'de, 'o> {
    texts: [Option<Cow<'de, str>>; NAMES.len()],
    out: &'o mut AnswerBuilder,
}

impl<'o> EnrolmentReader<'_, 'o> {
    pub(super) fn new(out: &'o mut AnswerBuilder) -> Self {
        let texts = Default::default();
        EnrolmentReader { texts, out }
    }
}

impl<'de> Members<'de> for EnrolmentReader<'de, '_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let slots = NAMES.iter().zip(&mut self.texts);
        let slot = slots.into_iter().find(|(known, _)| **known == name);
        match slot {
            Some((_, slot)) => take_text(slot, self.out, map).map(|()| true),
            None => Ok(false),
        }
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let [learner, _, _, subject, name] = std::mem::take(&mut self.texts);
        let number = |text: Option<Cow<'_, str>>, field| {
            let number = text.as_deref().and_then(integer);
            number.ok_or(invalid_value(Kind::LearnerSubject, field))
        };
        let learner = number(learner, "learner_id")?;
        let subject = number(subject, "subject_id")?;
        let evidence = &mut self.out.evidence;
        evidence.records += 1;
        let name = name.as_deref().unwrap_or_default();
        evidence.enrolment_digests.note(learner, subject, name);
        Ok(())
    }

    fn what(&self) -> &'static str {
        Kind::LearnerSubject.name()
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}
