//! The records of v2, for [`Answer::decode`](crate::Answer::decode).
//!
//! Numbers are numbers, and what has no value is `None`, an empty text too. Dates
//! are `YYYY-MM-DD`, times `YYYY-MM-DD HH:MM:SS`, both in the school's time. Decimals come
//! as `f64`: their two places are in the answer's bytes. The types are those of the table
//! in [the guide](crate::guide::v2).

use super::records;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An id that another system gave: mostly a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// Digits without a leading zero.
    Number(u64),
    /// Anything else.
    Text(String),
}

/// A percentage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Percentage {
    /// Of the mark.
    Of(f64),
    /// The learner was absent.
    Absent(Absent),
}

/// What stands where a learner was absent: `"a"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Absent {
    /// The one there is.
    #[serde(rename = "a")]
    A,
}

/// A page of a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Collection<T> {
    /// The records.
    pub data: Vec<T>,
    /// Which page it is.
    pub meta: Meta,
}

records! {
    /// Which page of a collection it is.
    Meta {
        /// How many records are on it.
        pub limit: u64,
        /// How many may be asked for.
        pub max_allowed_limit: u64,
        /// What asks for the next page; nothing on the last.
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
        /// With `include_parents`: parent 1, then parent 2.
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
        pub gross_annual_income: Option<f64>,
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

    /// A term of a subject (2.4). `term_id` is 0 where the term is not known.
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
        pub mark: f64,
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
        pub weight: f64,
        /// The mark; nothing with `structure`.
        #[serde(flatten)]
        pub mark: Option<Mark>,
    }

    /// The mark of an assessment (2.6).
    Mark {
        /// When the mark was last updated.
        pub dtime: Option<String>,
        pub percentage: Option<Percentage>,
        pub mark: Option<f64>,
        pub mark_out_of: Option<f64>,
        pub captured: bool,
    }

    /// A learner's absence on a day (2.7).
    Absentee {
        pub id: u64,
        pub learner_id: u64,
        pub absent_date: Option<String>,
        pub absent_reason: Option<String>,
    }

    /// What a learner was praised or reprimanded for on a day.
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
        /// The name: `Married`.
        pub marital_status_id: Option<String>,
        pub employment_category: Option<String>,
        /// `Yes` or `No`.
        pub is_educator: Option<String>,
        pub appointment_type: Option<String>,
        pub paid_by: Option<String>,
        pub sace_number: Option<String>,
        /// Joined by commas.
        pub register_classes: Option<String>,
    }

    /// What a school says of itself.
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

    /// A record of a lookup: of a grade, an ethnic group, a marital status, a gender or a
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

    /// What a school has authorised the integrator for (2.9).
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
        /// With `include_parents`: parent 1, then parent 2.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parents: Option<Vec<Parent>>,
        /// With `include_accountable_person`, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub accountable_person: Option<AccountablePerson>,
    }

    /// Who pays for learners (section 9).
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
        /// With `include_learners`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub learners: Option<Vec<FinanceLearner>>,
    }

    /// What a change of a client integration's state did.
    IntegrationUpdate {
        pub success: bool,
        pub message: String,
        pub data: ClientIntegration,
    }

    /// What is answered instead where a request is refused.
    Refusal {
        pub success: bool,
        pub message: String,
        /// What is wrong with each field at fault.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub validation_errors: BTreeMap<String, String>,
    }
}
