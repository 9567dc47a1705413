import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers the requests of a `URLSession` to one base address from an ``Engine``. An app's own
/// client only needs another session.
///
/// ```swift
/// let service = URL(string: "https://integrate.example.org")!
/// let session = URLSession(configuration: .rollbook(engine, at: service))
/// ```
///
/// The engine receives the method, the path, the query, the headers and the complete body
/// unmodified. A body that is not valid UTF-8 is refused, because it is not JSON. As over HTTP, an
/// answer with the status 204 and an answer to HEAD have no body. Requests to any other address are
/// not affected.
///
/// Requests are answered on the thread that loads for the session, most of them in microseconds. A
/// request waits while the engine is compacted.
public final class RollbookURLProtocol: URLProtocol {
    private static let served = ServedEngines()
    private static let isRegistered = registerClass(RollbookURLProtocol.self)

    /// Answers requests to this address from the engine: those of `URLSession.shared`, and those of
    /// every session whose configuration contains this class in its `protocolClasses`.
    ///
    /// The engine is not released before ``stopServing(at:)`` is called. Another engine at the same
    /// address replaces it. Only the scheme, the host, the port and the path of the address are
    /// used.
    ///
    /// On Linux, `URLSession.shared` uses the network instead if a session was created before this
    /// method was first called. A session whose configuration contains the class is not affected.
    public static func serve(_ engine: Engine, at base: URL) {
        serve(engine, at: base, headers: [:])
    }

    fileprivate static func serve(_ engine: Engine, at base: URL, headers: [String: String]) {
        served.add(ServedEngine(engine: engine, headers: headers), at: base)
        _ = isRegistered
    }

    /// Sends requests to this address over the network again.
    public static func stopServing(at base: URL) {
        served.remove(base)
    }

    public override class func canInit(with request: URLRequest) -> Bool {
        request.url.map { served.find($0) != nil } ?? false
    }

    public override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        request
    }

    public override func startLoading() {
        guard let url = request.url, let (served, target) = Self.served.find(url) else {
            client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
            return
        }
        do {
            let method = request.httpMethod ?? "GET"
            // The engine uses the last header of a name, which is the request's own.
            let headers = Array(served.headers) + Array(request.allHTTPHeaderFields ?? [:])
            let answer = try served.engine.request(Request(
                target: target,
                method: method,
                headers: headers.map { Header(name: $0.key, value: $0.value) },
                body: Self.text(of: try request.wholeBody())
            ))
            try finish(answer, to: method, at: url)
        } catch {
            client?.urlProtocol(self, didFailWithError: error)
        }
    }

    /// Does nothing, because the answer is complete once ``startLoading()`` has returned.
    public override func stopLoading() {}

    private func finish(_ answer: Answer, to method: String, at url: URL) throws {
        var headers = Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 }
        if answer.status == 204 { headers["Content-Length"] = nil }
        guard let response = HTTPURLResponse(
            url: url, statusCode: Int(answer.status), httpVersion: "HTTP/1.1", headerFields: headers
        ) else {
            throw URLError(.badServerResponse)
        }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        if answer.status != 204, method != "HEAD" {
            client?.urlProtocol(self, didLoad: answer.data)
        }
        client?.urlProtocolDidFinishLoading(self)
    }

    /// Decodes a body. A body that is not valid UTF-8 is replaced by U+FFFD, because neither of
    /// them is JSON, so that the engine refuses both in the same manner.
    private static func text(of body: Data) -> String {
        let text = String(decoding: body, as: UTF8.self)
        return text.utf8.elementsEqual(body) ? text : "\u{FFFD}"
    }
}

extension URLSessionConfiguration {
    /// Adds an engine to a configuration, which answers the requests to this address. See
    /// ``RollbookURLProtocol``.
    ///
    /// The `httpAdditionalHeaders` of the configuration are read now, because Foundation does not
    /// pass them to a `URLProtocol` on all platforms.
    public static func rollbook(
        _ engine: Engine, at base: URL, over configuration: URLSessionConfiguration = .default
    ) -> URLSessionConfiguration {
        let additional = configuration.httpAdditionalHeaders ?? [:]
        let headers = additional.map { (String(describing: $0.key), String(describing: $0.value)) }
        RollbookURLProtocol.serve(engine, at: base, headers: Dictionary(headers) { $1 })
        configuration.protocolClasses = [RollbookURLProtocol.self] + (configuration.protocolClasses ?? [])
        return configuration
    }
}

extension URLRequest {
    /// Returns the body. It may be a stream, because `URLSession` converts data to a stream.
    fileprivate func wholeBody() throws -> Data {
        if let httpBody { return httpBody }
        guard let stream = httpBodyStream else { return Data() }
        stream.open()
        defer { stream.close() }
        var body = Data()
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = stream.read(&piece, maxLength: piece.count)
            if count < 0 { throw stream.streamError ?? URLError(.requestBodyStreamExhausted) }
            if count == 0 { return body }
            body.append(contentsOf: piece[..<count])
        }
    }
}

/// An engine, and the headers that are added to a request unless it contains them.
private struct ServedEngine {
    let engine: Engine
    let headers: [String: String]
}

/// The engines that answer requests, by address. A lock guards them, because sessions use threads
/// of their own.
private final class ServedEngines: @unchecked Sendable {
    private let lock = NSLock()
    private var engines: [Address: ServedEngine] = [:]

    func add(_ engine: ServedEngine, at base: URL) {
        lock.withLock { engines[Address(base)] = engine }
    }

    func remove(_ base: URL) {
        lock.withLock { engines[Address(base)] = nil }
    }

    /// Returns the engine for an address, and the target, which is the unmodified path and query of
    /// the URL after the path of the engine. If several engines match, the one with the longest
    /// path is used.
    func find(_ url: URL) -> (ServedEngine, target: String)? {
        let asked = Address(url)
        let found = lock.withLock {
            engines.filter { $0.key.contains(asked) }.max { $0.key.path.count < $1.key.path.count }
        }
        return found.map { base, engine in
            let target = asked.target.dropFirst(base.path.count)
            return (engine, target.hasPrefix("/") ? String(target) : "/\(target)")
        }
    }
}

/// The parts of a URL. Two addresses are equal if their scheme, host, port and path are equal.
private struct Address: Hashable {
    let server: String
    /// The path without a slash at its end.
    let path: String
    /// The path and the query.
    let target: String

    init(_ url: URL) {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        server = "\(scheme)://\(url.host?.lowercased() ?? ""):\(port)"
        // `url.path` is decoded, and `url.query` does not distinguish an empty query from none.
        let whole = url.absoluteString.prefix { $0 != "#" }
        let afterScheme = whole.range(of: "://").map { whole[$0.upperBound...] } ?? whole
        target = String(afterScheme.drop { $0 != "/" && $0 != "?" })
        let path = target.prefix { $0 != "?" }
        self.path = String(path.hasSuffix("/") ? path.dropLast() : path)
    }

    static func == (one: Address, other: Address) -> Bool {
        one.server == other.server && one.path == other.path
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(server)
        hasher.combine(path)
    }

    func contains(_ other: Address) -> Bool {
        guard server == other.server, other.target.hasPrefix(path) else { return false }
        let rest = other.target.dropFirst(path.count)
        return rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?")
    }
}
