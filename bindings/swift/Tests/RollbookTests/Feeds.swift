import Foundation
import Rollbook

/// A server of feeds for followers, on this machine, which fails on request.
final class Feeds: @unchecked Sendable {
    /// The number of bytes of a body after which the connection is closed.
    var cut: Int? {
        get { lock.withLock { bytes } }
        set { lock.withLock { bytes = newValue } }
    }
    /// The requested targets, in order.
    var asked: [String] { lock.withLock { targets } }

    private let loopback: Loopback
    private let engine: Engine
    private let scope: Scope
    private let elsewhere: URL?
    private let lock = NSLock()
    private var bytes: Int?
    private var targets: [String] = []

    /// Creates a server. With `elsewhere`, it redirects each request to that address.
    init(_ engine: Engine, _ scope: Scope, elsewhere: URL? = nil) throws {
        self.engine = engine
        self.scope = scope
        self.elsewhere = elsewhere
        loopback = try Loopback()
        loopback.begin { [self] head, _ in try? answer(to: head) }
    }

    var address: URL { loopback.address.appendingPathComponent("feed") }

    func stop() { loopback.stop() }

    private func answer(to head: String) throws -> Data {
        let target = head.components(separatedBy: " ")[1]
        lock.withLock { targets.append(target) }
        if let elsewhere { return Loopback.response(302, Data(), "Location: \(elsewhere)") }
        guard head.contains("Authorization: Bearer family") else { return Loopback.response(401, Data()) }
        let asked = URLComponents(string: target)?.queryItems ?? []
        let after = asked.first { $0.name == "after" }?.value
        let wait = asked.first { $0.name == "wait" }?.value.flatMap(Double.init) ?? 0
        let until = Date(timeIntervalSinceNow: wait)
        while true {
            let feed: Feed
            do {
                feed = try engine.feed(scope: scope, after: after)
            } catch let error as RollbookError where error.code == .resyncRequired {
                return Loopback.response(409, Data())
            }
            if feed.hasChanges() {
                let body = Data(try feed.text().utf8)
                return Loopback.response(200, body.prefix(cut ?? body.count), length: body.count)
            }
            try feed.cancel()
            if Date() >= until { return Data("HTTP/1.1 204 Said\r\nConnection: close\r\n\r\n".utf8) }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
