import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers the requests of a `URLSession` to one base address from an ``Engine``: an
/// app's own client runs unchanged but for the session that it is given.
///
/// ```swift
/// let service = URL(string: "https://integrate.example.org")!
/// let session = URLSession(configuration: .rollbook(engine, at: service))
/// ```
///
/// The engine gets method, path, query and headers as they are sent, and the whole body.
/// A body that is not UTF-8 is no JSON either and is refused as such. As HTTP has it, an
/// answer with status 204 or to HEAD has no body. Requests to any other address go where
/// they would go without this class.
///
/// It answers on the thread that loads for the session, most requests in microseconds. A
/// request waits while the engine is compacted.
public final class RollbookURLProtocol: URLProtocol {
    private static let served = ServedEngines()
    private static let isRegistered = registerClass(RollbookURLProtocol.self)

    /// Answers requests to this address from the engine: those of `URLSession.shared`, and
    /// of every session whose configuration names this class in its `protocolClasses`.
    ///
    /// The engine is held until ``stopServing(at:)``; another one at the same address takes
    /// its place. Only scheme, host, port and path of the address count.
    ///
    /// On Linux `URLSession.shared` asks the network first if any session was made before
    /// this was called for the first time; a configuration that names the class does not.
    public static func serve(_ engine: Engine, at base: URL) {
        serve(engine, at: base, headers: [:])
    }

    fileprivate static func serve(_ engine: Engine, at base: URL, headers: [String: String]) {
        served.add(ServedEngine(engine: engine, headers: headers), at: base)
        _ = isRegistered
    }

    /// Lets requests to this address go to the network again.
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
            // The engine takes the last header of a name: the request's own.
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

    /// Nothing to stop: the answer is complete once ``startLoading()`` has returned.
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

    /// The engine takes text; U+FFFD alone is no JSON, as bytes that are no UTF-8 are none.
    private static func text(of body: Data) -> String {
        let text = String(decoding: body, as: UTF8.self)
        return text.utf8.elementsEqual(body) ? text : "\u{FFFD}"
    }
}

extension URLSessionConfiguration {
    /// A configuration with which an engine answers the requests to this address: see
    /// ``RollbookURLProtocol``. All else is as in the one that is given.
    ///
    /// Its `httpAdditionalHeaders` are taken now, since Foundation does not hand them on
    /// everywhere to what answers instead of the network.
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
    /// The body, whichever way it was given. `URLSession` turns data into a stream.
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

/// An engine, and the headers that every request to it has unless it has its own.
private struct ServedEngine {
    let engine: Engine
    let headers: [String: String]
}

/// The engines that are served, by address. A lock guards them: sessions ask on threads of
/// their own.
private final class ServedEngines: @unchecked Sendable {
    private let lock = NSLock()
    private var engines: [Address: ServedEngine] = [:]

    func add(_ engine: ServedEngine, at base: URL) {
        lock.withLock { engines[Address(base)] = engine }
    }

    func remove(_ base: URL) {
        lock.withLock { engines[Address(base)] = nil }
    }

    /// The engine that answers at an address, and the target there: path and query as they
    /// stand in the URL. Of several the one with the longest path counts.
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

/// Where a URL leads. Equal if scheme, host, port and path are.
private struct Address: Hashable {
    let server: String
    /// Without a slash at its end.
    let path: String
    /// Path and query.
    let target: String

    init(_ url: URL) {
        let scheme = url.scheme?.lowercased() ?? ""
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        server = "\(scheme)://\(url.host?.lowercased() ?? ""):\(port)"
        // Not from `url.path` and `url.query`, which are decoded or know no empty query.
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
