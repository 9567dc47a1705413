extension V1 {
    /// A learner (2.1), from Get Learner(s).
    public struct Learner: Codable, Hashable, Sendable {
        public let id: String
        public let firstName: String
        public let lastName: String
        public let mobileCallingCode: String
        public let mobileNumber: String
        public let emailAddress: String
        /// YYYY-MM-DD.
        public let dateOfBirth: String
        /// `M` or `F`.
        public let gender: String
        public let ethnicGroupId: String
        public let ethnicGroup: String
        public let homeLanguageId: String
        public let homeLanguage: String
        public let tuitionLanguageId: String
        public let tuitionLanguage: String
        public let nationality: String
        public let admissionNumber: String
        public let familyCode: String
        public let idNumber: String
        public let passportNumber: String
        public let gradeId: String
        public let grade: String
        public let registerClassName: String
        public let registerClassTeacherId: String
        public let country: String
        public let province: String
        public let educationStream: String
        /// May be empty.
        public let photoUrl: String
        /// The id of a ``Parent``.
        public let parent1Id: String
        /// The id of a ``Parent``.
        public let parent2Id: String
        /// Parent 1, then parent 2; nil unless requested with `include_parents`.
        public let parents: [Parent]?

        enum CodingKeys: String, CodingKey {
            case id, gender, nationality, grade, country, province, parents
            case firstName = "first_name"
            case lastName = "last_name"
            case mobileCallingCode = "mobile_calling_code"
            case mobileNumber = "mobile_number"
            case emailAddress = "email_address"
            case dateOfBirth = "date_of_birth"
            case ethnicGroupId = "ethnic_group_id"
            case ethnicGroup = "ethnic_group"
            case homeLanguageId = "home_language_id"
            case homeLanguage = "home_language"
            case tuitionLanguageId = "tuition_language_id"
            case tuitionLanguage = "tuition_language"
            case admissionNumber = "admission_number"
            case familyCode = "family_code"
            case idNumber = "id_number"
            case passportNumber = "passport_number"
            case gradeId = "grade_id"
            case registerClassName = "register_class_name"
            case registerClassTeacherId = "register_class_teacher_id"
            case educationStream = "education_stream"
            case photoUrl = "photo_url"
            case parent1Id = "parent1_id"
            case parent2Id = "parent2_id"
        }
    }

    /// A parent or guardian of a learner (2.2).
    public struct Parent: Codable, Hashable, Sendable {
        public let id: String
        public let title: String
        public let firstName: String
        public let lastName: String
        public let mobileCallingCode: String
        public let mobileNumber: String
        public let emailAddress: String
        /// YYYY-MM-DD.
        public let dateOfBirth: String
        public let gender: String
        public let ethnicGroupId: String
        public let ethnicGroup: String
        /// Lines separated by carriage return and line feed.
        public let residentialAddress: String
        /// Lines separated by carriage return and line feed.
        public let postalAddress: String
        public let homeLanguageId: String
        public let homeLanguage: String
        public let nationality: String
        public let familyCode: String
        public let idNumber: String
        public let passportNumber: String
        public let maritalStatusId: String
        public let maritalStatus: String
        public let occupationStatus: String
        public let occupation: String
        public let employmentSector: String
        /// A decimal with two places.
        public let grossAnnualIncome: String

        enum CodingKeys: String, CodingKey {
            case id, title, gender, nationality, occupation
            case firstName = "first_name"
            case lastName = "last_name"
            case mobileCallingCode = "mobile_calling_code"
            case mobileNumber = "mobile_number"
            case emailAddress = "email_address"
            case dateOfBirth = "date_of_birth"
            case ethnicGroupId = "ethnic_group_id"
            case ethnicGroup = "ethnic_group"
            case residentialAddress = "residential_address"
            case postalAddress = "postal_address"
            case homeLanguageId = "home_language_id"
            case homeLanguage = "home_language"
            case familyCode = "family_code"
            case idNumber = "id_number"
            case passportNumber = "passport_number"
            case maritalStatusId = "marital_status_id"
            case maritalStatus = "marital_status"
            case occupationStatus = "occupation_status"
            case employmentSector = "employment_sector"
            case grossAnnualIncome = "gross_annual_income"
        }
    }

    /// A day on which a learner was absent (2.7), from Get Learner Absentees.
    public struct Absentee: Codable, Hashable, Sendable {
        public let id: String
        public let learnerId: String
        /// YYYY-MM-DD.
        public let absentDate: String
        public let absentReason: String

        enum CodingKeys: String, CodingKey {
            case id
            case learnerId = "learner_id"
            case absentDate = "absent_date"
            case absentReason = "absent_reason"
        }
    }
}
