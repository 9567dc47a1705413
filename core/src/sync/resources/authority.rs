//! Determines which answer has *authority* over which fields of a record. The values in that answer
//! are used; if the answer is complete but does not contain the record, the fields become empty.
//! Another answer may be the *fallback* for a field: its values are used if no answer with
//! authority was fetched.

use crate::record::field::{position, positions_from};
use crate::record::kinds::{
    accountable_person, assessment, grade, learner, learning_program, school, subject,
};
use crate::record::{Kind, Value};
use crate::sync::fetched_records::Fields;
use crate::sync::record_values::TERMS;

/// The role of an answer for the records that it contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AnswerSource {
    School,
    SchoolInfo,
    Grades,
    Listing,
    OpenAccounts,
    AllAccounts,
    OpenDebtors,
    AllDebtors,
    SubjectsPerTerm,
    SubjectMarks,
    Marks,
    Structure,
    /// The only answer that contains its records, or one of several that contain the same values.
    Alone,
}

impl AnswerSource {
    /// Returns the fields of a kind that the source has authority over.
    pub(crate) const fn authoritative_fields(self, kind: Kind) -> Fields {
        match (kind, self) {
            (Kind::School, AnswerSource::School) => fields(&SCHOOL),
            (Kind::School, AnswerSource::SchoolInfo) => fields(&ONLY_IN_INFO),
            (Kind::Learner, AnswerSource::Listing) => fields(&LISTED) | fields(&STATUS),
            (Kind::Learner, AnswerSource::AllAccounts | AnswerSource::OpenAccounts) => {
                fields(&ACCOUNT)
            }
            (Kind::LearnerSubject, AnswerSource::SubjectsPerTerm) => fields(&TAKEN),
            (Kind::Subject, AnswerSource::SubjectsPerTerm) => fields(&SUBJECT),
            (Kind::Subject, _) => 1 << subject::NAME,
            (Kind::Grade, AnswerSource::Grades) => 1 << grade::NAME,
            (Kind::Grade, _) => 1 << grade::SHORT_NAME,
            (Kind::LearningProgram, AnswerSource::Marks) => 1 << RELEASED,
            (Kind::Assessment, AnswerSource::Marks) => fields(&ASSESSMENT) | 1 << MARK_OUT_OF,
            (Kind::Assessment, AnswerSource::Structure) => fields(&ASSESSMENT),
            (Kind::AccountablePerson, AnswerSource::AllDebtors | AnswerSource::OpenDebtors) => {
                fields(&PERSON)
            }
            (
                Kind::School
                | Kind::Learner
                | Kind::LearnerSubject
                | Kind::LearningProgram
                | Kind::Assessment
                | Kind::AccountablePerson,
                _,
            ) => 0,
            // All fetched fields.
            _ => Fields::MAX,
        }
    }

    /// Returns the fields of a stored record that an answer of this source must have contained.
    /// `RECORD` is included if the answer showed that the record exists. Cells of a structure
    /// without a mark are not included.
    pub(crate) fn must_contain(self, kind: Kind, stored: &[Value<'_>]) -> Fields {
        let has = |field: usize| stored.get(field).is_some_and(|value| !value.is_empty());
        let text = |field: usize| stored.get(field).map_or("", Value::text);
        let record = match (kind, self) {
            (Kind::Mark, AnswerSource::Marks) => return RECORD | fields(&MARK),
            (Kind::Mark, _) => return 0,
            (Kind::LearnerSubject, AnswerSource::SubjectMarks) => return 1 << TERMS,
            (Kind::Learner, AnswerSource::OpenAccounts) if text(LEARNER_ACCOUNT) != OPEN => {
                return 0;
            }
            (Kind::AccountablePerson, AnswerSource::OpenDebtors)
                if text(PERSON_ACCOUNT) != OPEN =>
            {
                return 0;
            }
            (Kind::Learner, AnswerSource::AllAccounts) => has(LEARNER_ACCOUNT),
            (Kind::AccountablePerson, AnswerSource::AllDebtors) => has(PERSON_ACCOUNT),
            (Kind::Assessment, AnswerSource::Marks) if !has(MARK_OUT_OF) => return 0,
            (Kind::LearningProgram, AnswerSource::Marks)
                if stored.get(RELEASED).and_then(Value::integer) != Some(1) =>
            {
                return 0;
            }
            (Kind::Grade, AnswerSource::Grades) => has(grade::NAME),
            _ => true,
        };
        let count = u32::try_from(kind.fields().len()).unwrap_or(Fields::BITS);
        let all = Fields::MAX.checked_shr(Fields::BITS - count).unwrap_or(0);
        self.authoritative_fields(kind) & all & !RECORD | (RECORD * Fields::from(record))
    }

    /// Returns the fields of a kind for which the source is a fallback.
    pub(crate) const fn fallback_fields(self, kind: Kind) -> Fields {
        match (kind, self) {
            (Kind::School, AnswerSource::SchoolInfo) => fields(&SHARED),
            (Kind::Learner, AnswerSource::AllAccounts | AnswerSource::OpenAccounts) => {
                fields(&WITH_ACCOUNT)
            }
            (Kind::LearnerSubject, AnswerSource::SubjectMarks) => fields(&TAKEN),
            _ => 0,
        }
    }
}

const fn positions<const N: usize>(kind: Kind, names: [&str; N]) -> [usize; N] {
    let mut positions = [0; N];
    let (mut rest, mut names): (&mut [usize], &[&str]) = (&mut positions, &names);
    while let ([position_of, others @ ..], [name, more @ ..]) = (rest, names) {
        *position_of = position(kind.fields(), name);
        (rest, names) = (others, more);
    }
    positions
}

const fn fields(positions: &[usize]) -> Fields {
    let (mut fields, mut rest) = (0, positions);
    while let [position, others @ ..] = rest {
        fields |= 1 << *position;
        rest = others;
    }
    fields
}

/// The fields of a school in the answer of Get Schools.
const SCHOOL: [usize; 24] = positions_from(school::NAME);
/// The fields of a school that only the school information has.
const ONLY_IN_INFO: [usize; 4] = positions(
    Kind::School,
    [
        "telephone_calling_code",
        "website",
        "medium",
        "tuition_languages",
    ],
);
/// The fields of a school that both answers have.
const SHARED: [usize; 8] = positions(
    Kind::School,
    [
        "school_name",
        "admin_email_address",
        "telephone_number",
        "physical_address",
        "quantile",
        "emis_number",
        "country",
        "province",
    ],
);
/// The fields of a learner in a list of learners.
const LISTED: [usize; 28] = positions_from(position(learner::FIELDS, "first_name"));
const STATUS: [usize; 1] = positions(Kind::Learner, ["status"]);
/// The fields of a learner that the answer with its account has too.
const WITH_ACCOUNT: [usize; 6] = positions(
    Kind::Learner,
    [
        "first_name",
        "last_name",
        "gender",
        "grade",
        "parent1_id",
        "parent2_id",
    ],
);
const ACCOUNT: [usize; 2] = positions(Kind::Learner, ["debtor_code", "accountable_person_id"]);
const TAKEN: [usize; 2] = positions(Kind::LearnerSubject, ["grade_id", "terms"]);
const SUBJECT: [usize; 3] = [subject::NAME, subject::SUPER_ID, subject::SUPER_NAME];
/// The values of a mark. A cell without a mark has `captured` too.
const MARK: [usize; 3] = positions(Kind::Mark, ["mark", "percentage", "dtime"]);
const ASSESSMENT: [usize; 8] = positions_from(position(assessment::FIELDS, "grade_id"));
/// The bit that represents the record as a whole: the first field, which every record has.
pub(crate) const RECORD: Fields = 1;

pub(crate) const OPEN: &str = "open";
const LEARNER_ACCOUNT: usize = position(learner::FIELDS, "account");
const PERSON_ACCOUNT: usize = position(accountable_person::FIELDS, "account");
const MARK_OUT_OF: usize = position(assessment::FIELDS, "mark_out_of");
const RELEASED: usize = position(learning_program::FIELDS, "released");
const PERSON: [usize; 18] = positions_from(position(accountable_person::FIELDS, "title"));
