import Foundation
import XCTest
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import Rollbook

/// Devices that follow a server over `URLSession`.
final class FollowTests: XCTestCase {
    private static let change =
        #"{"type":"learner","school_id":1000,"id":2,"first_name":"Janet","last_name":"Naidoo"}"#
    private let family = Scope(schools: [SchoolInScope(school: 1000, learners: [1, 2])])
    private let both = Scope(schools: [SchoolInScope(school: 1000), SchoolInScope(school: 1001)])

    /// On Linux, `URLSession.shared`, which another test uses, only knows classes that were
    /// registered before the first session was created.
    override class func setUp() {
        _ = RollbookURLProtocol.registerClass(RollbookURLProtocol.self)
    }

    private func device() throws -> Engine { try Engine.memory(options: Options(fixedClock: today)) }

    @discardableResult
    private func follow(
        _ phone: Engine, _ address: URL, token: String = "family", wait: UInt16 = 0,
        progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary? {
        try await phone.follow(from: request(address, token), wait: wait, progress: progress)
    }

    private func request(_ address: URL, _ token: String = "family") -> URLRequest {
        var request = URLRequest(url: address)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    private func serve(_ store: URL, _ dataset: URL) throws -> Server {
        try Server(
            "--store", store.path, "--dataset", dataset.path,
            "--feed", "family=1000:1,2", "--feed", "all=1000", "--feed", "none=")
    }

    private func stopped(_ follow: () async throws -> Summary?) async throws -> FollowStopped? {
        do {
            let summary = try await follow()
            XCTFail("it stops, and gave \(String(describing: summary))")
        } catch let stopped as FollowStopped {
            return stopped
        }
        return nil
    }

    func testTheExampleIsFollowed() async throws {
        let folder = try temporaryFolder()
        let store = folder.appendingPathComponent("server.redb")
        let phone = try device()
        let first = try serve(store, Inputs.smallSchools)
        defer { first.stop() }
        var feed = first.address.appendingPathComponent("feed")
        let filled = try await follow(phone, feed)
        XCTAssertEqual(filled?.kinds["learner"]?.added, 2)
        XCTAssertEqual(try learners(phone), [1, 2])
        let position = try XCTUnwrap(try phone.followed())
        let begun = Date()
        let nothing = try await follow(phone, feed, wait: 1)
        XCTAssertNil(nothing)
        XCTAssertGreaterThanOrEqual(Date().timeIntervalSince(begun), 1)
        XCTAssertEqual(try phone.followed(), position)
        XCTAssertEqual(code(of: try phone.ask(.learners(school: 1000))), .notSynced)
        XCTAssertEqual(code(of: try phone.apply(.text(Self.change))), .synced)
        let refused = try await stopped { try await follow(phone, feed, token: "wr0ng") }
        XCTAssertEqual(refused?.status, 401)
        XCTAssertTrue(refused?.localizedDescription.contains("401: check the login") ?? false)
        first.stop()

        let change = folder.appendingPathComponent("change.ndjson")
        try Data(Self.change.utf8).write(to: change)
        let second = try serve(store, change)
        defer { second.stop() }
        feed = second.address.appendingPathComponent("feed")
        let changed = try await follow(phone, feed, wait: 60)
        XCTAssertEqual(changed?.total.added, 0)
        XCTAssertEqual(changed?.total.changed, 1)
        XCTAssertTrue(try secondLearner(phone).contains("Naidoo"))
        // Another login receives the whole school, and the same device then receives nothing.
        let tablet = try device()
        try await follow(tablet, feed, token: "all")
        let expected = try smallSchools()
        try expected.apply(.text(Self.change))
        XCTAssertEqual(try lines(tablet), try inScope(expected, [1000]))
        let taken = try await follow(phone, feed, token: "none")
        XCTAssertGreaterThan(taken?.total.removed ?? 0, 0)
        XCTAssertEqual(try learners(phone), [])
        // Questions about a school fail if the phone no longer follows it, or never did.
        for unknown: UInt64 in [1000, 5] {
            XCTAssertEqual(code(of: try phone.ask(.learners(school: unknown, learnerId: 2))), .notSynced)
        }
        second.stop()

        // Another store does not know the position of the phone, and sends everything.
        let before = try phone.followed()
        let other = try serve(folder.appendingPathComponent("other.redb"), Inputs.smallSchools)
        defer { other.stop() }
        let resynced = try await follow(phone, other.address.appendingPathComponent("feed"))
        XCTAssertEqual(resynced?.kinds["learner"]?.added, 2)
        XCTAssertNotEqual(try phone.followed(), before)
        XCTAssertFalse(try secondLearner(phone).contains("Naidoo"))
    }

    func testAPositionThatIsLost() async throws {
        let phone = try device()
        let feeds = try Feeds(smallSchools(), family)
        defer { feeds.stop() }
        try await follow(phone, feeds.address)
        let other = try Feeds(smallSchools(), family)
        defer { other.stop() }
        let resynced = try await follow(phone, other.address)
        XCTAssertNotNil(resynced)
        XCTAssertEqual(other.asked.map { $0.contains("after=") }, [true])
        let nothing = try await follow(phone, other.address)
        XCTAssertNil(nothing)
        XCTAssertEqual(other.asked.dropFirst(1).map { $0.contains("after=") }, [true])
    }

    /// A server stores the changes of its last 64 openings.
    func testADeviceThatPollsOutlivesAnyNumberOfOpenings() async throws {
        let store = try temporaryFolder().appendingPathComponent("openings.redb")
        let phone = try device()
        func opened(_ dataset: Dataset, _ work: (Feeds) async throws -> Void) async throws {
            let server = try Engine.open(at: store)
            try server.apply(dataset)
            let feeds = try Feeds(server, family)
            try await work(feeds)
            feeds.stop()
            try server.close()
        }
        try await opened(.file(Inputs.smallSchools)) { try await follow(phone, $0.address) }
        for opening in 0..<66 {
            let other = #"{"type":"grade","school_id":1001,"grade_id":\#(opening + 500)}"#
            try await opened(.text(other)) { feeds in
                let before = try phone.followed()
                let moved = try await follow(phone, feeds.address)
                // The feed contains a position and no records.
                XCTAssertEqual(moved?.lines, 2)
                XCTAssertEqual(moved?.kinds.count, 0)
                XCTAssertNotEqual(try phone.followed(), before)
                let nothing = try await follow(phone, feeds.address)
                XCTAssertNil(nothing)
            }
        }
        try await opened(.text(Self.change)) { feeds in
            let changed = try await follow(phone, feeds.address)
            XCTAssertLessThan(try XCTUnwrap(changed).lines, 10)
            XCTAssertEqual(changed?.total.changed, 1)
        }
    }

    /// Complete parts are stored, and are not sent again.
    func testAConnectionThatIsCut() async throws {
        let server = try smallSchools()
        let whole = try server.feed(scope: both).text().utf8.count
        let expected = try inScope(server, [1000, 1001])
        var rests: [UInt64] = []
        for tenth in 1...9 {
            let phone = try device()
            let feeds = try Feeds(server, both)
            defer { feeds.stop() }
            feeds.cut = whole * tenth / 10
            let cut = try await stopped { try await follow(phone, feeds.address) }
            XCTAssertNotNil(cut)
            XCTAssertNil(cut?.status)
            XCTAssertTrue(cut?.description.contains("the next call continues") ?? false)
            feeds.cut = nil
            let stored = try lines(phone).count
            let rest = try await follow(phone, feeds.address)
            XCTAssertEqual(rest?.total.added, UInt64(expected.count - stored))
            XCTAssertEqual(feeds.asked.last?.contains("after="), stored > 0)
            XCTAssertEqual(try lines(phone), expected)
            rests.append(rest?.bytes ?? 0)
        }
        XCTAssertGreaterThanOrEqual(rests[0], UInt64(whole))
        XCTAssertLessThan(rests[8], UInt64(whole / 2))
    }

    func testAChangeEndsTheWait() async throws {
        let (server, phone) = (try smallSchools(), try device())
        let feeds = try Feeds(server, family)
        defer { feeds.stop() }
        try await follow(phone, feeds.address)
        let address = try XCTUnwrap(URL(string: feeds.address.absoluteString + "?of=app#part"))
        let asked = request(address)
        let waiting = Task { try await phone.follow(from: asked, wait: 60) }
        while feeds.asked.count < 2 { try await Task.sleep(nanoseconds: 10_000_000) }
        try server.apply(.text(Self.change))
        let changed = try await waiting.value
        XCTAssertEqual(changed?.total.changed, 1)
        let items = try XCTUnwrap(URLComponents(string: feeds.asked[1])?.queryItems)
        XCTAssertEqual(items.map(\.name), ["of", "after", "wait"])
        XCTAssertEqual(items.last?.value, "60")
    }

    func testAFeedThatIsCancelled() async throws {
        struct Own: Error {}
        let phone = try device()
        let feeds = try Feeds(smallSchools(), family)
        defer { feeds.stop() }
        do {
            try await follow(phone, feeds.address) { $0.bytes == 0 }
            XCTFail("it is cancelled")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .cancelled)
            XCTAssertTrue(error.message.contains("the next call continues"))
        }
        do {
            try await follow(try device(), feeds.address) { _ in throw Own() }
            XCTFail("it throws")
        } catch is Own {}
        try await follow(phone, feeds.address)
        XCTAssertEqual(try learners(phone), [1, 2])
    }

    func testCancellingATaskCancelsItsRequest() async throws {
        let phone = try device()
        let feeds = try Feeds(smallSchools(), family)
        defer { feeds.stop() }
        try await follow(phone, feeds.address)
        let asked = request(feeds.address)
        let waiting = Task { try await phone.follow(from: asked, wait: 60) }
        while feeds.asked.count < 2 { try await Task.sleep(nanoseconds: 10_000_000) }
        let begun = Date()
        waiting.cancel()
        do {
            _ = try await waiting.value
            XCTFail("it is cancelled")
        } catch is CancellationError {}
        XCTAssertLessThan(Date().timeIntervalSince(begun), 30)
    }

    func testARedirectIsNotFollowed() async throws {
        let (server, phone) = (try smallSchools(), try device())
        let elsewhere = try Feeds(server, family)
        defer { elsewhere.stop() }
        let feeds = try Feeds(server, family, elsewhere: elsewhere.address)
        defer { feeds.stop() }
        let away = try await stopped { try await follow(phone, feeds.address) }
        XCTAssertTrue(away?.description.contains("302: redirects are not followed") ?? false)
        XCTAssertEqual(elsewhere.asked, [])
        XCTAssertNil(try phone.followed())
    }

    func testNoServerAnswers() async throws {
        let feeds = try Feeds(smallSchools(), family)
        feeds.stop()
        let failed = try await stopped { try await follow(try device(), feeds.address) }
        XCTAssertNotNil(failed)
        XCTAssertNil(failed?.status)
    }

    func testFollowedByHand() async throws {
        let (server, phone) = (try smallSchools(), try device())
        XCTAssertNil(try phone.followed())
        let (source, engine) = (AsyncEngine(server), AsyncEngine(phone))
        let feed = try await source.feed(family)
        let follow = try await engine.follow()
        XCTAssertTrue(feed.hasChanges())
        for piece in feed {
            let reached = try follow.push(bytes: Data(try piece.get().utf8))
            XCTAssertGreaterThan(reached.lines, 0)
        }
        XCTAssertEqual(try follow.finish().kinds["learner"]?.added, 2)
        let position = try await engine.followed()
        XCTAssertEqual(position, feed.position())
        XCTAssertFalse(try server.feed(scope: family, after: position).hasChanges())
        XCTAssertEqual(code(of: try server.feed(scope: family, after: "AAAA")), .resyncRequired)
        XCTAssertEqual(code(of: try phone.follow().push(bytes: Data("<!doctype html>\n".utf8))), .badDataset)
        // A feed after a position cannot be applied to another store.
        try server.apply(.text(Self.change))
        let news = try server.feed(scope: family, after: position).text()
        XCTAssertEqual(code(of: try device().follow().push(bytes: Data(news.utf8))), .outOfSync)
        let cut = try phone.follow()
        _ = try cut.push(bytes: Data((news.prefix { $0 != "\n" } + "\n").utf8))
        XCTAssertEqual(code(of: try cut.finish()), .badDataset)

        var exported = ""
        for try await piece in try await source.exportScope(both) { exported += piece }
        XCTAssertEqual(Set(exported.split(separator: "\n").map(String.init)), try inScope(server, [1000, 1001]))
        XCTAssertEqual(code(of: try server.exportScope(scope: Scope(schools: [], kinds: ["learners"]))), .unsupported)
        _ = try phone.removeSchool(school: 1000)
        XCTAssertEqual(try learners(phone), [])
    }

    func testEveryStatusHasAMessage() {
        let stops = [nil, 302, 401, 403, 500].map { FollowStopped(status: $0) }
        XCTAssertEqual(Set(stops.map(\.description)).count, 5)
    }

    /// The compiled example is the first block of Swift under the heading.
    func testTheExampleOfTheReadme() async throws {
        let folder = Inputs.repository.appendingPathComponent("bindings/swift")
        let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        let section = try XCTUnwrap(readme.components(separatedBy: "\n## Follow a server\n").last)
        let block = try XCTUnwrap(section.components(separatedBy: "```swift\n").dropFirst().first)
        let example = try XCTUnwrap(block.components(separatedBy: "```").first)
        let here = try String(
            contentsOf: folder.appendingPathComponent("Tests/RollbookTests/ReadmeFollowing.swift"), encoding: .utf8)
        XCTAssertTrue(here.hasSuffix("/// From the README.\n" + example), example)
        let phone = try device()
        let feeds = try Feeds(smallSchools(), family)
        defer { feeds.stop() }
        try await keepInStep(phone, with: feeds.address, token: "s3cret")
        XCTAssertNil(try phone.followed())
        try await keepInStep(phone, with: feeds.address, token: "family")
        XCTAssertEqual(try learners(phone), [1, 2])
    }

    private func lines(_ engine: Engine) throws -> Set<String> {
        Set(try engine.export(credentials: .leaveOut).text().split(separator: "\n").map(String.init))
    }

    private func records(_ engine: Engine) throws -> [(String, [String: Any])] {
        try lines(engine).map { line in
            let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (line, try XCTUnwrap(record))
        }
    }

    /// Returns the lines that a follower of complete schools stores.
    private func inScope(_ engine: Engine, _ schools: [Int]) throws -> Set<String> {
        let expected = try records(engine).filter { _, record in
            guard let type = record["type"] as? String, !["integrator", "client_integration"].contains(type)
            else { return false }
            guard let school = record["school_id"] as? Int else { return true }
            return schools.contains(school)
        }
        return Set(expected.map(\.0))
    }

    /// Returns the ids of the learners who have records.
    private func learners(_ engine: Engine) throws -> Set<Int> {
        Set(
            try records(engine).compactMap { _, record in
                record[record["type"] as? String == "learner" ? "id" : "learner_id"] as? Int
            })
    }

    private func secondLearner(_ engine: Engine) throws -> String {
        try engine.ask(.learners(school: 1000, learnerId: 2)).body
    }
}
