extension V1 {
    /// A school (2.8), from Get Schools.
    public struct School: Codable, Hashable, Sendable {
        public let schoolId: String
        public let schoolName: String
        public let schoolShortName: String
        public let ownershipType: String
        public let country: String
        public let province: String
        public let town: String
        public let suburb: String
        public let district: String
        public let districtCode: String
        public let circuit: String
        public let quantile: String
        public let emisNumber: String
        public let telephoneNumber: String
        public let lowestGrade: String
        public let highestGrade: String
        public let adminEmailAddress: String
        public let debtorsEmailAddress: String
        public let financeEmailAddress: String
        /// Lines separated by carriage return and line feed.
        public let physicalAddress: String
        /// Lines separated by carriage return and line feed.
        public let postalAddress: String
        /// `Yes` or `No`.
        public let hasAfterSchoolCenter: String
        /// `Yes` or `No`.
        public let hasHostel: String
        /// `Yes` or `No`.
        public let usesDebitOrders: String
        /// `Yes` or `No`.
        public let usesCashless: String

        enum CodingKeys: String, CodingKey {
            case country, province, town, suburb, district, circuit, quantile
            case schoolId = "school_id"
            case schoolName = "school_name"
            case schoolShortName = "school_short_name"
            case ownershipType = "ownership_type"
            case districtCode = "district_code"
            case emisNumber = "emis_number"
            case telephoneNumber = "telephone_number"
            case lowestGrade = "lowest_grade"
            case highestGrade = "highest_grade"
            case adminEmailAddress = "admin_email_address"
            case debtorsEmailAddress = "debtors_email_address"
            case financeEmailAddress = "finance_email_address"
            case physicalAddress = "physical_address"
            case postalAddress = "postal_address"
            case hasAfterSchoolCenter = "has_after_school_center"
            case hasHostel = "has_hostel"
            case usesDebitOrders = "uses_debit_orders"
            case usesCashless = "uses_cashless"
        }
    }

    /// An API type for which a school has authorised the integrator (2.9), from Get Clients.
    public struct Client: Codable, Hashable, Sendable {
        public let schoolLoginId: String
        public let schoolName: String
        public let adminEmailAddress: String
        public let telephoneCallingCode: String
        public let telephoneNumber: String
        public let apiTypeId: UInt64
        /// The name of the API type.
        public let apiType: String
        /// `Yes` or `No`.
        public let activatedByIntegrator: String

        enum CodingKeys: String, CodingKey {
            case schoolLoginId = "school_login_id"
            case schoolName = "school_name"
            case adminEmailAddress = "admin_email_address"
            case telephoneCallingCode = "telephone_calling_code"
            case telephoneNumber = "telephone_number"
            case apiTypeId = "api_type_id"
            case apiType = "api_type"
            case activatedByIntegrator = "activated_by_integrator"
        }
    }
}
