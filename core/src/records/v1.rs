//! The records of v1, for [`Answer::decode`](crate::Answer::decode).
//!
//! Every value is a string, and an empty string means that there is no value, unless the field says
//! otherwise. Dates are `YYYY-MM-DD` and times `YYYY-MM-DD HH:MM:SS`, both in the school's time.
//! Addresses consist of lines that end with `\r\n`. Numbers such as 2.1 refer to sections of the
//! service's documentation.

use super::records;
use std::collections::BTreeMap;

records! {
    /// A learner (2.1).
    Learner {
        pub id: String,
        pub first_name: String,
        pub last_name: String,
        pub mobile_calling_code: String,
        pub mobile_number: String,
        pub email_address: String,
        pub date_of_birth: String,
        pub gender: String,
        pub ethnic_group_id: String,
        pub ethnic_group: String,
        pub home_language_id: String,
        pub home_language: String,
        pub tuition_language_id: String,
        pub tuition_language: String,
        pub nationality: String,
        pub admission_number: String,
        pub family_code: String,
        pub id_number: String,
        pub passport_number: String,
        pub grade_id: String,
        pub grade: String,
        pub register_class_name: String,
        pub register_class_teacher_id: String,
        pub country: String,
        pub province: String,
        pub education_stream: String,
        pub photo_url: String,
        pub parent1_id: String,
        pub parent2_id: String,
        /// Parent 1, then parent 2. Only present with `include_parents`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parents: Option<Vec<Parent>>,
    }

    /// A parent of a learner (2.2). `gross_annual_income` is a decimal with two places.
    Parent {
        pub id: String,
        pub title: String,
        pub first_name: String,
        pub last_name: String,
        pub mobile_calling_code: String,
        pub mobile_number: String,
        pub email_address: String,
        pub date_of_birth: String,
        pub gender: String,
        pub ethnic_group_id: String,
        pub ethnic_group: String,
        pub residential_address: String,
        pub postal_address: String,
        pub home_language_id: String,
        pub home_language: String,
        pub nationality: String,
        pub family_code: String,
        pub id_number: String,
        pub passport_number: String,
        pub marital_status_id: String,
        pub marital_status: String,
        pub occupation_status: String,
        pub occupation: String,
        pub employment_sector: String,
        pub gross_annual_income: String,
    }

    /// A subject that a learner takes in the current year (2.3).
    LearnerSubject {
        pub learner_id: String,
        pub first_name: String,
        pub last_name: String,
        pub subject_id: u64,
        pub subject_name: String,
    }

    /// A subject of a learner with its terms (2.4).
    SubjectPerTerm {
        pub year: String,
        pub subject_id: String,
        pub subject_name: String,
        pub super_subject_id: String,
        pub super_subject_name: String,
        pub grade_id: String,
        pub grade: String,
        pub terms: Vec<SubjectTerm>,
    }

    /// A term of a subject (2.4).
    SubjectTerm {
        pub term_id: u64,
        pub term: String,
        pub subject_group_id: String,
        pub subject_group_name: String,
        pub classroom_id: String,
        pub classroom_name: String,
        pub subject_group_teacher_id: String,
    }

    /// A subject of a learner with its marks by term (2.5).
    SubjectMarks {
        pub year: String,
        pub subject_id: String,
        pub subject_name: String,
        pub grade_id: String,
        pub grade: String,
        pub terms: Vec<TermMark>,
    }

    /// A learner's mark for a subject in a term (2.5): a decimal with two places.
    TermMark {
        pub term: String,
        pub mark: String,
    }

    /// A grade with its years (2.6).
    GradeMarks {
        pub grade: String,
        pub years: BTreeMap<String, YearMarks>,
    }

    /// A year with its terms, by their numbers (2.6).
    YearMarks {
        pub year: String,
        pub year_name: String,
        pub terms: BTreeMap<String, TermMarks>,
    }

    /// A term with its learners, by their ids (2.6).
    TermMarks {
        pub term: String,
        pub learners: BTreeMap<String, LearnerMarks>,
    }

    /// A learner with its subjects, by their ids (2.6).
    LearnerMarks {
        pub learner_id: String,
        pub subjects: BTreeMap<String, SubjectAssessments>,
    }

    /// A subject with its learning outcomes, by their ids (2.6).
    SubjectAssessments {
        pub subject_id: String,
        pub subject_name: String,
        pub learning_outcomes: BTreeMap<String, OutcomeMarks>,
    }

    /// A learning outcome with its assessments, by their ids (2.6).
    OutcomeMarks {
        pub learning_outcome_id: String,
        pub learning_outcome_name: String,
        pub assessments: BTreeMap<String, AssessmentMark>,
    }

    /// An assessment with a learner's mark (2.6).
    AssessmentMark {
        pub assessment_id: String,
        pub assessment_name: String,
        pub assessment_date: String,
        pub weight: String,
        /// The mark. Not present with `structure`.
        #[serde(flatten)]
        pub mark: Option<Mark>,
    }

    /// The mark of an assessment (2.6).
    Mark {
        /// When the mark was last updated.
        pub dtime: String,
        /// A decimal, or `a` if the learner was absent.
        pub percentage: String,
        pub mark: String,
        pub mark_out_of: String,
        /// `1` if a mark was captured, `0` if not.
        pub captured: String,
    }

    /// A learner's absence on a day (2.7).
    Absentee {
        pub id: String,
        pub learner_id: String,
        pub absent_date: String,
        pub absent_reason: String,
    }

    /// A praise or reprimand of a learner on a day.
    Discipline {
        pub id: String,
        pub learner_id: String,
        /// `YYYY-MM-DD`.
        pub discipline_date: String,
        pub discipline_category: String,
        pub discipline_reason: String,
        /// An integer, negative or not.
        pub discipline_points: String,
        pub discipline_remarks: String,
        pub staff_member_id: String,
    }

    /// A member of a school's staff.
    StaffMember {
        pub id: String,
        pub title: String,
        pub first_name: String,
        pub last_name: String,
        pub mobile_calling_code: String,
        pub mobile_number: String,
        pub email_address: String,
        pub date_of_birth: String,
        pub gender: String,
        pub ethnic_group: String,
        pub residential_address: String,
        pub postal_address: String,
        pub home_language: String,
        pub nationality: String,
        pub id_number: String,
        pub passport_number: String,
        /// The name of the marital status, for example `Married`.
        pub marital_status_id: String,
        pub employment_category: String,
        /// `Yes` or `No`.
        pub is_educator: String,
        pub appointment_type: String,
        pub paid_by: String,
        pub sace_number: String,
        /// The names of the classes, separated by commas.
        pub register_classes: String,
    }

    /// The information that a school publishes about itself.
    SchoolInfo {
        pub school_name: String,
        pub admin_email_address: String,
        pub telephone_calling_code: String,
        pub telephone_number: String,
        pub website: String,
        pub physical_address: String,
        pub quantile: String,
        pub medium: String,
        pub emis_number: String,
        pub country: String,
        pub province: String,
        pub tuition_languages: Vec<String>,
    }

    /// An entry of a lookup list: a grade, an ethnic group, a marital status, a gender or a
    /// language.
    LookupEntry {
        pub id: String,
        pub name: String,
    }

    /// A school (2.8). The last four are `Yes` or `No`.
    School {
        pub school_id: String,
        pub school_name: String,
        pub school_short_name: String,
        pub ownership_type: String,
        pub country: String,
        pub province: String,
        pub town: String,
        pub suburb: String,
        pub district: String,
        pub district_code: String,
        pub circuit: String,
        pub quantile: String,
        pub emis_number: String,
        pub telephone_number: String,
        pub lowest_grade: String,
        pub highest_grade: String,
        pub admin_email_address: String,
        pub debtors_email_address: String,
        pub finance_email_address: String,
        pub physical_address: String,
        pub postal_address: String,
        pub has_after_school_center: String,
        pub has_hostel: String,
        pub uses_debit_orders: String,
        pub uses_cashless: String,
    }

    /// An API type for which a school has authorised the integrator (2.9).
    /// `activated_by_integrator` is `Yes` or `No`.
    Client {
        pub school_login_id: String,
        pub school_name: String,
        pub admin_email_address: String,
        pub telephone_calling_code: String,
        pub telephone_number: String,
        pub api_type_id: u64,
        pub api_type: String,
        pub activated_by_integrator: String,
    }

    /// A learner with its debtor code (section 9).
    FinanceLearner {
        pub learner_id: String,
        pub first_name: String,
        pub last_name: String,
        pub gender: String,
        pub grade: String,
        pub debtor_code: String,
        pub parent1_id: String,
        pub parent2_id: String,
        pub accountable_person_id: String,
        /// Parent 1, then parent 2. Only present with `include_parents`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub parents: Option<Vec<Parent>>,
        /// The accountable person, if there is one. Only present with `include_accountable_person`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub accountable_person: Option<AccountablePerson>,
    }

    /// A person who pays for learners (section 9).
    AccountablePerson {
        pub accountable_person_id: String,
        pub title: String,
        pub first_name: String,
        pub full_names: String,
        pub last_name: String,
        pub debtor_code: String,
        pub mobile_calling_code: String,
        pub mobile_number: String,
        pub work_tel_number: String,
        pub home_tel_number: String,
        pub email_address: String,
        pub residential_address: String,
        pub postal_address: String,
        pub home_language: String,
        pub nationality: String,
        pub id_number: String,
        pub passport_number: String,
        pub employer: String,
        pub employer_address: String,
        /// The learners. Only present with `include_learners`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub learners: Option<Vec<FinanceLearner>>,
    }

    /// The body of an answer to a refused request (2.10).
    Refusal {
        pub error: String,
        pub error_description: String,
    }
}

/// Assessment marks by grade, year, term, learner, subject, learning outcome and
/// assessment (2.6).
pub type AssessmentMarks = BTreeMap<String, GradeMarks>;
