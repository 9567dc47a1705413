// The records of v1, as `Answer.json()` returns them.
//
// Unless the comment of a field says otherwise, every value is a string, and an empty string means
// that there is no value. Dates are `YYYY-MM-DD` and times `YYYY-MM-DD HH:MM:SS`, both in the time
// of the school. Addresses are lines that end with `\r\n`. Numbers such as 2.1 are sections of the
// service's documentation.

/** A parent of a learner (2.2). */
export interface Parent {
  id: string;
  title: string;
  first_name: string;
  last_name: string;
  mobile_calling_code: string;
  mobile_number: string;
  email_address: string;
  date_of_birth: string;
  gender: string;
  ethnic_group_id: string;
  ethnic_group: string;
  residential_address: string;
  postal_address: string;
  home_language_id: string;
  home_language: string;
  nationality: string;
  family_code: string;
  id_number: string;
  passport_number: string;
  marital_status_id: string;
  marital_status: string;
  occupation_status: string;
  occupation: string;
  employment_sector: string;
  /** A decimal with two places. */
  gross_annual_income: string;
}

/** A learner (2.1). */
export interface Learner {
  id: string;
  first_name: string;
  last_name: string;
  mobile_calling_code: string;
  mobile_number: string;
  email_address: string;
  date_of_birth: string;
  gender: string;
  ethnic_group_id: string;
  ethnic_group: string;
  home_language_id: string;
  home_language: string;
  tuition_language_id: string;
  tuition_language: string;
  nationality: string;
  admission_number: string;
  family_code: string;
  id_number: string;
  passport_number: string;
  grade_id: string;
  grade: string;
  register_class_name: string;
  register_class_teacher_id: string;
  country: string;
  province: string;
  education_stream: string;
  photo_url: string;
  parent1_id: string;
  parent2_id: string;
  /** Parent 1 and parent 2, if the request had `include_parents`. */
  parents?: Parent[];
}

/** A subject that a learner takes in the current year (2.3). */
export interface LearnerSubject {
  learner_id: string;
  first_name: string;
  last_name: string;
  subject_id: number;
  subject_name: string;
}

/** A term of a subject (2.4). */
export interface SubjectTerm {
  term_id: number;
  term: string;
  subject_group_id: string;
  subject_group_name: string;
  classroom_id: string;
  classroom_name: string;
  subject_group_teacher_id: string;
}

/** A subject of a learner with its terms (2.4). */
export interface SubjectPerTerm {
  year: string;
  subject_id: string;
  subject_name: string;
  super_subject_id: string;
  super_subject_name: string;
  grade_id: string;
  grade: string;
  terms: SubjectTerm[];
}

/** A learner's mark for a subject in a term (2.5). */
export interface TermMark {
  term: string;
  /** A decimal with two places. */
  mark: string;
}

/** A subject of a learner with its marks by term (2.5). */
export interface SubjectMarks {
  year: string;
  subject_id: string;
  subject_name: string;
  grade_id: string;
  grade: string;
  terms: TermMark[];
}

/** An assessment without its mark, as in an answer with `structure` (2.6). */
export interface AssessmentStructure {
  assessment_id: string;
  assessment_name: string;
  assessment_date: string;
  weight: string;
}

/** An assessment with a learner's mark (2.6). */
export interface AssessmentMark extends AssessmentStructure {
  /** When the mark was last updated. */
  dtime: string;
  /** A decimal, or `a` if the learner was absent. */
  percentage: string;
  mark: string;
  mark_out_of: string;
  /** `1` if a mark was captured, `0` if not. */
  captured: string;
}

/** A learning outcome with its assessments, by their ids (2.6). */
export interface OutcomeMarks {
  learning_outcome_id: string;
  learning_outcome_name: string;
  assessments: Record<string, AssessmentMark>;
}

/** A subject with its learning outcomes, by their ids (2.6). */
export interface SubjectAssessmentMarks {
  subject_id: string;
  subject_name: string;
  learning_outcomes: Record<string, OutcomeMarks>;
}

/** A learner with its subjects, by their ids (2.6). */
export interface LearnerMarks {
  learner_id: string;
  subjects: Record<string, SubjectAssessmentMarks>;
}

/** A term with its learners, by their ids (2.6). */
export interface TermMarks {
  term: string;
  learners: Record<string, LearnerMarks>;
}

/** A year with its terms, by their numbers (2.6). */
export interface YearMarks {
  year: string;
  year_name: string;
  terms: Record<string, TermMarks>;
}

/** A grade with its years (2.6). */
export interface GradeMarks {
  grade: string;
  years: Record<string, YearMarks>;
}

/**
 * Assessment marks by grade, year, term, learner, subject, learning outcome and
 * assessment (2.6).
 */
export type AssessmentMarks = Record<string, GradeMarks>;

/** A learner's absence on a day (2.7). */
export interface Absentee {
  id: string;
  learner_id: string;
  absent_date: string;
  absent_reason: string;
}

/** A discipline record: why a learner was praised or reprimanded on a day. */
export interface Discipline {
  id: string;
  learner_id: string;
  /** `YYYY-MM-DD`. */
  discipline_date: string;
  discipline_category: string;
  discipline_reason: string;
  /** An integer, negative or not. */
  discipline_points: string;
  discipline_remarks: string;
  staff_member_id: string;
}

/** A member of a school's staff. */
export interface StaffMember {
  id: string;
  title: string;
  first_name: string;
  last_name: string;
  mobile_calling_code: string;
  mobile_number: string;
  email_address: string;
  date_of_birth: string;
  gender: string;
  ethnic_group: string;
  residential_address: string;
  postal_address: string;
  home_language: string;
  nationality: string;
  id_number: string;
  passport_number: string;
  /** The name, such as `Married`. */
  marital_status_id: string;
  employment_category: string;
  /** `Yes` or `No`. */
  is_educator: string;
  appointment_type: string;
  paid_by: string;
  sace_number: string;
  /** Several values, separated by commas. */
  register_classes: string;
}

/** Information about a school. */
export interface SchoolInfo {
  school_name: string;
  admin_email_address: string;
  telephone_calling_code: string;
  telephone_number: string;
  website: string;
  physical_address: string;
  quantile: string;
  medium: string;
  emis_number: string;
  country: string;
  province: string;
  tuition_languages: string[];
}

/**
 * A record of a lookup: of a grade, an ethnic group, a marital status, a gender or a
 * language.
 */
export interface LookupEntry {
  id: string;
  name: string;
}

/** A school (2.8). */
export interface School {
  school_id: string;
  school_name: string;
  school_short_name: string;
  ownership_type: string;
  country: string;
  province: string;
  town: string;
  suburb: string;
  district: string;
  district_code: string;
  circuit: string;
  quantile: string;
  emis_number: string;
  telephone_number: string;
  lowest_grade: string;
  highest_grade: string;
  admin_email_address: string;
  debtors_email_address: string;
  finance_email_address: string;
  physical_address: string;
  postal_address: string;
  /** `Yes` or `No`. The next three fields have the same values. */
  has_after_school_center: string;
  has_hostel: string;
  uses_debit_orders: string;
  uses_cashless: string;
}

/** An API type for which a school has authorised the integrator (2.9). */
export interface Client {
  school_login_id: string;
  school_name: string;
  admin_email_address: string;
  telephone_calling_code: string;
  telephone_number: string;
  api_type_id: number;
  api_type: string;
  /** `Yes` or `No`. */
  activated_by_integrator: string;
}

/** A learner with its debtor code (section 9). */
export interface FinanceLearner {
  learner_id: string;
  first_name: string;
  last_name: string;
  gender: string;
  grade: string;
  debtor_code: string;
  parent1_id: string;
  parent2_id: string;
  accountable_person_id: string;
  /** Parent 1 and parent 2, if the request had `include_parents`. */
  parents?: Parent[];
  /** The accountable person, if there is one and the request had `include_accountable_person`. */
  accountable_person?: Omit<AccountablePerson, "learners">;
}

/** A person who pays for learners (section 9). */
export interface AccountablePerson {
  accountable_person_id: string;
  title: string;
  first_name: string;
  full_names: string;
  last_name: string;
  debtor_code: string;
  mobile_calling_code: string;
  mobile_number: string;
  work_tel_number: string;
  home_tel_number: string;
  email_address: string;
  residential_address: string;
  postal_address: string;
  home_language: string;
  nationality: string;
  id_number: string;
  passport_number: string;
  employer: string;
  employer_address: string;
  /** The learners of the person, if the request had `include_learners`. */
  learners?: Omit<FinanceLearner, "parents" | "accountable_person">[];
}

/** The answer to a request that is refused (2.10). */
export interface Error {
  error: string;
  error_description: string;
}
