extension V1 {
    /// A merit or demerit of a learner on a day.
    public struct Discipline: Codable, Hashable, Sendable {
        public let id: String
        public let learnerId: String
        /// `YYYY-MM-DD`.
        public let disciplineDate: String
        public let disciplineCategory: String
        public let disciplineReason: String
        /// An integer, negative or not.
        public let disciplinePoints: String
        public let disciplineRemarks: String
        public let staffMemberId: String

        enum CodingKeys: String, CodingKey {
            case id
            case learnerId = "learner_id"
            case disciplineDate = "discipline_date"
            case disciplineCategory = "discipline_category"
            case disciplineReason = "discipline_reason"
            case disciplinePoints = "discipline_points"
            case disciplineRemarks = "discipline_remarks"
            case staffMemberId = "staff_member_id"
        }
    }

    /// A member of a school's staff.
    public struct StaffMember: Codable, Hashable, Sendable {
        public let id: String
        public let title: String
        public let firstName: String
        public let lastName: String
        public let mobileCallingCode: String
        public let mobileNumber: String
        public let emailAddress: String
        public let dateOfBirth: String
        public let gender: String
        public let ethnicGroup: String
        /// Lines separated by carriage return and line feed.
        public let residentialAddress: String
        /// Lines separated by carriage return and line feed.
        public let postalAddress: String
        public let homeLanguage: String
        public let nationality: String
        public let idNumber: String
        public let passportNumber: String
        /// The name of the status, for example `Married`, not its id.
        public let maritalStatusId: String
        public let employmentCategory: String
        /// `Yes` or `No`.
        public let isEducator: String
        public let appointmentType: String
        public let paidBy: String
        public let saceNumber: String
        /// The names, separated by commas.
        public let registerClasses: String

        enum CodingKeys: String, CodingKey {
            case id, title, gender, nationality
            case firstName = "first_name"
            case lastName = "last_name"
            case mobileCallingCode = "mobile_calling_code"
            case mobileNumber = "mobile_number"
            case emailAddress = "email_address"
            case dateOfBirth = "date_of_birth"
            case ethnicGroup = "ethnic_group"
            case residentialAddress = "residential_address"
            case postalAddress = "postal_address"
            case homeLanguage = "home_language"
            case idNumber = "id_number"
            case passportNumber = "passport_number"
            case maritalStatusId = "marital_status_id"
            case employmentCategory = "employment_category"
            case isEducator = "is_educator"
            case appointmentType = "appointment_type"
            case paidBy = "paid_by"
            case saceNumber = "sace_number"
            case registerClasses = "register_classes"
        }
    }

    /// The information that a school publishes about itself.
    public struct SchoolInfo: Codable, Hashable, Sendable {
        public let schoolName: String
        public let adminEmailAddress: String
        public let telephoneCallingCode: String
        public let telephoneNumber: String
        public let website: String
        /// Lines separated by carriage return and line feed.
        public let physicalAddress: String
        public let quantile: String
        public let medium: String
        public let emisNumber: String
        public let country: String
        public let province: String
        public let tuitionLanguages: [String]

        enum CodingKeys: String, CodingKey {
            case website, quantile, medium, country, province
            case schoolName = "school_name"
            case adminEmailAddress = "admin_email_address"
            case telephoneCallingCode = "telephone_calling_code"
            case telephoneNumber = "telephone_number"
            case physicalAddress = "physical_address"
            case emisNumber = "emis_number"
            case tuitionLanguages = "tuition_languages"
        }
    }

    /// A record of a lookup list: a grade, an ethnic group, a marital status, a gender or a
    /// language.
    public struct LookupEntry: Codable, Hashable, Sendable {
        public let id: String
        public let name: String
    }
}
