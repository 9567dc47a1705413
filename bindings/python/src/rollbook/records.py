"""The types of the records of v1, as :meth:`Answer.json` returns them::

    learners: list[Learner] = engine.ask(Learners(school=1000)).json()

Every value is a string, and an empty string means that there is no value, unless the description
of a field differs. Dates have the form ``YYYY-MM-DD`` and times ``YYYY-MM-DD HH:MM:SS``, both in
the school's time zone. The lines of an address end with ``\\r\\n``. Numbers such as 2.1 are
sections of the service's documentation. Members that a record has only on request are declared in
a class of their own.
"""

from typing import Dict, List, TypedDict


class Parent(TypedDict):
    """A parent of a learner (2.2)."""

    id: str
    title: str
    first_name: str
    last_name: str
    mobile_calling_code: str
    mobile_number: str
    email_address: str
    date_of_birth: str
    gender: str
    ethnic_group_id: str
    ethnic_group: str
    residential_address: str
    postal_address: str
    home_language_id: str
    home_language: str
    nationality: str
    family_code: str
    id_number: str
    passport_number: str
    marital_status_id: str
    marital_status: str
    occupation_status: str
    occupation: str
    employment_sector: str
    gross_annual_income: str
    """A decimal with two places."""


class _Learner(TypedDict):
    id: str
    first_name: str
    last_name: str
    mobile_calling_code: str
    mobile_number: str
    email_address: str
    date_of_birth: str
    gender: str
    ethnic_group_id: str
    ethnic_group: str
    home_language_id: str
    home_language: str
    tuition_language_id: str
    tuition_language: str
    nationality: str
    admission_number: str
    family_code: str
    id_number: str
    passport_number: str
    grade_id: str
    grade: str
    register_class_name: str
    register_class_teacher_id: str
    country: str
    province: str
    education_stream: str
    photo_url: str
    parent1_id: str
    parent2_id: str


class Learner(_Learner, total=False):
    """A learner (2.1)."""

    parents: List[Parent]
    """With ``include_parents``: parent 1, then parent 2."""


class LearnerSubject(TypedDict):
    """A subject that a learner takes in the current year (2.3)."""

    learner_id: str
    first_name: str
    last_name: str
    subject_id: int
    subject_name: str


class SubjectTerm(TypedDict):
    """A term of a subject (2.4)."""

    term_id: int
    term: str
    subject_group_id: str
    subject_group_name: str
    classroom_id: str
    classroom_name: str
    subject_group_teacher_id: str


class SubjectPerTerm(TypedDict):
    """A subject of a learner with its terms (2.4)."""

    year: str
    subject_id: str
    subject_name: str
    super_subject_id: str
    super_subject_name: str
    grade_id: str
    grade: str
    terms: List[SubjectTerm]


class TermMark(TypedDict):
    """A learner's mark for a subject in a term (2.5)."""

    term: str
    mark: str
    """A decimal with two places."""


class SubjectMarks(TypedDict):
    """A subject of a learner with its marks by term (2.5)."""

    year: str
    subject_id: str
    subject_name: str
    grade_id: str
    grade: str
    terms: List[TermMark]


class AssessmentStructure(TypedDict):
    """An assessment without its mark (2.6), for questions with ``structure``."""

    assessment_id: str
    assessment_name: str
    assessment_date: str
    weight: str


class AssessmentMark(AssessmentStructure):
    """An assessment with a learner's mark (2.6)."""

    dtime: str
    """When the mark was last updated."""
    percentage: str
    """A decimal, or ``a`` if the learner was absent."""
    mark: str
    mark_out_of: str
    captured: str
    """``1`` if a mark was captured, ``0`` if not."""


class OutcomeMarks(TypedDict):
    """A learning outcome with its assessments, by their ids (2.6)."""

    learning_outcome_id: str
    learning_outcome_name: str
    assessments: Dict[str, AssessmentMark]


class SubjectAssessmentMarks(TypedDict):
    """A subject with its learning outcomes, by their ids (2.6)."""

    subject_id: str
    subject_name: str
    learning_outcomes: Dict[str, OutcomeMarks]


class LearnerMarks(TypedDict):
    """A learner with its subjects, by their ids (2.6)."""

    learner_id: str
    subjects: Dict[str, SubjectAssessmentMarks]


class TermMarks(TypedDict):
    """A term with its learners, by their ids (2.6)."""

    term: str
    learners: Dict[str, LearnerMarks]


class YearMarks(TypedDict):
    """A year with its terms, by their numbers (2.6)."""

    year: str
    year_name: str
    terms: Dict[str, TermMarks]


class GradeMarks(TypedDict):
    """A grade with its years (2.6)."""

    grade: str
    years: Dict[str, YearMarks]


AssessmentMarks = Dict[str, GradeMarks]
"""Assessment marks by grade, year, term, learner, subject, learning outcome and
assessment (2.6)."""


class Absentee(TypedDict):
    """A learner's absence on a day (2.7)."""

    id: str
    learner_id: str
    absent_date: str
    absent_reason: str


class Discipline(TypedDict):
    """A merit or demerit of a learner on a day."""

    id: str
    learner_id: str
    discipline_date: str
    """``YYYY-MM-DD``."""
    discipline_category: str
    discipline_reason: str
    discipline_points: str
    """An integer, negative or not."""
    discipline_remarks: str
    staff_member_id: str


class StaffMember(TypedDict):
    """A member of a school's staff."""

    id: str
    title: str
    first_name: str
    last_name: str
    mobile_calling_code: str
    mobile_number: str
    email_address: str
    date_of_birth: str
    gender: str
    ethnic_group: str
    residential_address: str
    postal_address: str
    home_language: str
    nationality: str
    id_number: str
    passport_number: str
    marital_status_id: str
    """The name of the status, for example ``Married``, not its id."""
    employment_category: str
    is_educator: str
    """``Yes`` or ``No``."""
    appointment_type: str
    paid_by: str
    sace_number: str
    register_classes: str
    """The names, separated by commas."""


class SchoolInfo(TypedDict):
    """The information that a school publishes about itself."""

    school_name: str
    admin_email_address: str
    telephone_calling_code: str
    telephone_number: str
    website: str
    physical_address: str
    quantile: str
    medium: str
    emis_number: str
    country: str
    province: str
    tuition_languages: List[str]


class LookupEntry(TypedDict):
    """A record of a lookup list: a grade, an ethnic group, a marital status, a gender or a
    language."""

    id: str
    name: str


class School(TypedDict):
    """A school (2.8)."""

    school_id: str
    school_name: str
    school_short_name: str
    ownership_type: str
    country: str
    province: str
    town: str
    suburb: str
    district: str
    district_code: str
    circuit: str
    quantile: str
    emis_number: str
    telephone_number: str
    lowest_grade: str
    highest_grade: str
    admin_email_address: str
    debtors_email_address: str
    finance_email_address: str
    physical_address: str
    postal_address: str
    has_after_school_center: str
    """``Yes`` or ``No``."""
    has_hostel: str
    """``Yes`` or ``No``."""
    uses_debit_orders: str
    """``Yes`` or ``No``."""
    uses_cashless: str
    """``Yes`` or ``No``."""


class Client(TypedDict):
    """An API type for which a school has authorised the integrator (2.9)."""

    school_login_id: str
    school_name: str
    admin_email_address: str
    telephone_calling_code: str
    telephone_number: str
    api_type_id: int
    api_type: str
    activated_by_integrator: str
    """``Yes`` or ``No``."""


class _FinanceLearner(TypedDict):
    learner_id: str
    first_name: str
    last_name: str
    gender: str
    grade: str
    debtor_code: str
    parent1_id: str
    parent2_id: str
    accountable_person_id: str


class _AccountablePerson(TypedDict):
    accountable_person_id: str
    title: str
    first_name: str
    full_names: str
    last_name: str
    debtor_code: str
    mobile_calling_code: str
    mobile_number: str
    work_tel_number: str
    home_tel_number: str
    email_address: str
    residential_address: str
    postal_address: str
    home_language: str
    nationality: str
    id_number: str
    passport_number: str
    employer: str
    employer_address: str


class FinanceLearner(_FinanceLearner, total=False):
    """A learner with its debtor code (section 9)."""

    parents: List[Parent]
    """With ``include_parents``: parent 1, then parent 2."""
    accountable_person: _AccountablePerson
    """With ``include_accountable_person``, if there is one."""


class AccountablePerson(_AccountablePerson, total=False):
    """A person who pays for learners (section 9)."""

    learners: List[_FinanceLearner]
    """With ``include_learners``."""


class Error(TypedDict):
    """The body of an answer that refuses a request (2.10)."""

    error: str
    error_description: str
