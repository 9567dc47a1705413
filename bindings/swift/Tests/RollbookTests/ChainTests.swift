import Foundation
import XCTest
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Rollbook

/// From the service to a device: a server syncs with the service, and serves feeds to a device.
final class ChainTests: XCTestCase {
    private static let changes = """
        {"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}
        {"type":"learner","school_id":1000,"id":3,"first_name":"Zoe","last_name":"Outsider","grade_id":"9"}

        """

    /// Questions for a family's phone, each with the equivalent request to the service.
    private static let shown: [(Question, String)] = [
        (.learners(school: 1000, learnerId: 1), "adminplus/learners/1000?learner_id=1"),
        (.learners(school: 1000, learnerId: 2), "adminplus/learners/1000?learner_id=2"),
        (.absentees(school: 1000, learnerId: 1), "adminplus/learnerabsentees/1000?learner_id=1"),
        (
            .assessmentMarks(school: 1000, learnerId: 1, gradeId: 9),
            "currplus/learnerassessmentmarks/1000?learner_id=1&grade_id=9"
        ),
    ]

    /// As in the tests of following.
    override class func setUp() {
        _ = RollbookURLProtocol.registerClass(RollbookURLProtocol.self)
    }

    func testAChangeAtTheServiceArrivesAtADevice() async throws {
        let folder = try temporaryFolder()
        let store = folder.appendingPathComponent("service.redb").path
        let phone = try Engine.memory(options: Options(fixedClock: today))
        let service = try Server("--store", store, "--dataset", Inputs.smallSchools.path)
        defer { service.stop() }
        let address = service.address.absoluteString
        let server = try Server(
            "--from", address, "--school", "1000", "--every", "1", "--feed", "family=1000:1,2")
        defer { server.stop() }
        let feed = server.address.appendingPathComponent("feed")
        try await follow(phone, feed, until: .learners(school: 1000, learnerId: 1), has: "Smith")
        try await compare(phone, service.address)
        let outside: [Question] = [
            .learners(school: 1000), .learners(school: 1000, learnerId: 3), .staffMembers(school: 1000),
            .learners(school: 1001, learnerId: 201),
        ]
        for question in outside {
            XCTAssertEqual(code(of: try phone.ask(question)), .notSynced)
        }
        XCTAssertEqual(code(of: try phone.apply(.text(Self.changes))), .synced)
        service.stop()

        let changes = folder.appendingPathComponent("changes.ndjson")
        try Data(Self.changes.utf8).write(to: changes)
        let again = try Server(
            "--store", store, "--dataset", changes.path,
            "--listen", address.replacingOccurrences(of: "http://", with: ""))
        defer { again.stop() }
        try await follow(phone, feed, until: .learners(school: 1000, learnerId: 2), has: "Naidoo")
        try await compare(phone, again.address)
        var exported = ""
        for piece in try phone.export(credentials: .leaveOut) { exported += try piece.get() }
        XCTAssertFalse(exported.contains("Outsider"))
    }

    private func follow(
        _ phone: Engine, _ feed: URL, until question: Question, has text: String
    ) async throws {
        var request = URLRequest(url: feed)
        request.setValue("Bearer family", forHTTPHeaderField: "Authorization")
        for _ in 0..<60 {
            do {
                try await phone.follow(from: request, wait: 2)
                if try phone.ask(question).body.contains(text) { return }
            } catch let stopped as FollowStopped {
                // The server has not finished its first pass.
                XCTAssertEqual(stopped.status, 503)
                XCTAssertNil(try phone.followed())
                try await Task.sleep(nanoseconds: 100_000_000)
            }
        }
        XCTFail("\(text) does not arrive")
    }

    private func compare(_ phone: Engine, _ service: URL) async throws {
        for (question, target) in Self.shown {
            let url = try XCTUnwrap(URL(string: service.absoluteString + "/api/v1/" + target))
            var request = URLRequest(url: url)
            request.setValue("demo", forHTTPHeaderField: "HTTP-X-USERNAME")
            request.setValue("demo", forHTTPHeaderField: "HTTP-X-PASSWORD")
            let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request)
            XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200, target)
            XCTAssertEqual(try phone.ask(question).body, String(decoding: data, as: UTF8.self), target)
        }
    }
}
