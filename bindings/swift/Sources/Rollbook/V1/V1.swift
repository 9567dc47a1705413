/// The records of v1, as the API's answers have them: `answer.decode([V1.Learner].self)`.
///
/// Every value is a text, as in the JSON, but for the few numbers that it has; an empty text
/// means no value. Sections are those of the API's specification.
public enum V1 {
    /// The body of a refusal (2.10): every answer of v1 whose status is 400 or above.
    public struct Refusal: Codable, Hashable, Sendable {
        /// A short title, such as `Not found`.
        public let error: String
        /// What was refused, and why.
        public let errorDescription: String

        enum CodingKeys: String, CodingKey {
            case error
            case errorDescription = "error_description"
        }
    }
}
