import Foundation

/// The answer to a request or a question, as the service would send it.
public struct Answer: Equatable, Hashable, Sendable {
    /// The HTTP status code.
    public var status: UInt16

    /// The body: compact JSON in UTF-8. If the store is damaged, it may not be valid UTF-8; then
    /// ``body`` contains U+FFFD instead of the invalid bytes.
    public var data: Data

    /// The permitted methods, if the request used another one.
    public var allow: String?

    /// Creates an answer with an unmodified body.
    public init(status: UInt16, data: Data, allow: String? = nil) {
        self.status = status
        self.data = data
        self.allow = allow
    }

    /// Creates an answer. Of the headers, only `Allow` is used; the others result from the body.
    public init(status: UInt16, headers: [Header], body: String) {
        let allow = headers.last { $0.name.caseInsensitiveCompare("Allow") == .orderedSame }
        self.init(status: status, data: Data(body.utf8), allow: allow?.value)
    }

    /// The body as text. It is decoded each time.
    public var body: String { String(decoding: data, as: UTF8.self) }

    /// The content type and the length, and `Allow` if the path does not permit the method.
    public var headers: [Header] {
        var headers = [
            Header(name: "Content-Type", value: "application/json; charset=utf-8"),
            Header(name: "Content-Length", value: String(data.count)),
        ]
        if let allow { headers.append(Header(name: "Allow", value: allow)) }
        return headers
    }

    /// Returns the value of a header, or nil if there is none. The case of the name is ignored.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }

    /// Decodes the records of the body, such as `[V1.Learner].self`.
    ///
    /// Throws the `DecodingError` of Foundation if the body has another type, for example because
    /// the answer is a refusal. Check ``status`` first.
    public func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: data)
    }
}
