import Foundation
import Rollbook

/// The service over HTTP on this machine: an engine answers. Calls fail as `wrong` requests, by the
/// position of a call among all calls, starting with 1, and its target.
final class FaultyService: @unchecked Sendable {
    /// The ways in which a call fails.
    enum Wrong: Sendable { case much, muchAlone, ill, cut, page, long, away, gone }

    /// The length of a body that is too long, in bytes.
    static let long = 1 << 20

    var address: URL { loopback.address }
    private let loopback: Loopback
    private let engine: Engine
    private let elsewhere: String
    private let seconds: Double
    private let wrong: @Sendable (Int, String) -> Wrong?
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
        loopback = try Loopback()
        loopback.begin { [self] in converse($0, $1) }
    }

    func stop() { loopback.stop() }

    /// The request line and the headers of each request, in order of arrival.
    var asked: [String] { lock.withLock { heads } }

    /// The maximum number of simultaneous calls.
    var most: Int { lock.withLock { mostUnderWay } }

    private func converse(_ head: String, _ body: Data) -> Data? {
        let place = lock.withLock {
            heads.append(head)
            underWay += 1
            mostUnderWay = max(mostUnderWay, underWay)
            return heads.count
        }
        Thread.sleep(forTimeInterval: seconds)
        // This happens before the client receives the answer and sends the next request.
        defer { lock.withLock { underWay -= 1 } }
        return try? answer(to: head, body, at: place)
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
        case nil: Loopback.response(Int(answer.status), answer.data)
        case .much: Loopback.response(429, Data(), "Retry-After: 1")
        case .muchAlone: Loopback.response(429, Data())
        case .ill: Loopback.response(500, Data("{}".utf8))
        case .cut: Loopback.response(200, answer.data, length: answer.data.count + 1)
        case .page: Loopback.response(200, page)
        case .long: Loopback.response(200, Data(repeating: UInt8(ascii: " "), count: Self.long))
        case .gone: Loopback.response(410, Data("{}".utf8))
        case .away: Loopback.response(302, Data(), "Location: \(elsewhere)\(words[1])")
        }
    }
}
