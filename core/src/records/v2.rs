//! The records of v2, for [`Answer::decode`](crate::Answer::decode).
//!
//! Numbers are JSON numbers, and a missing value or an empty string is `None`. Dates are
//! `YYYY-MM-DD` and times `YYYY-MM-DD HH:MM:SS`, both in the school's time. A [`Decimal`] is exact
//! up to 15 digits, because JSON numbers are read as `f64`. The types are those of the table in [the
//! guide](crate::guide::v2).

use super::records;
use rust_decimal::Decimal;
use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// Serialises a decimal as the nearest `f64`.
fn number<S: Serializer>(decimal: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    let nearest: f64 = decimal.to_string().parse().map_err(S::Error::custom)?;
    serializer.serialize_f64(nearest)
}

#[allow(clippy::ref_option, reason = "serde passes a reference to the field")]
fn number_or_null<S: Serializer>(
    decimal: &Option<Decimal>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match decimal {
        Some(decimal) => number(decimal, serializer),
        None => serializer.serialize_none(),
    }
}

/// An id from another system, usually a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Id {
    /// Digits without a leading zero.
    Number(u64),
    /// Anything else.
    Text(String),
}

/// The percentage of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Percentage {
    /// The percentage of the mark.
    Of(
        #[serde(serialize_with = "number")]
        #[cfg_attr(feature = "openapi", schemars(with = "f64"))]
        Decimal,
    ),
    /// The learner was absent.
    Absent(Absent),
}

/// The value `"a"`, which means that the learner was absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub enum Absent {
    /// The only value.
    #[serde(rename = "a")]
    A,
}

/// A page of a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", schemars(rename = "PageOf{T}"))]
#[non_exhaustive]
pub struct Collection<T> {
    /// The records.
    pub data: Vec<T>,
    /// Information about the page.
    pub meta: Meta,
}

records! {
    /// Information about a page of a collection.
    Meta {
        /// The number of records on the page.
        pub limit: u64,
        /// The maximum number of records that a request can ask for.
        pub max_allowed_limit: u64,
        /// The cursor for requesting the next page. Not present on the last page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next_cursor: Option<String>,
    }

    /// A learner (2.1).
    Learner {
        pub id: u64,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub mobile_calling_code: Option<String>,
        pub mobile_number: Option<String>,
        pub email_address: Option<String>,
        pub date_of_birth: Option<String>,
        pub gender: Option<String>,
        pub ethnic_group_id: Option<Id>,
        pub ethnic_group: Option<String>,
        pub home_language_id: Option<Id>,
        pub home_language: Option<String>,
        pub tuition_language_id: Option<Id>,
        pub tuition_language: Option<String>,
        pub nationality: Option<String>,
        pub admission_number: Option<String>,
        pub family_code: Option<String>,
        pub id_number: Option<String>,
        pub passport_number: Option<String>,
        pub grade_id: Option<Id>,
        pub grade: Option<String>,
        pub register_class_name: Option<String>,
        pub register_class_teacher_id: Option<Id>,
        pub country: Option<String>,
        pub province: Option<String>,
        pub education_stream: Option<String>,
        pub photo_url: Option<String>,
        pub parent1_id: Option<Id>,
        pub parent2_id: Option<Id>,
        /// Parent 1, then parent 2. Only present with `include_parents`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parents: Option<Vec<Parent>>,
    }

    /// A parent of a learner (2.2).
    Parent {
        pub id: u64,
        pub title: Option<String>,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub mobile_calling_code: Option<String>,
        pub mobile_number: Option<String>,
        pub email_address: Option<String>,
        pub date_of_birth: Option<String>,
        pub gender: Option<String>,
        pub ethnic_group_id: Option<Id>,
        pub ethnic_group: Option<String>,
        pub residential_address: Option<String>,
        pub postal_address: Option<String>,
        pub home_language_id: Option<Id>,
        pub home_language: Option<String>,
        pub nationality: Option<String>,
        pub family_code: Option<String>,
        pub id_number: Option<String>,
        pub passport_number: Option<String>,
        pub marital_status_id: Option<Id>,
        pub marital_status: Option<String>,
        pub occupation_status: Option<String>,
        pub occupation: Option<String>,
        pub employment_sector: Option<String>,
        #[serde(serialize_with = "number_or_null")]
#[cfg_attr(feature = "openapi", schemars(with = "Option<f64>"))]
        pub gross_annual_income: Option<Decimal>,
    }

    /// A subject that a learner takes in the current year (2.3).
    LearnerSubject {
        pub learner_id: u64,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub subject_id: u64,
        pub subject_name: Option<String>,
    }

    /// A subject of a learner with its terms (2.4).
    SubjectPerTerm {
        pub year: u64,
        pub subject_id: u64,
        pub subject_name: Option<String>,
        pub super_subject_id: Option<Id>,
        pub super_subject_name: Option<String>,
        pub grade_id: u64,
        pub grade: Option<String>,
        pub terms: Vec<SubjectTerm>,
    }

    /// A term of a subject (2.4). `term_id` is 0 if the term is not known.
    SubjectTerm {
        pub term_id: u64,
        pub term: u64,
        pub subject_group_id: Option<Id>,
        pub subject_group_name: Option<String>,
        pub classroom_id: Option<Id>,
        pub classroom_name: Option<String>,
        pub subject_group_teacher_id: Option<Id>,
    }

    /// A subject of a learner with its marks by term (2.5).
    SubjectMarks {
        pub year: u64,
        pub subject_id: u64,
        pub subject_name: Option<String>,
        pub grade_id: u64,
        pub grade: Option<String>,
        pub terms: Vec<TermMark>,
    }

    /// A learner's mark for a subject in a term (2.5).
    TermMark {
        pub term: u64,
        #[serde(serialize_with = "number")]
#[cfg_attr(feature = "openapi", schemars(with = "f64"))]
        pub mark: Decimal,
    }

    /// An assessment with a learner's mark (2.6).
    AssessmentMark {
        pub grade_id: u64,
        pub grade: Option<String>,
        pub year: u64,
        pub year_name: Option<String>,
        pub term: u64,
        pub learner_id: u64,
        pub subject_id: u64,
        pub subject_name: Option<String>,
        pub learning_outcome_id: u64,
        pub learning_outcome_name: Option<String>,
        pub assessment_id: u64,
        pub assessment_name: Option<String>,
        pub assessment_date: Option<String>,
        #[serde(serialize_with = "number")]
#[cfg_attr(feature = "openapi", schemars(with = "f64"))]
        pub weight: Decimal,
        /// The mark. Not present with `structure`.
        #[serde(flatten)]
        pub mark: Option<Mark>,
    }

    /// The mark of an assessment (2.6).
    Mark {
        /// When the mark was last updated.
        pub dtime: Option<String>,
        pub percentage: Option<Percentage>,
        #[serde(serialize_with = "number_or_null")]
#[cfg_attr(feature = "openapi", schemars(with = "Option<f64>"))]
        pub mark: Option<Decimal>,
        #[serde(serialize_with = "number_or_null")]
#[cfg_attr(feature = "openapi", schemars(with = "Option<f64>"))]
        pub mark_out_of: Option<Decimal>,
        pub captured: bool,
    }

    /// A learner's absence on a day (2.7).
    Absentee {
        pub id: u64,
        pub learner_id: u64,
        pub absent_date: Option<String>,
        pub absent_reason: Option<String>,
    }

    /// A praise or reprimand of a learner on a day.
    Discipline {
        pub id: u64,
        pub learner_id: u64,
        /// `YYYY-MM-DD`.
        pub discipline_date: String,
        pub discipline_category: Option<String>,
        pub discipline_reason: Option<String>,
        /// An integer, negative or not.
        pub discipline_points: Option<i64>,
        pub discipline_remarks: Option<String>,
        pub staff_member_id: Option<Id>,
    }

    /// A member of a school's staff.
    StaffMember {
        pub id: u64,
        pub title: Option<String>,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub mobile_calling_code: Option<String>,
        pub mobile_number: Option<String>,
        pub email_address: Option<String>,
        pub date_of_birth: Option<String>,
        pub gender: Option<String>,
        pub ethnic_group: Option<String>,
        pub residential_address: Option<String>,
        pub postal_address: Option<String>,
        pub home_language: Option<String>,
        pub nationality: Option<String>,
        pub id_number: Option<String>,
        pub passport_number: Option<String>,
        /// The name of the marital status, for example `Married`.
        pub marital_status_id: Option<String>,
        pub employment_category: Option<String>,
        /// `Yes` or `No`.
        pub is_educator: Option<String>,
        pub appointment_type: Option<String>,
        pub paid_by: Option<String>,
        pub sace_number: Option<String>,
        /// The names of the classes, separated by commas.
        pub register_classes: Option<String>,
    }

    /// The information that a school publishes about itself.
    SchoolInfo {
        pub school_name: Option<String>,
        pub admin_email_address: Option<String>,
        pub telephone_calling_code: Option<String>,
        pub telephone_number: Option<String>,
        pub website: Option<String>,
        pub physical_address: Option<String>,
        pub quantile: Option<String>,
        pub medium: Option<String>,
        pub emis_number: Option<String>,
        pub country: Option<String>,
        pub province: Option<String>,
        pub tuition_languages: Vec<String>,
    }

    /// An entry of a lookup list: a grade, an ethnic group, a marital status, a gender or a
    /// language.
    LookupEntry {
        pub id: u64,
        pub name: Option<String>,
    }

    /// A school (2.8).
    School {
        pub school_id: u64,
        pub school_name: Option<String>,
        pub school_short_name: Option<String>,
        pub ownership_type: Option<String>,
        pub country: Option<String>,
        pub province: Option<String>,
        pub town: Option<String>,
        pub suburb: Option<String>,
        pub district: Option<String>,
        pub district_code: Option<String>,
        pub circuit: Option<String>,
        pub quantile: Option<String>,
        pub emis_number: Option<String>,
        pub telephone_number: Option<String>,
        pub lowest_grade: Option<String>,
        pub highest_grade: Option<String>,
        pub admin_email_address: Option<String>,
        pub debtors_email_address: Option<String>,
        pub finance_email_address: Option<String>,
        pub physical_address: Option<String>,
        pub postal_address: Option<String>,
        pub has_after_school_center: Option<bool>,
        pub has_hostel: Option<bool>,
        pub uses_debit_orders: Option<bool>,
        pub uses_cashless: Option<bool>,
    }

    /// An API type for which a school has authorised the integrator (2.9).
    /// `activated_by_integrator` is `Yes` or `No`.
    ClientIntegration {
        pub school_id: u64,
        pub school_name: Option<String>,
        pub admin_email_address: Option<String>,
        pub telephone_calling_code: Option<String>,
        pub telephone_number: Option<String>,
        pub api_type_id: u64,
        pub api_type: Option<String>,
        pub activated_by_integrator: Option<String>,
    }

    /// A learner with its debtor code (section 9).
    FinanceLearner {
        pub learner_id: u64,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub gender: Option<String>,
        pub grade: Option<String>,
        pub debtor_code: Option<String>,
        pub parent1_id: Option<Id>,
        pub parent2_id: Option<Id>,
        pub accountable_person_id: Option<Id>,
        /// Parent 1, then parent 2. Only present with `include_parents`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parents: Option<Vec<Parent>>,
        /// The accountable person, if there is one. Only present with `include_accountable_person`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub accountable_person: Option<AccountablePerson>,
    }

    /// A person who pays for learners (section 9).
    AccountablePerson {
        pub accountable_person_id: u64,
        pub title: Option<String>,
        pub first_name: Option<String>,
        pub full_names: Option<String>,
        pub last_name: Option<String>,
        pub debtor_code: Option<String>,
        pub mobile_calling_code: Option<String>,
        pub mobile_number: Option<String>,
        pub work_tel_number: Option<String>,
        pub home_tel_number: Option<String>,
        pub email_address: Option<String>,
        pub residential_address: Option<String>,
        pub postal_address: Option<String>,
        pub home_language: Option<String>,
        pub nationality: Option<String>,
        pub id_number: Option<String>,
        pub passport_number: Option<String>,
        pub employer: Option<String>,
        pub employer_address: Option<String>,
        /// The learners. Only present with `include_learners`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub learners: Option<Vec<FinanceLearner>>,
    }

    /// The answer to a change of a client integration's state.
    IntegrationUpdate {
        pub success: bool,
        pub message: String,
        pub data: ClientIntegration,
    }

    /// The body of an answer to a refused request.
    Refusal {
        pub success: bool,
        pub message: String,
        /// The validation error of each invalid field.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub validation_errors: BTreeMap<String, String>,
    }
}
