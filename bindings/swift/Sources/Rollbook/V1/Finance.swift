extension V1 {
    /// A learner and its account (section 9, item 8), from Learner Parent Info.
    public struct FinanceLearner: Codable, Hashable, Sendable {
        public let learnerId: String
        public let firstName: String
        public let lastName: String
        public let gender: String
        public let grade: String
        public let debtorCode: String
        public let parent1Id: String
        public let parent2Id: String
        public let accountablePersonId: String
        /// The parents; nil unless requested with `include_parents`.
        public let parents: [Parent]?
        /// The accountable person; nil if there is none, or unless requested with
        /// `include_accountable_person`.
        public let accountablePerson: AccountablePerson?

        enum CodingKeys: String, CodingKey {
            case gender, grade, parents
            case learnerId = "learner_id"
            case firstName = "first_name"
            case lastName = "last_name"
            case debtorCode = "debtor_code"
            case parent1Id = "parent1_id"
            case parent2Id = "parent2_id"
            case accountablePersonId = "accountable_person_id"
            case accountablePerson = "accountable_person"
        }
    }

    /// A person who pays for learners (section 9, item 8), from School Debtors.
    public struct AccountablePerson: Codable, Hashable, Sendable {
        public let accountablePersonId: String
        public let title: String
        public let firstName: String
        public let fullNames: String
        public let lastName: String
        public let debtorCode: String
        public let mobileCallingCode: String
        public let mobileNumber: String
        public let workTelNumber: String
        public let homeTelNumber: String
        public let emailAddress: String
        /// Lines separated by carriage return and line feed.
        public let residentialAddress: String
        /// Lines separated by carriage return and line feed.
        public let postalAddress: String
        public let homeLanguage: String
        public let nationality: String
        public let idNumber: String
        public let passportNumber: String
        public let employer: String
        /// Lines separated by carriage return and line feed.
        public let employerAddress: String
        /// The learners; nil unless requested with `include_learners`.
        public let learners: [FinanceLearner]?

        enum CodingKeys: String, CodingKey {
            case title, nationality, employer, learners
            case accountablePersonId = "accountable_person_id"
            case firstName = "first_name"
            case fullNames = "full_names"
            case lastName = "last_name"
            case debtorCode = "debtor_code"
            case mobileCallingCode = "mobile_calling_code"
            case mobileNumber = "mobile_number"
            case workTelNumber = "work_tel_number"
            case homeTelNumber = "home_tel_number"
            case emailAddress = "email_address"
            case residentialAddress = "residential_address"
            case postalAddress = "postal_address"
            case homeLanguage = "home_language"
            case idNumber = "id_number"
            case passportNumber = "passport_number"
            case employerAddress = "employer_address"
        }
    }
}
