import Foundation
import Rollbook
import XCTest

/// The engine in `async` code.
final class AsyncTests: XCTestCase {
    func testEverythingIsAnsweredAsByTheEngine() async throws {
        let folder = try temporaryFolder()
        let options = Options(fixedClock: today)
        let engine = try await AsyncEngine.open(path: folder.appendingPathComponent("a.redb").path, options: options)
        let plain = try smallSchools()
        let applied = try await engine.apply(.file(Inputs.smallSchools))
        XCTAssertEqual(applied.total.added, 266)

        let request = Request("/api/v1/adminplus/learners/1000", headers: demo)
        let question = Question.learners(school: 1000)
        let answer = try await engine.request(request)
        XCTAssertEqual(answer, try plain.request(request))
        let answers = try await engine.requests([request, request])
        XCTAssertEqual(answers, [answer, answer])
        let asked = try await engine.ask(question)
        XCTAssertEqual(asked, try plain.ask(question))
        let page = try await engine.page(question, Page(limit: 1), now: today)
        // Cursors differ between stores, so the same store is used.
        XCTAssertEqual(page, try engine.engine.page(question, Page(limit: 1), now: today))
        let found = try await engine.find(question)
        XCTAssertEqual(found, try plain.find(question))
        let upgrade = try await engine.upgrade(request.target)
        XCTAssertEqual(upgrade, try plain.upgrade(request.target))
        let set = try await engine.setState(username: "demo", school: 1000, apiTypeId: 8, active: true)
        XCTAssertEqual(set.status, 204)
        let faults = try await engine.check(.text("x"))
        XCTAssertEqual(faults, try plain.check(.text("x")))
        let sound = try await engine.verify()
        XCTAssertEqual(sound.problems, [])

        var export = ""
        for try await piece in try await engine.export(credentials: .leaveOut) { export += piece }
        XCTAssertEqual(export, try plain.export(credentials: .leaveOut).text())
        var renamed = ""
        for try await piece in try await engine.exportPseudonymised(key: Data(count: 32)) { renamed += piece }
        let other = try Engine.memory()
        try other.apply(.text(renamed))
        XCTAssertEqual(try other.export(credentials: .leaveOut).text(), renamed)
        XCTAssertThrowsError(try plain.exportPseudonymised(key: Data(count: 5)))
        let replaced = try await engine.replaceSchool(1001, with: .text(#"{"type":"school","school_id":1001,"current_year":2026}"#))
        XCTAssertGreaterThan(replaced.total.removed, 1)
        let erased = try await engine.eraseLearner(school: 1000, learner: 1)
        XCTAssertEqual(erased.kinds["learner"]?.removed, 1)
        try await engine.removeSchool(1000)
        try await engine.compact()
        try await engine.backup(path: folder.appendingPathComponent("b.redb").path, credentials: .keep)
        try await engine.suspend()
        try await engine.resume()
        let stats = try await engine.stats()
        XCTAssertEqual(stats.records["learner"], 0)
        try await engine.close()
        do {
            _ = try await engine.stats()
            XCTFail("it is closed")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .closed)
        }
    }

    func testManyTasks() async throws {
        let engine = AsyncEngine(try smallSchools())
        let alone = try engine.engine.ask(.learners(school: 1000))
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<500 { group.addTask { try await engine.ask(.learners(school: 1000)) } }
            for try await answer in group { XCTAssertEqual(answer, alone) }
        }
    }

    func testACancelledTaskCancelsItsLoad() async throws {
        let engine = try AsyncEngine.memory()
        let file = try Inputs.largeSchool()
        let reached = AsyncStream<UInt64>.makeStream()
        let load = Task {
            try await engine.apply(.file(file)) { reached.continuation.yield($0.bytes); return true }
        }
        for await bytes in reached.stream where bytes > 1_000_000 { break }
        load.cancel()
        await assertCancelled { try await load.value }
        // The call has ended, so another change can begin immediately, and nothing is stored.
        let export = try engine.engine.export(credentials: .keep).text()
        XCTAssertEqual(export, "")
        try await engine.apply(.file(Inputs.smallSchools))

        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await engine.replaceSchool(1000, with: .file(file))
        }
        late.cancel()
        await assertCancelled { try await late.value }
    }

    func testListeners() async throws {
        struct Own: Error {}
        let engine = try AsyncEngine.memory()
        let file = try Inputs.school()
        do {
            try await engine.apply(.file(file)) { _ in throw Own() }
            XCTFail("it throws")
        } catch is Own {}
        do {
            try await engine.apply(.file(file)) { _ in false }
            XCTFail("it is cancelled")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .cancelled)
        }
        let stats = try await engine.stats()
        XCTAssertEqual(stats.records["learner"], 0)
    }

    func testPieces() async throws {
        let lines = try Data(contentsOf: Inputs.smallSchools)
        let expected = try smallSchools().export(credentials: .leaveOut).text()
        let (pieces, feed) = AsyncStream<Data>.makeStream()
        for start in stride(from: 0, to: lines.count, by: 999) {
            feed.yield(lines[start..<min(start + 999, lines.count)])
        }
        feed.finish()
        let fed = try AsyncEngine.memory()
        try await fed.apply(pieces)
        XCTAssertEqual(try fed.engine.export(credentials: .leaveOut).text(), expected)

        let bytes = AsyncStream<UInt8> { continuation in
            for byte in lines { continuation.yield(byte) }
            continuation.finish()
        }
        let engine = try AsyncEngine.memory()
        var reached: [UInt64] = []
        try await engine.apply(bytes: bytes) { reached.append($0.bytes); return true }
        XCTAssertEqual(reached.last, UInt64(lines.count))
        XCTAssertEqual(try engine.engine.export(credentials: .leaveOut).text(), expected)

        struct Broken: Error {}
        let broken = AsyncThrowingStream<Data, Error> { continuation in
            continuation.yield(lines)
            continuation.finish(throwing: Broken())
        }
        do {
            try await engine.apply(broken)
            XCTFail("it throws")
        } catch is Broken {}
        XCTAssertEqual(try engine.engine.export(credentials: .leaveOut).text(), expected)

        let school = AsyncStream<UInt8> { continuation in
            for byte in #"{"type":"school","school_id":1000,"current_year":2026}"#.utf8 { continuation.yield(byte) }
            continuation.finish()
        }
        let replaced = try await engine.replaceSchool(1000, bytes: school)
        XCTAssertGreaterThan(replaced.total.removed, 10)
    }

    func testACancelledTaskDiscardsItsPieces() async throws {
        let engine = try AsyncEngine.memory()
        let (pieces, feed) = AsyncStream<Data>.makeStream()
        feed.yield(Data(#"{"type":"learner","school_id":1,"id":1}"#.utf8))
        let load = Task { try await engine.apply(pieces) }
        try await Task.sleep(nanoseconds: 20_000_000)
        load.cancel()
        await assertCancelled { try await load.value }
        let stats = try await engine.stats()
        XCTAssertEqual(stats.records["learner"], 0)
    }

    private func assertCancelled(
        line: UInt = #line, _ work: () async throws -> Summary
    ) async {
        do {
            let summary = try await work()
            XCTFail("it was loaded: \(summary.total)", line: line)
        } catch {
            XCTAssertTrue(error is CancellationError, "\(error)", line: line)
        }
    }
}
