extension V1 {
    /// A subject that a learner takes in the current year (2.3), from Get Learner Subjects.
    public struct LearnerSubject: Codable, Hashable, Sendable {
        public let learnerId: String
        public let firstName: String
        public let lastName: String
        public let subjectId: UInt64
        public let subjectName: String

        enum CodingKeys: String, CodingKey {
            case learnerId = "learner_id"
            case firstName = "first_name"
            case lastName = "last_name"
            case subjectId = "subject_id"
            case subjectName = "subject_name"
        }
    }

    /// A subject of a learner and its terms in the current year (2.4), from Get Learner Subjects
    /// Per Term.
    public struct SubjectPerTerm: Codable, Hashable, Sendable {
        public let year: String
        public let subjectId: String
        public let subjectName: String
        public let superSubjectId: String
        public let superSubjectName: String
        public let gradeId: String
        public let grade: String
        /// The terms, in order.
        public let terms: [SubjectTerm]

        enum CodingKeys: String, CodingKey {
            case year, grade, terms
            case subjectId = "subject_id"
            case subjectName = "subject_name"
            case superSubjectId = "super_subject_id"
            case superSubjectName = "super_subject_name"
            case gradeId = "grade_id"
        }
    }

    /// A term in which a learner takes a subject, with the group and the classroom (2.4).
    public struct SubjectTerm: Codable, Hashable, Sendable {
        public let termId: UInt64
        public let term: String
        public let subjectGroupId: String
        public let subjectGroupName: String
        public let classroomId: String
        public let classroomName: String
        public let subjectGroupTeacherId: String

        enum CodingKeys: String, CodingKey {
            case term
            case termId = "term_id"
            case subjectGroupId = "subject_group_id"
            case subjectGroupName = "subject_group_name"
            case classroomId = "classroom_id"
            case classroomName = "classroom_name"
            case subjectGroupTeacherId = "subject_group_teacher_id"
        }
    }

    /// The marks of a learner in a subject, by term (2.5), from Get Learner Subject Marks.
    public struct SubjectMarks: Codable, Hashable, Sendable {
        public let year: String
        public let subjectId: String
        public let subjectName: String
        public let gradeId: String
        public let grade: String
        /// The terms, in order.
        public let terms: [TermMark]

        enum CodingKeys: String, CodingKey {
            case year, grade, terms
            case subjectId = "subject_id"
            case subjectName = "subject_name"
            case gradeId = "grade_id"
        }
    }

    /// The mark of a subject in a term (2.5).
    public struct TermMark: Codable, Hashable, Sendable {
        public let term: String
        /// A decimal with two places, such as a percentage.
        public let mark: String
    }
}
