/// The types of the records in answers of v1: `answer.decode([V1.Learner].self)`.
///
/// Every value is a text, as in the JSON, except for a few numbers. An empty text means that there
/// is no value. Section numbers are those of the API's specification.
public enum V1 {
    /// The body of every answer of v1 whose status is 400 or above (2.10).
    public struct Refusal: Codable, Hashable, Sendable {
        /// A short title, such as `Not found`.
        public let error: String
        /// A description of what was refused, and why.
        public let errorDescription: String

        enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }
}
