extension V1 {
    /// The answer of Get Learner Assessment Marks (2.6): nested objects. The grades, by `grade_id`.
    public typealias AssessmentMarks = [String: GradeMarks]

    /// A grade and its years.
    public struct GradeMarks: Codable, Hashable, Sendable {
        public let grade: String
        /// The years, by their numbers.
        public let years: [String: YearMarks]
    }

    /// A year and its terms.
    public struct YearMarks: Codable, Hashable, Sendable {
        public let year: String
        public let yearName: String
        /// The terms, by their numbers.
        public let terms: [String: TermMarks]

        enum CodingKeys: String, CodingKey {
            case year, terms
            case yearName = "year_name"
        }
    }

    /// A term and its learners.
    public struct TermMarks: Codable, Hashable, Sendable {
        public let term: String
        /// The learners, by `learner_id`.
        public let learners: [String: LearnerMarks]
    }

    /// A learner and its subjects.
    public struct LearnerMarks: Codable, Hashable, Sendable {
        public let learnerId: String
        /// The subjects, by `subject_id`.
        public let subjects: [String: SubjectAssessments]

        enum CodingKeys: String, CodingKey {
            case subjects
            case learnerId = "learner_id"
        }
    }

    /// A subject and its learning outcomes.
    public struct SubjectAssessments: Codable, Hashable, Sendable {
        public let subjectId: String
        public let subjectName: String
        /// The learning outcomes, by `learning_outcome_id`.
        public let learningOutcomes: [String: LearningOutcome]

        enum CodingKeys: String, CodingKey {
            case subjectId = "subject_id"
            case subjectName = "subject_name"
            case learningOutcomes = "learning_outcomes"
        }
    }

    /// A learning outcome and its assessments.
    public struct LearningOutcome: Codable, Hashable, Sendable {
        public let learningOutcomeId: String
        public let learningOutcomeName: String
        /// The assessments, by `assessment_id`.
        public let assessments: [String: Assessment]

        enum CodingKeys: String, CodingKey {
            case assessments
            case learningOutcomeId = "learning_outcome_id"
            case learningOutcomeName = "learning_outcome_name"
        }
    }

    /// An assessment and its mark. If only the structure was requested, it has an id, a name, a
    /// date and a weight; all other members are nil.
    public struct Assessment: Codable, Hashable, Sendable {
        public let assessmentId: String
        public let assessmentName: String
        /// YYYY-MM-DD.
        public let assessmentDate: String
        /// A decimal.
        public let weight: String
        /// When the mark was last updated: YYYY-MM-DD HH:MM:SS.
        public let dtime: String?
        /// A decimal, or `a` if the learner was absent for the assessment.
        public let percentage: String?
        /// A decimal.
        public let mark: String?
        /// A decimal.
        public let markOutOf: String?
        /// `1` if a mark was captured, `0` if not.
        public let captured: String?

        enum CodingKeys: String, CodingKey {
            case weight, dtime, percentage, mark, captured
            case assessmentId = "assessment_id"
            case assessmentName = "assessment_name"
            case assessmentDate = "assessment_date"
            case markOutOf = "mark_out_of"
        }
    }
}
