import Foundation
import XCTest
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import Rollbook

/// A school that is filled from the service over `URLSession`.
final class SyncTests: XCTestCase {
    private static let options = SyncOptions(daysFrom: "2026-01-01")
    private let settings = Options(fixedClock: today)

    /// On Linux, `URLSession.shared`, which another test uses, only knows classes that were
    /// registered before the first session was created.
    override class func setUp() {
        _ = RollbookURLProtocol.registerClass(RollbookURLProtocol.self)
    }

    /// The clock of the driver starts at the instant for which the service answers.
    private func drive(
        _ mirror: Engine, from address: URL, password: String = "demo",
        options: SyncOptions = SyncTests.options,
        progress: (@Sendable (SyncProgress) throws -> Bool)? = nil
    ) async throws -> SyncReport {
        let service = try Service(
            .ephemeral, at: address, username: "demo", password: password,
            longestBody: FaultyService.long - 1)
        defer { service.close() }
        let begun = Date()
        let run = SyncRun(sync: try mirror.sync(school: 1000, options: options), service: service, progress: progress) {
            Double(today) + Date().timeIntervalSince(begun)
        }
        return try await run.report()
    }

    func testTheMirrorAnswersAsTheService() async throws {
        let source = try Mirror.source()
        let service = try FaultyService(source, seconds: 0.01)
        defer { service.stop() }
        let mirror = try Engine.memory(options: settings)
        let received = ProgressRecorder()
        let report = try await drive(mirror, from: service.address.appendingPathComponent("")) {
            received.add($0)
            return true
        }
        XCTAssertTrue((2...4).contains(service.most), "\(service.most)")
        XCTAssertEqual(report.replies, UInt64(service.asked.count))
        XCTAssertEqual(report.failed, [])
        XCTAssertEqual(report.quarantined, [])
        XCTAssertEqual(report.unstable, [])
        XCTAssertEqual(report.findings, [])
        XCTAssertEqual(received.all.first?.answered, 0)
        XCTAssertGreaterThan(received.all.last?.answered ?? 0, 10)
        try Mirror.assert(mirror, of: source)
        let coverage = try XCTUnwrap(try mirror.synced(school: 1000))
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(coverage.asOf), today)
        let absences = try XCTUnwrap(coverage.seen.first { $0.what == "the absences" })
        XCTAssertLessThanOrEqual(try XCTUnwrap(absences.from), "2026-01-01")
        let before = Question.absentees(school: 1000, fromDate: "2024-01-01", toDate: "2024-01-31")
        XCTAssertEqual(code(of: try mirror.ask(before)), .notSynced)
        let again = try await drive(mirror, from: service.address)
        XCTAssertGreaterThan(again.unchanged, 0)
        try Mirror.assert(mirror, of: source)
    }

    /// A pass before and after a change of the school, with the simulated failures of `serve`.
    func testTheExampleIsFollowed() async throws {
        let file = try temporaryFolder().appendingPathComponent("source.redb")
        do {
            let source = try Engine.open(at: file, options: settings)
            try source.apply(.file(Inputs.smallSchools))
            _ = try source.removeSchool(school: 1001)
        }
        let mirror = try Engine.memory(options: settings)
        var given: [[String]] = []
        for (changes, more) in [("", []), (Mirror.changes, Mirror.ofTheNewLearner)] {
            // Only one process at a time can have the store open.
            do { try Engine.open(at: file, options: settings).apply(.text(changes)) }
            let server = try Server("--store", file.path, "--faults", "4180")
            defer { server.stop() }
            let report = try await drive(mirror, from: server.address)
            XCTAssertEqual(report.failed, [])
            XCTAssertEqual(report.quarantined, [])
            XCTAssertEqual(report.unstable + report.unknown, [])
            server.stop()
            let source = try Engine.open(at: file, options: settings)
            given.append(try Mirror.assert(mirror, of: source, more))
        }
        let differing = zip(given[0], given[1]).filter { $0 != $1 }
        XCTAssertGreaterThan(differing.count, 8)
    }

    func testTheSystemsClock() async throws {
        let source = try Mirror.source()
        let service = try FaultyService(source)
        defer { service.stop() }
        let engine = AsyncEngine(try Engine.memory(options: settings))
        let sync = try await engine.sync(1000, options: SyncOptions(mostInFlight: 1))
        try await sync.run(at: service.address, username: "demo", password: "demo")
        XCTAssertEqual(service.most, 1)
        let coverage = try await engine.synced(1000)
        XCTAssertNotNil(coverage)
        try await engine.forgetSync(1000)
        let after = try await engine.synced(1000)
        XCTAssertNil(after)
    }

    func testWhatGoesWrongOnTheWay() async throws {
        let wrong: [Int: FaultyService.Wrong] = [
            2: .much, 3: .muchAlone, 5: .ill, 6: .cut, 7: .page, 9: .long,
        ]
        let source = try Mirror.source()
        let service = try FaultyService(source) { place, _ in wrong[place] }
        defer { service.stop() }
        let mirror = try Engine.memory(options: settings)
        let report = try await drive(mirror, from: service.address)
        XCTAssertEqual(report.failed, [])
        XCTAssertGreaterThan(service.asked.count, 9)
        try Mirror.assert(mirror, of: source)
    }

    func testAWrongPasswordStops() async throws {
        let service = try FaultyService(try Mirror.source())
        defer { service.stop() }
        do {
            _ = try await drive(try Engine.memory(), from: service.address, password: "s3cret")
            XCTFail("it stops")
        } catch let stopped as SyncStopped {
            XCTAssertEqual(stopped.reason, .wrongCredentials)
            XCTAssertTrue(
                stopped.localizedDescription.contains("check the user name and the password"))
            XCTAssertFalse("\(stopped)".contains("s3cret"))
        }
        // The second call checks the access.
        XCTAssertEqual(service.asked.count, 2)
        XCTAssertTrue(service.asked.last?.hasPrefix("GET /api/v1/settings/clients/1000 ") ?? false)
    }

    func testAPassWithoutAnyAnswerStops() async throws {
        let service = try FaultyService(try Mirror.source()) { _, _ in .gone }
        defer { service.stop() }
        do {
            _ = try await drive(try Engine.memory(options: settings), from: service.address)
            XCTFail("it stops")
        } catch let stopped as SyncStopped {
            XCTAssertEqual(stopped.reason, .incomplete)
            let first = try XCTUnwrap(stopped.report.failed.first)
            XCTAssertEqual(first.status, 410)
            let head = try XCTUnwrap(service.asked.first)
            XCTAssertTrue(head.hasPrefix("GET \(first.target) "), head)
            XCTAssertEqual(
                stopped.description,
                "no answer could be fetched: \(first.target) failed with status 410: \(first.reason)")
        }
    }

    func testCancelledAndResumed() async throws {
        let file = try temporaryFolder().appendingPathComponent("mirror.redb")
        let source = try Mirror.source()
        let service = try FaultyService(source)
        defer { service.stop() }
        do {
            let mirror = try Engine.open(at: file, options: settings)
            do {
                _ = try await drive(mirror, from: service.address) { $0.answered < 8 }
                XCTFail("it is cancelled")
            } catch let error as RollbookError {
                XCTAssertEqual(error.code, .cancelled)
            }
            XCTAssertNil(try mirror.synced(school: 1000))
            try mirror.close()
        }
        XCTAssertTrue((8...12).contains(service.asked.count), "\(service.asked.count)")
        let mirror = try Engine.open(at: file, options: settings)
        _ = try await drive(mirror, from: service.address)
        try Mirror.assert(mirror, of: source)
        let whole = try FaultyService(source)
        defer { whole.stop() }
        _ = try await drive(try Engine.memory(options: settings), from: whole.address)
        // At most the calls that were in flight are sent again.
        XCTAssertLessThanOrEqual(service.asked.count, whole.asked.count + 4)
    }

    func testCancellingATaskCancelsItsCalls() async throws {
        let source = try Mirror.source()
        let slow = try FaultyService(source, seconds: 30)
        defer { slow.stop() }
        let mirror = try Engine.memory(options: settings)
        let sync = try mirror.sync(school: 1000, options: Self.options)
        let driving = Task { try await sync.run(at: slow.address, username: "demo", password: "demo") }
        while slow.asked.isEmpty { try await Task.sleep(nanoseconds: 10_000_000) }
        driving.cancel()
        do {
            _ = try await driving.value
            XCTFail("it is cancelled")
        } catch is CancellationError {}

        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await sync.run(at: slow.address, username: "demo", password: "demo")
        }
        late.cancel()
        do {
            _ = try await late.value
            XCTFail("it is cancelled")
        } catch is CancellationError {}

        let service = try FaultyService(source)
        defer { service.stop() }
        _ = try await drive(mirror, from: service.address)
        try Mirror.assert(mirror, of: source)
    }

    /// A call may be cancelled before it is sent.
    func testACallOfATaskThatIsCancelled() async throws {
        let service = try Service(
            .ephemeral, at: URL(string: "http://127.0.0.1:1")!, username: "demo", password: "demo")
        defer { service.close() }
        let request = try service.request(Call(id: 1, method: "GET", target: "/api/v1", body: ""))
        let asking = Task {
            while !Task.isCancelled { await Task.yield() }
            return await service.send(request)
        }
        asking.cancel()
        guard case .failure(.cut) = await asking.value else { return XCTFail("it was cut") }
    }

    func testARedirectElsewhereIsNotFollowed() async throws {
        let source = try Mirror.source()
        let elsewhere = try FaultyService(source)
        defer { elsewhere.stop() }
        // The first attempt of each of these calls is redirected.
        let redirected = Redirected()
        let service = try FaultyService(source, elsewhere: elsewhere.address) { _, target in
            target.contains("discipline") && redirected.insert(target) ? .away : nil
        }
        defer { service.stop() }
        let report = try await drive(try Engine.memory(options: settings), from: service.address)
        XCTAssertEqual(elsewhere.asked, [])
        XCTAssertFalse(redirected.isEmpty)
        XCTAssertEqual(report.failed, [])
    }

    func testWhatIsSent() async throws {
        let source = try Mirror.source()
        try source.apply(.text(#"{"type":"integrator","username":"demo","password":"wagwoord-zoë-密"}"#))
        let service = try FaultyService(source)
        defer { service.stop() }
        let mirror = try Engine.memory(options: settings)
        let outbox = SyncOptions(daysFrom: "2026-01-01", outbox: "demo")
        let first = try await drive(mirror, from: service.address, password: "wagwoord-zoë-密", options: outbox)
        XCTAssertEqual(first.failed, [])
        try Mirror.addAccess(to: mirror)
        // A state update has a body. The service does not have the second API type.
        try mirror.apply(.text(#"""
            {"type":"api_type","api_type_id":99,"family":"finance"}
            {"type":"client_integration","username":"demo","school_id":1000,"api_type_id":99}
            """#))
        for (apiTypeId, active) in [(10, false), (99, true)] as [(UInt64, Bool)] {
            let set = try mirror.setState(username: "demo", school: 1000, apiTypeId: apiTypeId, active: active)
            XCTAssertEqual(set.status, 200)
        }
        let second = try await drive(mirror, from: service.address, password: "wagwoord-zoë-密", options: outbox)
        XCTAssertEqual(second.refused, [RefusedState(apiTypeId: 99, state: true, status: 401)])
        XCTAssertEqual(second.unsent, [])
        let patch = try XCTUnwrap(service.asked.first { $0.hasPrefix("PATCH") }).lowercased()
        XCTAssertTrue(patch.contains("content-type: application/json"), patch)
        let refused = try source.request(
            Request(
                "/api/v1/finplus/debtmanagement/schooldebtors/1000",
                headers: ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "wagwoord-zoë-密"]))
        XCTAssertEqual(refused.status, 403, "the state is off at the service")
    }

    func testWhatTheListenerThrowsComesOut() async throws {
        struct Own: Error {}
        let service = try FaultyService(try Mirror.source())
        defer { service.stop() }
        do {
            _ = try await drive(try Engine.memory(), from: service.address) { _ in throw Own() }
            XCTFail("it throws")
        } catch is Own {}
    }

    func testWhatIsNoAddressAndNoHeader() async throws {
        let sync = try Engine.memory().sync(school: 1000)
        for (address, username, password) in [
            ("integrate.example.org", "demo", "demo"), ("ftp://a.example", "demo", "demo"),
            ("https://demo:s3cret@a.example", "demo", "demo"), ("https://a.example/?s3cret", "demo", "demo"),
            ("https://a.example", "s3cret\n", "demo"), ("https://a.example", "demo", "s3cret\r\nX: y"),
            ("https://a.example", "demo", "\0s3cret"),
        ] {
            do {
                try await sync.run(at: try XCTUnwrap(URL(string: address)), username: username, password: password)
                XCTFail(address)
            } catch let error as RollbookError {
                XCTAssertEqual(error.code, .badArgument)
                XCTAssertFalse(error.message.contains("s3cret"))
            }
        }
    }

    func testNoServiceAnswers() async throws {
        let service = try FaultyService(try Mirror.source())
        service.stop()
        let begun = Date()
        do {
            _ = try await drive(try Engine.memory(), from: service.address) { _ in
                Date().timeIntervalSince(begun) < 0.5
            }
            XCTFail("it is cancelled")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .cancelled)
        }
    }

    func testDrivenByHand() throws {
        let source = try Mirror.source()
        let mirror = try Engine.memory(options: settings)
        XCTAssertNil(try mirror.synced(school: 1000))
        let sync = try mirror.sync(school: 1000, options: Self.options)
        guard case .send(let first) = try sync.next(now: today) else { return XCTFail("it sends") }
        XCTAssertEqual(first.method + first.body, "GET")
        guard case .wait = try sync.next(now: today) else { return XCTFail("one call is out") }
        XCTAssertEqual(try sync.progress().inFlight, 1)
        guard case .retry(var now) = try sync.handleFailure(call: first.id, now: today, failure: .cut) else {
            return XCTFail("it is asked for again")
        }
        XCTAssertGreaterThan(now, today)
        XCTAssertEqual(try sync.handleFailure(call: 1, now: today, failure: .timeout), .stale)
        driving: while true {
            switch try sync.next(now: now) {
            case .wait(let until): now = until
            case .send(let call):
                let answer = try source.request(Request(call.target, headers: demo))
                let reply = Reply(status: answer.status, body: answer.data)
                let outcome = try sync.handleReply(call: call.id, now: now, reply: reply)
                XCTAssertTrue(outcome == .stored || outcome == .unchanged, "\(outcome)")
            case .done: break driving
            case .stop(let reason, let report): return XCTFail("\(reason): \(report)")
            }
        }
        try Mirror.assert(mirror, of: source)
        let madeUp = #"{"type":"learner","school_id":1000,"id":77,"first_name":"Made up"}"#
        XCTAssertEqual(code(of: try mirror.apply(.text(madeUp))), .synced)
        XCTAssertEqual(code(of: try sync.prioritise(target: "/api/v1/nothing")), .unsupported)
        XCTAssertEqual(code(of: try sync.approve(target: "/api/v1/nothing")), .unsupported)
        XCTAssertEqual(code(of: try sync.reject(target: "/api/v1/nothing")), .unsupported)
        // Decisions about an answer that is not quarantined have no effect.
        try sync.approve(target: first.target)
        try sync.reject(target: first.target)
        XCTAssertEqual(try sync.quarantined(), [])
        try sync.prioritise(target: first.target)
        guard case .send(let prioritised) = try sync.next(now: now) else { return XCTFail("it sends") }
        XCTAssertEqual(prioritised.target, first.target)
        let refused = Reply(status: 401, body: Data())
        XCTAssertEqual(try sync.handleReply(call: prioritised.id, now: now, reply: refused), .failed)
        // The next call checks what the 401 is about.
        guard case .send(let check) = try sync.next(now: now) else { return XCTFail("it sends") }
        XCTAssertEqual(check.target, "/api/v1/settings/clients/1000")
        _ = try sync.handleReply(call: check.id, now: now, reply: refused)
        XCTAssertEqual(try sync.next(now: now), .stop(reason: .wrongCredentials, report: try sync.report()))
        try mirror.forgetSync(school: 1000)
        XCTAssertNil(try mirror.synced(school: 1000))
    }

    func testAValueThatCannotBeUsed() throws {
        let source = try Mirror.source()
        let sync = try Engine.memory(options: settings).sync(school: 1000, options: Self.options)
        var now = today
        var done: SyncReport?
        while done == nil {
            switch try sync.next(now: now) {
            case .wait(let until): now = until
            case .send(let call):
                let answer = try source.request(Request(call.target, headers: demo))
                var body = answer.data
                if call.target.contains("status=current") {
                    // The date of birth of learner 1.
                    let text = String(decoding: body, as: UTF8.self)
                    XCTAssertTrue(text.contains("2018-01-01"))
                    body = Data(text.replacingOccurrences(of: "2018-01-01", with: "0000-00-00").utf8)
                }
                let reply = Reply(status: answer.status, body: body)
                _ = try sync.handleReply(call: call.id, now: now, reply: reply)
            case .done(let report): done = report
            case .stop(let reason, let report): return XCTFail("\(reason): \(report)")
            }
        }
        let report = try XCTUnwrap(done)
        XCTAssertEqual(report.failed, [])
        let target = try XCTUnwrap(report.findings.first).target
        XCTAssertTrue(target.hasPrefix("/api/v1/adminplus/learners/1000?"), target)
        XCTAssertTrue(target.contains("status=current"), target)
        XCTAssertEqual(
            report.findings,
            [
                Finding(
                    kind: "learner", field: "date_of_birth", effect: .fieldEmpty, count: 1, keys: ["1"],
                    target: target)
            ])
    }

    func testEveryReasonHasAMessage() throws {
        var report = try Engine.memory().sync(school: 1000).report()
        for reason in [StopReason.unauthorised, .wrongCredentials, .schoolNotAuthorised, .unreachable, .forgotten, .incomplete, .superseded] {
            XCTAssertTrue(SyncStopped(reason: reason, report: report).localizedDescription.contains(": "))
        }
        report.failed = ["/a", "/b"].map { FailedRequest(target: $0, status: nil, reason: "ten attempts failed") }
        XCTAssertEqual(
            SyncStopped(reason: .incomplete, report: report).description,
            "no answer could be fetched: /a failed without a reply: ten attempts failed")
    }

    /// The compiled example is the first block of Swift under the heading.
    func testTheExampleOfTheReadme() async throws {
        let folder = Inputs.repository.appendingPathComponent("bindings/swift")
        let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        let section = try XCTUnwrap(readme.components(separatedBy: "\n## Fill it from the service\n").last)
        let block = try XCTUnwrap(section.components(separatedBy: "```swift\n").dropFirst().first)
        let example = try XCTUnwrap(block.components(separatedBy: "```").first)
        let here = try String(
            contentsOf: folder.appendingPathComponent("Tests/RollbookTests/ReadmeExample.swift"), encoding: .utf8)
        XCTAssertTrue(here.hasSuffix("/// From the README.\n" + example), example)
        let service = try FaultyService(try Mirror.source())
        defer { service.stop() }
        let engine = try Engine.memory(options: settings)
        try await refresh(engine, from: service.address, username: "demo", password: "demo")
        XCTAssertEqual(try engine.ask(.learners(school: 1000)).status, 200)
    }
}

/// Collects the progress of a sync.
private final class ProgressRecorder: @unchecked Sendable {
    private let lock = NSLock()
    private var said: [SyncProgress] = []

    var all: [SyncProgress] { lock.withLock { said } }

    func add(_ progress: SyncProgress) { lock.withLock { said.append(progress) } }
}

/// The targets whose first attempt was redirected.
private final class Redirected: @unchecked Sendable {
    private let lock = NSLock()
    private var targets: Set<String> = []

    var isEmpty: Bool { lock.withLock { targets.isEmpty } }

    /// Adds a target. Returns whether it is new.
    func insert(_ target: String) -> Bool { lock.withLock { targets.insert(target).inserted } }
}
