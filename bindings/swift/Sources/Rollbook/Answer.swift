import Foundation

/// An answer: what the service would send.
public struct Answer: Equatable, Hashable, Sendable {
    /// The HTTP status code.
    public let status: UInt16

    /// The body: compact JSON in UTF-8.
    public let data: Data

    /// The methods that the path takes, if another was tried.
    public let allow: String?

    public init(status: UInt16, data: Data, allow: String? = nil) {
        self.status = status
        self.data = data
        self.allow = allow
    }

    /// The body as text, which is made each time.
    public var body: String { String(decoding: data, as: UTF8.self) }

    /// Content type and length, and `Allow` if the path does not take the method.
    public var headers: [Header] {
        var headers = [
            Header(name: "Content-Type", value: "application/json; charset=utf-8"),
            Header(name: "Content-Length", value: String(data.count)),
        ]
        if let allow { headers.append(Header(name: "Allow", value: allow)) }
        return headers
    }

    /// The value of a header, whatever the case of its name; nil if there is none.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    /// The records of the body, such as `[V1.Learner].self`.
    ///
    /// Throws the `DecodingError` of Foundation if the body is something else, as
    /// that of a refusal is: look at ``status`` first.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: data)
    }
}
