//! Merges the stored form of a record and its forms in several answers into one record. Complete
//! answers from one state of the service result in the same records, in whatever order and groups
//! they are published.

use crate::record::field::{Field, position};
use crate::record::kinds::{
    accountable_person, assessment, grade, learner, learning_outcome, learning_program, mark,
    subject, term, year,
};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::{Kind, Value};
use crate::sync::fetched_records::{FetchedRecord, Fields};
use crate::sync::record_values::{TERMS, Values, has_no_value, is_empty, put, set, terms, text};
use crate::sync::resources::authority::{AnswerSource, OPEN};
use crate::sync::resources::resource_request::ResourceRequest;
use std::collections::BTreeSet;

/// The form of a record in one answer: some of its fields, or `None` if the record does not exist
/// according to the answer.
#[derive(Clone)]
pub(crate) struct RecordForm<'a> {
    pub(crate) request: ResourceRequest,
    pub(crate) values: Option<FetchedRecord<'a>>,
}

impl RecordForm<'_> {
    /// Returns the form of a record in an answer that does not contain it.
    pub(crate) const fn absent(request: ResourceRequest) -> RecordForm<'static> {
        let values = None;
        RecordForm { request, values }
    }

    pub(crate) fn source(&self) -> AnswerSource {
        self.request.spec().source
    }
}

/// Facts about the school on which the merge of a record depends.
pub(crate) struct MergeContext<'c> {
    /// The coverage keys of all answers that were read completely, in this publication or an
    /// earlier one.
    pub(crate) whole: &'c BTreeSet<CoverageKey>,
    /// The references of the assessment of a mark.
    pub(crate) at: Option<assessment::AssessmentPlace>,
    /// Whether another record of a year that is answered refers to this grade; for a subject,
    /// whether a learner takes it.
    pub(crate) is_named: bool,
}

impl MergeContext<'_> {
    fn has(&self, kind: CoverageKind) -> bool {
        self.whole.contains(&CoverageKey::new(kind))
    }

    fn has_entry(&self, kind: CoverageKind, year: u64, id: u64) -> bool {
        self.whole.contains(&CoverageKey::of_id(kind, year, id))
    }
}

/// Returns the record that results from the answers, in the order in which they were requested, or
/// `None` if it no longer exists. `old` is the stored form.
pub(crate) fn merge<'a>(
    kind: Kind,
    old: Option<Values<'a>>,
    forms: &[RecordForm<'a>],
    context: &MergeContext<'_>,
) -> Option<Values<'a>> {
    let record = Record {
        kind,
        forms,
        context,
        is_stored: old.is_some(),
    };
    let key = || forms.iter().find_map(|form| form.values.as_ref());
    let mut values = match old {
        Some(values) => values,
        None => record.key_of(key()?),
    };
    match kind {
        Kind::Learner => record.learner(&mut values),
        Kind::LearnerSubject => record.learner_subject(&mut values),
        Kind::Mark => record.mark(&mut values),
        Kind::AccountablePerson => record.accountable_person(&mut values),
        Kind::LearningProgram => record.learning_program(&mut values),
        Kind::Assessment => record.assessment(&mut values),
        _ => record.merge_fields(&mut values),
    }
    .then_some(values)
}

struct Record<'s, 'a> {
    kind: Kind,
    forms: &'s [RecordForm<'a>],
    context: &'s MergeContext<'s>,
    is_stored: bool,
}

impl<'a> Record<'_, 'a> {
    fn key_of(&self, fetched: &FetchedRecord<'a>) -> Values<'a> {
        let fields = self.kind.fields().iter().zip(&fetched.values);
        let key = |(field, value): (&Field, &Value<'a>)| {
            if field.is_key() {
                value.clone()
            } else {
                Value::Empty
            }
        };
        fields.map(key).collect()
    }

    /// Returns the key fields of the record.
    fn key(&self) -> Fields {
        let fields = self.kind.fields().iter().enumerate();
        let key = fields.filter(|(_, field)| field.is_key());
        key.fold(0, |key, (index, _)| key | 1 << index)
    }

    /// Returns whether an answer of this source contains the record.
    fn is_in(&self, source: AnswerSource) -> bool {
        let mut forms = self.forms.iter();
        forms.any(|form| form.source() == source && form.values.is_some())
    }

    /// Returns whether an answer of this source is complete for the record and does not contain it.
    fn is_missing_from(&self, source: AnswerSource) -> bool {
        let mut forms = self.forms.iter();
        forms.any(|form| form.source() == source && form.values.is_none())
    }

    /// Clears the fields over which an answer has authority if that answer does not contain the
    /// record. Then copies the values of the other answers: fallback values if `use_fallback` is
    /// true, and then those with authority.
    fn apply_values(&self, values: &mut Values<'a>, use_fallback: bool) {
        for form in self.forms.iter().filter(|form| form.values.is_none()) {
            let source = form.source();
            // A record that is missing from the list of open accounts still has an account.
            if !matches!(
                source,
                AnswerSource::OpenAccounts | AnswerSource::OpenDebtors
            ) {
                set(
                    values,
                    source.authoritative_fields(self.kind) & !self.key(),
                    &[],
                );
            }
        }
        let fetched = || {
            self.forms
                .iter()
                .filter_map(|form| Some((form.request, form.values.as_ref()?)))
        };
        for (request, fetched) in fetched().filter(|_| use_fallback) {
            set(
                values,
                fetched.fields & request.spec().source.fallback_fields(self.kind),
                &fetched.values,
            );
        }
        for (request, fetched) in fetched() {
            set(
                values,
                fetched.fields & request.spec().source.authoritative_fields(self.kind),
                &fetched.values,
            );
        }
    }

    /// Merges records that have one source, or several sources with the same values.
    fn merge_fields(&self, values: &mut Values<'a>) -> bool {
        let use_fallback = !self.context.has(CoverageKind::School);
        self.apply_values(values, use_fallback);
        let is_fetched = self.forms.iter().any(|form| form.values.is_some());
        match self.kind {
            Kind::Grade => return self.grade(values),
            // Only the subjects per term of a learner that takes the subject show these fields.
            Kind::Subject if !self.context.is_named => {
                put(values, subject::SUPER_ID, Value::Empty);
                put(values, subject::SUPER_NAME, Value::Empty);
            }
            _ => {}
        }
        let has = |field: usize| !is_empty(values, field);
        match self.kind {
            // Where a record does not exist, the service answers an empty name or the id 0.
            Kind::Year if is_fetched => has(year::NAME),
            Kind::LearningOutcome if is_fetched => has(learning_outcome::NAME),
            Kind::Term if is_fetched => {
                values.get(term::TERM_ID).and_then(Value::integer) != Some(0)
            }
            _ => is_fetched || self.forms.is_empty(),
        }
    }

    /// A grade exists if it is in the list of grades, or if its short name appears in records that
    /// refer to it. If the list was not fetched, the grade remains.
    fn grade(&self, values: &mut Values<'a>) -> bool {
        let is_listed = self.is_in(AnswerSource::Grades);
        if !is_listed && !self.is_missing_from(AnswerSource::Grades) {
            return self.is_stored || !is_empty(values, grade::SHORT_NAME);
        }
        if !self.context.is_named {
            put(values, grade::SHORT_NAME, Value::Empty);
        }
        is_listed || !is_empty(values, grade::SHORT_NAME)
    }

    /// A learner exists if it is in a list of learners or has an account. A learner that has an
    /// account but is in no list that was read has the status of one that has left. Questions about
    /// learners that have left are refused, so this is never answered if a list is missing.
    fn learner(&self, values: &mut Values<'a>) -> bool {
        let status = |values: &Values<'a>| match values.get(STATUS).map_or("", Value::text) {
            "" if self.is_stored => "current".to_owned(),
            status => status.to_owned(),
        };
        let before = status(values);
        let is_listed = self.is_in(AnswerSource::Listing)
            || (self.is_stored && before != LEFT && !self.is_missing_from(AnswerSource::Listing));
        let has_accounts = self.context.has(CoverageKind::AllAccounts);
        let is_open = values
            .get(ACCOUNT)
            .is_some_and(|account| account.text() == OPEN);
        let had_account = before == LEFT || is_open || has_accounts;
        let is_named =
            self.is_in(AnswerSource::AllAccounts) || self.is_in(AnswerSource::OpenAccounts);
        let has_account = is_named
            || (self.is_stored && had_account && !self.is_missing_from(AnswerSource::AllAccounts));
        let stored = values.clone();
        self.apply_values(values, !is_listed);
        if !is_listed && !is_named {
            // The values from the list remain until the account of the learner is read.
            set(
                values,
                AnswerSource::AllAccounts.fallback_fields(Kind::Learner),
                &stored,
            );
        }
        if !is_listed {
            put(values, STATUS, text(LEFT.to_owned()));
        } else if !self.is_in(AnswerSource::Listing) {
            put(values, STATUS, text(before));
        }
        self.account(
            values,
            ACCOUNT,
            AnswerSource::OpenAccounts,
            CoverageKind::OpenAccounts,
        );
        is_listed || has_account
    }

    /// Sets whether an account is open: it is open if it is in the list of open accounts, and
    /// closed if that list was read and does not contain it.
    fn account(
        &self,
        values: &mut Values<'a>,
        field: usize,
        open: AnswerSource,
        open_coverage: CoverageKind,
    ) {
        if self.is_in(open) {
            put(values, field, text(OPEN.to_owned()));
        } else if self.is_missing_from(open)
            || is_empty(values, field) && self.context.has(open_coverage)
        {
            put(values, field, text(CLOSED.to_owned()));
        }
    }

    /// An accountable person exists if it is in the list of open accounts, or in the list of all
    /// accounts.
    fn accountable_person(&self, values: &mut Values<'a>) -> bool {
        let is_listed =
            self.is_in(AnswerSource::AllDebtors) || self.is_in(AnswerSource::OpenDebtors);
        self.apply_values(values, false);
        self.account(
            values,
            DEBTOR_ACCOUNT,
            AnswerSource::OpenDebtors,
            CoverageKind::OpenDebtors,
        );
        is_listed || (self.is_stored && !self.is_missing_from(AnswerSource::AllDebtors))
    }

    /// A programme is released if its marks are visible. It is known not to be released if the
    /// structure contains it and the marks were read.
    fn learning_program(&self, values: &mut Values<'a>) -> bool {
        let number = |field: usize| values.get(field).and_then(Value::integer);
        let of = number(PROGRAM_YEAR).zip(number(PROGRAM_GRADE));
        let has = |kind| of.is_some_and(|(year, grade)| self.context.has_entry(kind, year, grade));
        let is_shown =
            |values: &Values<'a>| values.get(RELEASED).and_then(Value::integer) == Some(1);
        let was_shown = self.is_stored && is_shown(values);
        self.apply_values(values, false);
        let in_structure = self.is_in(AnswerSource::Structure)
            || (self.is_stored
                && !self.is_missing_from(AnswerSource::Structure)
                && (!was_shown || has(CoverageKind::StructureOfGrade)));
        if !is_shown(values) {
            let is_known = has(CoverageKind::MarksOfGrade);
            let released = if is_known {
                Value::Integer(0)
            } else {
                Value::Empty
            };
            put(values, RELEASED, released);
        }
        is_shown(values) || in_structure
    }

    fn assessment(&self, values: &mut Values<'a>) -> bool {
        let has_marks = !is_empty(values, MARK_OUT_OF);
        let has_structure = self.has_structure(assessment::AssessmentPlace::from_values(values));
        let in_structure = self.is_in(AnswerSource::Structure)
            || (self.is_stored && !self.is_missing_from(AnswerSource::Structure) && has_structure);
        let in_marks = self.is_in(AnswerSource::Marks)
            || (self.is_stored
                && (has_marks || !has_structure)
                && !self.is_missing_from(AnswerSource::Marks));
        let stored = values.clone();
        self.apply_values(values, false);
        let is_fetched = self.is_in(AnswerSource::Marks) || self.is_in(AnswerSource::Structure);
        if !is_fetched {
            // One of the two answers no longer contains the assessment, but the other one still
            // does.
            set(
                values,
                AnswerSource::Structure.authoritative_fields(self.kind),
                &stored,
            );
        }
        in_structure || in_marks
    }

    /// The subjects per term determine which subjects and terms exist; the subject marks contain
    /// the marks of these. If only the subject marks were fetched, they determine the terms too.
    fn learner_subject(&self, values: &mut Values<'a>) -> bool {
        let learner = values.get(1).and_then(Value::integer);
        let year = values.get(2).and_then(Value::integer);
        let of = |(year, id)| {
            self.context
                .has_entry(CoverageKind::SubjectsPerTerm, year, id)
        };
        let has_per_term = year.zip(learner).is_some_and(of);
        let is_taken = self.is_in(AnswerSource::SubjectsPerTerm)
            || (self.is_stored
                && has_per_term
                && !self.is_missing_from(AnswerSource::SubjectsPerTerm));
        let before = terms(values);
        let fetched = |source| {
            let mut forms = self
                .forms
                .iter()
                .rev()
                .filter(|form| form.source() == source);
            forms
                .find_map(|form| form.values.as_ref())
                .map(|fetched| terms(&fetched.values))
        };
        let (groups, marks) = (
            fetched(AnswerSource::SubjectsPerTerm),
            fetched(AnswerSource::SubjectMarks),
        );
        let has_marks = marks.is_some();
        let marks = if self.is_missing_from(AnswerSource::SubjectMarks) && !has_marks {
            Vec::new()
        } else {
            marks.unwrap_or_else(|| before.clone())
        };
        let mut taken = match groups {
            Some(groups) => groups,
            None if is_taken => before,
            None => marks.clone(),
        };
        for term in &mut taken {
            let mark = marks.iter().find(|other| other.term == term.term);
            term.mark = mark.and_then(|other| other.mark);
        }
        self.apply_values(values, !is_taken);
        put(values, TERMS, Value::Terms(taken));
        let marked =
            has_marks || (self.is_stored && !self.is_missing_from(AnswerSource::SubjectMarks));
        is_taken || (!has_per_term && marked)
    }

    fn has_structure(&self, at: Option<assessment::AssessmentPlace>) -> bool {
        at.is_some_and(|at| {
            self.context
                .has_entry(CoverageKind::StructureOfGrade, at.year, at.grade)
        })
    }

    /// The answer with marks determines the mark; the structure shows only that there may be one.
    fn mark(&self, values: &mut Values<'a>) -> bool {
        let fetched = |source| {
            let mut forms = self
                .forms
                .iter()
                .rev()
                .filter(|form| form.source() == source);
            forms.find_map(|form| form.values.as_ref())
        };
        if let Some(fetched) = fetched(AnswerSource::Marks) {
            values.clone_from(&fetched.values);
            return true;
        }
        if self.is_stored && !self.is_missing_from(AnswerSource::Marks) && !has_no_value(values) {
            return true;
        }
        if let Some(fetched) = fetched(AnswerSource::Structure) {
            values.clone_from(&fetched.values);
            return true;
        }
        let is_possible = self.is_stored
            && !self.is_missing_from(AnswerSource::Structure)
            && self.has_structure(self.context.at);
        let values_of_none = mark::Mark::POSSIBLE.values();
        for (slot, value) in values.iter_mut().skip(3).zip(values_of_none) {
            *slot = value;
        }
        is_possible
    }
}

pub(crate) const LEFT: &str = "left";
const CLOSED: &str = "closed";
const STATUS: usize = position(learner::FIELDS, "status");
const ACCOUNT: usize = position(learner::FIELDS, "account");
const DEBTOR_ACCOUNT: usize = position(accountable_person::FIELDS, "account");
const RELEASED: usize = position(learning_program::FIELDS, "released");
const PROGRAM_GRADE: usize = position(learning_program::FIELDS, "grade_id");
const PROGRAM_YEAR: usize = position(learning_program::FIELDS, "year");
const MARK_OUT_OF: usize = position(assessment::FIELDS, "mark_out_of");
