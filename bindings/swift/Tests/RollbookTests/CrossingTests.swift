import Foundation
import Rollbook
import XCTest

/// Direct calls: their lent memory, and subclasses of the engine.
final class CrossingTests: XCTestCase {
    private let learners = 2000

    private func school() throws -> Engine {
        let engine = try Engine.memory(options: Options(fixedClock: today))
        let lines = (1...learners).map { #"{"type":"learner","school_id":1,"id":\#($0),"last_name":"Zoë"}"# }
        let school = #"{"type":"school","school_id":1,"current_year":2026}"#
        try engine.apply(.text(([school] + lines).joined(separator: "\n")))
        return engine
    }

    func testALargeAnswerOutlivesItsEngine() throws {
        let answer = try school().ask(.learners(school: 1))
        let again = try school().ask(.learners(school: 1))
        XCTAssertGreaterThan(answer.data.count, 100_000)
        XCTAssertEqual(answer, again)
        XCTAssertEqual(answer.body.components(separatedBy: "\"Zoë\"").count, learners + 1)
        var changed = again.data
        changed[0] = UInt8(ascii: "{")
        XCTAssertEqual(again.data, answer.data)
    }

    func testAListOfRequestsIsAnsweredInItsOrder() throws {
        let engine = try smallSchools()
        let targets = ["learners/1000", "nothing", "learners/1000?include_parents=1"]
        var requests = targets.map { Request("/api/v1/adminplus/\($0)", headers: demo) }
        requests.append(Request("/api/v1/adminplus/learners/1000", method: "PATCH"))
        let many = Array(repeating: requests, count: 20).flatMap { $0 }
        XCTAssertEqual(try engine.requests(many), try many.map { try engine.request($0) })
        XCTAssertEqual(try engine.requests(many).last?.header("allow"), "GET")
        XCTAssertEqual(try engine.requests([]), [])
    }

    /// Without giving the memory back, the test would need gigabytes.
    func testWhatWasLentIsGivenBack() throws {
        guard FileManager.default.fileExists(atPath: "/proc/self/statm") else {
            throw XCTSkip("only Linux tells how much memory a process has")
        }
        let engine = try school()
        let target = Request("/api/v1/adminplus/learners/1")
        let refused = Request("/api/v1/adminplus/learners/" + String(repeating: "9", count: 8_000))
        let before = try pages()
        for _ in 0..<20_000 {
            XCTAssertEqual(try engine.ask(.learners(school: 1)).status, 200)
            XCTAssertEqual(try engine.requests([target, refused]).count, 2)
        }
        XCTAssertLessThan(try pages() - before, 50_000)
    }

    private func pages() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return Int(text.split(separator: " ")[1]) ?? .max
    }

    /// A subclass with which an app's tests replace the engine.
    private final class StandIn: Engine, @unchecked Sendable {
        let answer = Answer(status: 200, data: Data("[]".utf8))

        init() { super.init(noHandle: NoHandle()) }

        required init(unsafeFromHandle handle: UInt64) { super.init(unsafeFromHandle: handle) }

        override func ask(question: Question, now: Int64?) throws -> Answer { answer }

        override func page(question: Question, page: Page, now: Int64?) throws -> Answer { answer }

        override func find(question: Question, now: Int64?) throws -> Answer { answer }

        override func request(request: Request) throws -> Answer { answer }

        override func requests(requests: [Request]) throws -> [Answer] { requests.map { _ in answer } }
    }

    func testAStandInAnswersItself() throws {
        let engine: Engine = StandIn()
        let (question, request) = (Question.learners(school: 1), Request("/api/v1/settings/clients"))
        XCTAssertEqual(try engine.ask(question).body, "[]")
        XCTAssertEqual(try engine.page(question).body, "[]")
        XCTAssertEqual(try engine.find(question).body, "[]")
        XCTAssertEqual(try engine.request(request).body, "[]")
        XCTAssertEqual(try engine.requests([request, request]).map(\.body), ["[]", "[]"])
    }
}
