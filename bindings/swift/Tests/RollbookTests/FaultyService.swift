import Foundation
import Rollbook

/// The service behind HTTP on this machine: an engine that answers, and goes wrong when it is
/// told to, by the place of a call among all, counted from 1, and its target.
final class FaultyService: @unchecked Sendable {
    /// What goes wrong with a call.
    enum Wrong: Sendable { case much, muchAlone, ill, cut, page, long, away }

    /// How many bytes a body has that is too long.
    static let long = 1 << 20

    let address: URL
    private let engine: Engine
    private let elsewhere: String
    private let seconds: Double
    private let wrong: @Sendable (Int, String) -> Wrong?
    private let listening: Int32
    private let lock = NSLock()
    private var heads: [String] = []
    private var underWay = 0
    private var mostUnderWay = 0

    init(
        _ engine: Engine, elsewhere: URL? = nil, seconds: Double = 0,
        wrong: @escaping @Sendable (Int, String) -> Wrong? = { _, _ in nil }
    ) throws {
        self.engine = engine
        self.elsewhere = elsewhere?.absoluteString ?? ""
        self.seconds = seconds
        self.wrong = wrong
        signal(SIGPIPE, SIG_IGN)
        (listening, address) = try Self.bound()
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listening, nil, nil)
                if connection < 0 { return }
                Thread.detachNewThread { [self] in
                    converse(over: connection)
                    close(connection)
                }
            }
        }
    }

    func stop() {
        shutdown(listening, Int32(SHUT_RDWR))
        close(listening)
    }

    /// The line and the headers of each request, as they came.
    var asked: [String] { lock.withLock { heads } }

    /// The most calls at once.
    var most: Int { lock.withLock { mostUnderWay } }

    private static func bound() throws -> (Int32, URL) {
        #if canImport(Darwin)
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) != 0 || listen(socket, 64) != 0 || getsockname(socket, $0, &length) != 0
            }
        }
        let port = UInt16(bigEndian: name.sin_port)
        guard !failed, let address = URL(string: "http://127.0.0.1:\(port)") else {
            throw CocoaError(.fileReadUnknown)
        }
        return (socket, address)
    }

    /// One request a connection.
    private func converse(over connection: Int32) {
        guard let (head, body) = request(from: connection) else { return }
        let place = lock.withLock {
            heads.append(head)
            underWay += 1
            mostUnderWay = max(mostUnderWay, underWay)
            return heads.count
        }
        Thread.sleep(forTimeInterval: seconds)
        let answer = try? answer(to: head, body, at: place)
        // Before the client has it, and sends the next.
        lock.withLock { underWay -= 1 }
        if let answer { Self.write(answer, to: connection) }
    }

    private func answer(to head: String, _ body: Data, at place: Int) throws -> Data {
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        let headers = lines.dropFirst().compactMap { line -> Header? in
            guard let colon = line.range(of: ": ") else { return nil }
            return Header(name: String(line[..<colon.lowerBound]), value: String(line[colon.upperBound...]))
        }
        let answer = try engine.request(
            Request(
                target: words[1], method: words[0], headers: headers,
                body: String(decoding: body, as: UTF8.self), now: nil))
        let page = Data("<!doctype html><title>Log in</title>".utf8)
        return switch wrong(place, words[1]) {
        case nil: Self.response(Int(answer.status), answer.data)
        case .much: Self.response(429, Data(), "Retry-After: 1")
        case .muchAlone: Self.response(429, Data())
        case .ill: Self.response(500, Data("{}".utf8))
        case .cut: Self.response(200, answer.data, length: answer.data.count + 1)
        case .page: Self.response(200, page)
        case .long: Self.response(200, Data(repeating: UInt8(ascii: " "), count: Self.long))
        case .away: Self.response(302, Data(), "Location: \(elsewhere)\(words[1])")
        }
    }

    private static func response(
        _ status: Int, _ body: Data, _ headers: String..., length: Int? = nil
    ) -> Data {
        let length = "Content-Length: \(length ?? body.count)"
        let head = ["HTTP/1.1 \(status) Said", length, "Connection: close"] + headers
        return Data(head.joined(separator: "\r\n").utf8) + Data("\r\n\r\n".utf8) + body
    }

    /// The head of a request without the empty line that ends it, and its body.
    private func request(from connection: Int32) -> (String, Data)? {
        var read = Data()
        var end: Range<Data.Index>?
        while end == nil {
            guard Self.read(from: connection, into: &read) else { return nil }
            end = read.range(of: Data("\r\n\r\n".utf8))
        }
        guard let end else { return nil }
        let head = String(decoding: read[..<end.lowerBound], as: UTF8.self)
        let line = head.lowercased().components(separatedBy: "\r\n").first { $0.hasPrefix("content-length: ") }
        let length = line.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        while read.count < end.upperBound + length {
            guard Self.read(from: connection, into: &read) else { return nil }
        }
        return (head, read[end.upperBound...])
    }

    private static func read(from connection: Int32, into read: inout Data) -> Bool {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(connection, &piece, piece.count, 0)
        if count > 0 { read.append(contentsOf: piece[..<count]) }
        return count > 0
    }

    private static func write(_ data: Data, to connection: Int32) {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}
