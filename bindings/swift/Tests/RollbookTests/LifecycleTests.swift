import Foundation
import Rollbook
import XCTest

/// Opening, closing and suspending, and the stored data afterwards.
final class LifecycleTests: XCTestCase {
    func testClosing() throws {
        let file = try temporaryFolder().appendingPathComponent("school.redb")
        let engine = try Engine.open(at: file)
        let load = try engine.load()
        try engine.close()
        try engine.close()

        XCTAssertEqual(code(of: try engine.ask(.learners(school: 1000))), .closed)
        XCTAssertEqual(code(of: try engine.page(.learners(school: 1000))), .closed)
        XCTAssertEqual(code(of: try engine.find(.learners(school: 1000))), .closed)
        XCTAssertEqual(code(of: try engine.apply(.text(""))), .closed)
        XCTAssertEqual(code(of: try engine.check(.text(""))), .closed)
        XCTAssertEqual(code(of: try engine.stats()), .closed)
        XCTAssertEqual(code(of: try engine.export(credentials: .keep)), .closed)
        XCTAssertEqual(code(of: try engine.verify()), .closed)
        XCTAssertEqual(code(of: try engine.suspend()), .closed)
        XCTAssertEqual(code(of: try engine.resume()), .closed)
        XCTAssertEqual(code(of: try engine.compact()), .closed)
        XCTAssertEqual(code(of: try load.finish()), .closed)
        XCTAssertEqual(try engine.request(Request("/api/v1/settings/clients", headers: demo)).status, 500)
        try Engine.open(at: file).close()
    }

    func testAReleasedEngineClosesItsFile() throws {
        let file = try temporaryFolder().appendingPathComponent("school.redb")
        for _ in 0..<3 {
            let engine = try Engine.open(at: file)
            XCTAssertEqual(code(of: try Engine.open(at: file)), .alreadyOpen)
            withExtendedLifetime(engine) {}
        }
    }

    func testAppliedDataIsStored() throws {
        let file = try temporaryFolder().appendingPathComponent("school.redb")
        let options = Options(cacheBytes: 4 << 20, fixedClock: today, pageLimit: 3, maxPageLimit: 5)
        let before = try Engine.open(at: file, options: options)
        try before.apply(.file(Inputs.smallSchools))
        let answer = try before.ask(.learners(school: 1000))
        XCTAssertGreaterThan(answer.body.utf8.count, 1000)
        try before.close()

        let after = try Engine.open(path: file.path, options: options)
        XCTAssertEqual(try after.ask(.learners(school: 1000)), answer)
        let page = try after.page(.learners(school: 1000), Page(limit: 9)).body
        XCTAssertTrue(page.contains(#""limit":5,"max_allowed_limit":5"#), page)
        try after.close()
    }

    func testSuspending() throws {
        let file = try temporaryFolder().appendingPathComponent("school.redb")
        let engine = try Engine.open(at: file)
        try engine.apply(.file(Inputs.smallSchools))
        let stats = try engine.stats()
        try engine.suspend()
        XCTAssertEqual(code(of: try engine.stats()), .suspended)
        XCTAssertEqual(try engine.request(Request("/api/v1/settings/clients", headers: demo)).status, 500)
        try Engine.open(at: file).close()
        try engine.resume()
        try engine.resume()
        XCTAssertEqual(try engine.stats().records, stats.records)
        try engine.close()
    }

    func testABackupIsAStore() throws {
        let folder = try temporaryFolder()
        let engine = try smallSchools()
        let whole = folder.appendingPathComponent("whole.redb")
        let bare = folder.appendingPathComponent("bare.redb")
        try engine.backup(to: whole, credentials: .keep)
        try engine.backup(path: bare.path, credentials: .leaveOut)
        let question = Request("/api/v1/adminplus/learners/1000", headers: demo, now: today)
        let copy = try Engine.open(at: whole)
        XCTAssertEqual(try copy.request(question), try engine.request(question))
        XCTAssertEqual(try Engine.open(at: bare).request(question).status, 401)
        XCTAssertEqual(try copy.export(credentials: .keep).text(), try engine.export(credentials: .keep).text())
    }

    func testCloseWhileOthersAsk() throws {
        for _ in 0..<20 {
            let engine = try smallSchools()
            let asked = DispatchGroup()
            let failures = Failures()
            for _ in 0..<4 {
                DispatchQueue.global().async(group: asked) {
                    while true {
                        do {
                            _ = try engine.ask(.learners(school: 1000))
                        } catch let error as RollbookError where error.code == .closed {
                            return
                        } catch {
                            return failures.add("\(error)")
                        }
                    }
                }
            }
            usleep(2000)
            try engine.close()
            XCTAssertEqual(asked.wait(timeout: .now() + 60), .success)
            XCTAssertEqual(failures.all, [])
        }
    }

    func testManyThreadsGetTheSameAnswers() throws {
        let engine = try smallSchools()
        let targets = [
            "/api/v1/adminplus/learners/1000?include_parents=1", "/api/v1/settings/clients",
            "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9", "/api/v1/adminplus/learnerabsentees/1000",
        ]
        let requests = targets.map { Request($0, headers: demo) }
        let alone = try requests.map { try engine.request($0) }
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                let place = (thread + round) % requests.count
                do {
                    if try engine.request(requests[place]) != alone[place] { failures.add(targets[place]) }
                } catch {
                    failures.add("\(error)")
                }
            }
        }
        XCTAssertEqual(failures.all, [])
    }
}
