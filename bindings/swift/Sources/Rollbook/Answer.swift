import Foundation

/// An answer: what the service would send.
public struct Answer: Equatable, Hashable, Sendable {
    /// The HTTP status code.
    public var status: UInt16

    /// The body: compact JSON in UTF-8. Of a store that is damaged it may be no UTF-8,
    /// and then ``body`` has U+FFFD in its place.
    public var data: Data

    /// The methods that the path takes, if another was tried.
    public var allow: String?

    /// An answer of a body as it comes.
    public init(status: UInt16, data: Data, allow: String? = nil) {
        self.status = status
        self.data = data
        self.allow = allow
    }

    /// An answer of these parts, of which content type and length follow from the body.
    public init(status: UInt16, headers: [Header], body: String) {
        let allow = headers.last { $0.name.caseInsensitiveCompare("Allow") == .orderedSame }
        self.init(status: status, data: Data(body.utf8), allow: allow?.value)
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
