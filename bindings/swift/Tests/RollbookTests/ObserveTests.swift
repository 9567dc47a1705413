import Foundation
import Rollbook
import XCTest

/// Live queries.
final class ObserveTests: XCTestCase {
    private let grades = Question.grades(school: 1)
    private let learners = Question.learners(school: 1)
    private let school = #"{"type":"school","school_id":1,"current_year":2026}"# + "\n"
    private let parent = #"{"type":"parent","school_id":1,"id":40}"# + "\n"

    private func small() throws -> Engine {
        let engine = try Engine.memory()
        try engine.apply(.text(school))
        return engine
    }

    private func grade(_ name: String) -> String {
        #"{"type":"grade","school_id":1,"grade_id":9,"grade":"\#(name)"}"# + "\n"
    }

    private func shown(_ name: String) -> String { #"[{"id":"9","name":"Grade \#(name)"}]"# }

    func testTheAnswerNowAndAfterEachChangeAndNothingElse() async throws {
        let engine = try small()
        var answers = engine.observe(grades).makeAsyncIterator()
        let none = try await answers.next()
        XCTAssertEqual(none?.status, 404)
        for name in ["7", "8"] {
            try engine.apply(.text(parent + grade(name)))
            let answer = try await answers.next()
            XCTAssertEqual(answer?.body, shown(name))
        }
        // A change of other data, and a change that results in the same answer, deliver nothing.
        try engine.apply(.text(grade("9")))
        try engine.apply(.text(grade("8")))
        try engine.replaceSchool(1, with: .text(school + grade("8")))
        let last = school + grade("10")
        let changing = later { try engine.replaceSchool(1, with: .text(last)) }
        let reloaded = try await answers.next()
        XCTAssertEqual(reloaded?.body, shown("10"))
        try await changing.value
        var records = AsyncEngine(engine).observeRecord(.grades(school: 1, gradeId: 9)).makeAsyncIterator()
        let record = try await records.next()
        XCTAssertEqual(record?.body, #"{"id":9,"name":"Grade 10"}"#)
    }

    func testItEndsWithTheEngine() async throws {
        let engine = try small()
        var answers = engine.observe(grades).makeAsyncIterator()
        _ = try await answers.next()
        let closing = later { try engine.close() }
        for _ in 0..<2 {
            let end = try await answers.next()
            XCTAssertNil(end)
        }
        try await closing.value
        for try await answer in engine.observe(grades) { XCTFail("\(answer)") }
    }

    func testATaskThatIsCancelledWaitsNoLonger() async throws {
        let engine = try small()
        for pause in [0, 0, 20_000_000] as [UInt64] {
            let grades = self.grades
            let waiting = Task {
                for try await _ in engine.observe(grades) {}
            }
            try await Task.sleep(nanoseconds: pause)
            waiting.cancel()
            switch await waiting.result {
            case .success: XCTFail("it was cancelled")
            case .failure(let error): XCTAssertTrue(error is CancellationError, "\(error)")
            }
        }
    }

    func testAnErrorIsDeliveredAndTheLiveQueryContinues() async throws {
        let engine = try small()
        var answers = engine.observe(learners).makeAsyncIterator()
        _ = try await answers.next()
        let source = try small()
        try source.apply(.text(#"{"type":"learner","school_id":1,"id":7,"last_name":"Smith"}"#))
        let scope = Scope(schools: [SchoolInScope(school: 1, learners: [7])])
        let feed = try source.feed(scope: scope, after: nil)
        let follow = try engine.follow()
        // The scope contains one learner, so questions about all learners fail as `not_synced`.
        while let piece = try feed.read() { _ = try follow.push(bytes: Data(piece.utf8)) }
        _ = try follow.finish()
        do {
            _ = try await answers.next()
            XCTFail("it is not known")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .notSynced)
        }
        try engine.forgetSync(school: 1)
        let known = try await answers.next()
        XCTAssertEqual(known?.status, 200)
        do {
            for try await _ in engine.observe(.absentees(school: 1, fromDate: "yesterday")) {}
            XCTFail("that is no date")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .badArgument)
        }
        // An iterator of one's own ends after this error.
        var invalid = engine.observe(.absentees(school: 1, fromDate: "yesterday")).makeAsyncIterator()
        do {
            _ = try await invalid.next()
            XCTFail("that is no date")
        } catch let error as RollbookError {
            XCTAssertEqual(error.code, .badArgument)
        }
        let end = try await invalid.next()
        XCTAssertNil(end)
    }

    func testItWaitsWhileTheEngineIsSuspended() async throws {
        let path = try temporaryFolder().appendingPathComponent("a.redb").path
        let engine = try Engine.open(path: path)
        try engine.apply(.text(school))
        var answers = engine.observe(grades).makeAsyncIterator()
        _ = try await answers.next()
        try engine.suspend()
        let other = try Engine.open(path: path)
        try other.apply(.text(grade("7")))
        try other.close()
        let resuming = later { try engine.resume() }
        let answer = try await answers.next()
        XCTAssertEqual(answer?.body, shown("7"))
        try await resuming.value
        try engine.close()
    }

    func testAnotherDayBeginsAtTheSchool() async throws {
        let engine = try Engine.memory()
        // The next full minute that leaves enough time to prepare the test.
        let at = (Int64(Date().timeIntervalSince1970) + 5) / 60 * 60 + 60
        let day: Int64 = 86_400
        let least = (day - at % day) % day
        let east = least > day / 2 ? least - day : least
        let minutes = abs(east) / 60
        let offset = (east < 0 ? "-" : "+") + String(format: "%02d:%02d", Int(minutes / 60), Int(minutes % 60))
        let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: TimeInterval(at + east))).prefix(10)
        try engine.apply(.text("""
            {"type":"school","school_id":1,"current_year":2026,"utc_offset":"\(offset)"}
            {"type":"absentee","school_id":1,"id":1,"learner_id":7,"absent_date":"\(tomorrow)"}
            """))
        var days = engine.observe(.absentees(school: 1)).makeAsyncIterator()
        let none = try await days.next()
        XCTAssertEqual(none?.status, 404)
        let answer = try await days.next()
        XCTAssertGreaterThanOrEqual(Int64(Date().timeIntervalSince1970), at)
        XCTAssertEqual(try answer?.decode([V1.Absentee].self).map(\.learnerId), ["7"])
    }

    func testManyObserversAmidManyChanges() async throws {
        let engine = try small()
        let order = (0...33).map { shown("\($0)") } + [shown("end")]
        let (grades, end) = (self.grades, shown("end"))
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var given: [String] = []
                    for try await answer in engine.observe(grades) where answer.status == 200 {
                        given.append(answer.body)
                        if answer.body == end { break }
                    }
                    return given
                }
            }
            for number in 0..<100 { try engine.apply(.text(grade("\(number / 3)"))) }
            try engine.apply(.text(grade("end")))
            for try await given in group {
                let places = given.map { order.firstIndex(of: $0) ?? -1 }
                XCTAssertEqual(places, Set(places).sorted())
                XCTAssertEqual(places.last, order.count - 1)
            }
        }
    }

    func testTheExampleOfTheReadme() async throws {
        let folder = Inputs.repository.appendingPathComponent("bindings/swift")
        let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
        let section = try XCTUnwrap(readme.components(separatedBy: "\n## Observing\n").last)
        let block = try XCTUnwrap(section.components(separatedBy: "```swift\n").dropFirst().first)
        let example = try XCTUnwrap(block.components(separatedBy: "```").first)
        let here = try String(
            contentsOf: folder.appendingPathComponent("Tests/RollbookTests/ReadmeObserving.swift"), encoding: .utf8)
        XCTAssertTrue(here.hasSuffix("/// From the README.\n" + example), example)
        let engine = try Engine.memory()
        let closing = later { try engine.close() }
        try await show(engine)
        try await closing.value
    }

    /// Runs work after a delay, in which the caller starts to wait.
    private func later(_ work: @escaping @Sendable () throws -> some Sendable) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(nanoseconds: 50_000_000)
            _ = try work()
        }
    }
}
