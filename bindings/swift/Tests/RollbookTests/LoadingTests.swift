import Foundation
import Rollbook
import XCTest

/// Loads and exports of datasets.
final class LoadingTests: XCTestCase {
    private struct Own: Error, Equatable { let reason: String }

    func testALargeFileWithProgress() throws {
        let file = try Inputs.largeSchool()
        let size = try XCTUnwrap(FileManager.default.attributesOfItem(atPath: file.path)[.size] as? UInt64)
        XCTAssertGreaterThan(size, 100_000_000)
        let engine = try Engine.open(at: try temporaryFolder().appendingPathComponent("school.redb"))
        var calls = 0
        var last = LoadProgress(lines: 0, bytes: 0)
        let summary = try engine.apply(.file(file)) { progress in
            XCTAssertGreaterThanOrEqual(progress.bytes, last.bytes)
            XCTAssertGreaterThanOrEqual(progress.lines, last.lines)
            (calls, last) = (calls + 1, progress)
            return true
        }
        XCTAssertEqual(summary.bytes, size)
        XCTAssertEqual(summary.kinds["learner"], Counts(added: 3000, changed: 0, removed: 0, unchanged: 0))
        XCTAssertGreaterThan(calls, 1000)
        print("loading: \(size) bytes, \(summary.lines) lines, \(calls) calls of progress")

        // Everything that was loaded is stored, and nothing of a load that was cancelled.
        let before = try engine.stats().records
        XCTAssertEqual(before["mark"], 3000 * 224)
        calls = 0
        XCTAssertEqual(
            code(of: try engine.replaceSchool(1000, with: .file(file)) { _ in
                calls += 1
                return calls < 3
            }), .cancelled)
        XCTAssertEqual(calls, 3)
        XCTAssertEqual(try engine.stats().records, before)
        try engine.close()
    }

    func testAListenerThatThrows() throws {
        let engine = try Engine.memory()
        let thrown = Own(reason: "no more room on screen")
        XCTAssertThrowsError(try engine.apply(.file(Inputs.school())) { _ in throw thrown }) {
            XCTAssertEqual($0 as? Own, thrown)
        }
        XCTAssertThrowsError(try engine.replaceSchool(1000, with: .file(Inputs.school())) { _ in throw thrown }) {
            XCTAssertEqual($0 as? Own, thrown)
        }
        // An error of the listener is thrown unchanged even if it has the engine's own type.
        XCTAssertThrowsError(try engine.apply(.file(Inputs.school())) { _ in throw RollbookError.Busy(message: "I am") }) {
            XCTAssertEqual($0 as? RollbookError, .Busy(message: "I am"))
        }
        XCTAssertEqual(try engine.export(credentials: .keep).text(), "")
        try engine.apply(.file(Inputs.smallSchools))
    }

    func testAListenerThatReturnsFalse() throws {
        let engine = try Engine.memory()
        XCTAssertEqual(code(of: try engine.apply(.file(Inputs.school())) { _ in false }), .cancelled)
        XCTAssertEqual(try engine.export(credentials: .keep).text(), "")
    }

    func testAGeneratedListener() throws {
        final class Failing: LoadListener {
            func progress(progress: LoadProgress) throws -> Bool { throw ListenerError.Failed(reason: "tired") }
        }
        final class Foreign: LoadListener {
            func progress(progress: LoadProgress) throws -> Bool { throw Own(reason: "mine") }
        }
        let engine = try Engine.memory()
        for listener in [Failing(), Foreign()] as [LoadListener] {
            XCTAssertEqual(
                code(of: try engine.apply(dataset: .file(try Inputs.school()), listener: listener)), .listenerFailed)
        }
        XCTAssertEqual(ListenerError.Failed(reason: "tired").localizedDescription, "tired")
    }

    func testEverySource() throws {
        let lines = try Data(contentsOf: Inputs.smallSchools)
        let text = String(decoding: lines, as: UTF8.self)
        let expected = try smallSchools().export(credentials: .leaveOut).text()
        let loads: [(String, (Engine) throws -> Summary)] = [
            ("text", { try $0.apply(.text(text)) }),
            ("bytes", { try $0.apply(.bytes(lines)) }),
            ("path", { try $0.apply(.file(Inputs.smallSchools.path)) }),
            ("file", { try $0.apply(.file(Inputs.smallSchools)) }),
            ("stream", { try $0.apply(InputStream(data: lines)) }),
            ("file as a stream", { try $0.apply(try XCTUnwrap(InputStream(url: Inputs.smallSchools))) }),
            ("pieces", { engine in
                let load = try engine.load()
                for start in stride(from: 0, to: lines.count, by: 1000) {
                    _ = try load.push(bytes: lines[start..<min(start + 1000, lines.count)])
                }
                return try load.finish()
            }),
        ]
        for (name, load) in loads {
            let engine = try Engine.memory()
            let summary = try load(engine)
            XCTAssertEqual(Int(summary.bytes), lines.count, name)
            XCTAssertEqual(summary.total.added, 266, name)
            XCTAssertEqual(try engine.export(credentials: .leaveOut).text(), expected, name)
        }
    }

    func testStreams() throws {
        let engine = try Engine.memory()
        var reached: [UInt64] = []
        let learner = #"{"type":"learner","school_id":1,"id":"#
        let lines = (1...3000).map { "\(learner)\($0)}\n" }.joined()
        try engine.apply(InputStream(data: Data(lines.utf8))) { reached.append($0.bytes); return true }
        XCTAssertEqual(reached.last, UInt64(lines.utf8.count))
        XCTAssertGreaterThan(reached.count, 1)
        let summary = try engine.replaceSchool(1, with: InputStream(data: Data("\(learner)7}".utf8)))
        XCTAssertEqual(summary.total.removed, 2999)

        let before = try engine.export(credentials: .keep).text()
        XCTAssertEqual(code(of: try engine.apply(InputStream(data: Data(lines.utf8))) { _ in false }), .cancelled)
        XCTAssertThrowsError(try engine.apply(InputStream(data: Data(lines.utf8))) { _ in throw Own(reason: "") }) {
            XCTAssertTrue($0 is Own)
        }
        XCTAssertEqual(code(of: try engine.apply(InputStream(data: Data("{".utf8)))), .badDataset)
        XCTAssertThrowsError(try engine.apply(try XCTUnwrap(InputStream(fileAtPath: "/nowhere/file"))))
        XCTAssertEqual(try engine.export(credentials: .keep).text(), before)
    }

    func testALoadInPieces() throws {
        let engine = try Engine.memory()
        let load = try engine.load()
        let half = try load.push(bytes: Data(#"{"type":"learner","school_"#.utf8))
        XCTAssertEqual(half, LoadProgress(lines: 0, bytes: 26))
        try load.cancel()
        try load.cancel()
        XCTAssertEqual(code(of: try load.push(bytes: Data())), .closed)
        XCTAssertEqual(code(of: try load.finish()), .closed)
        let faulty = try engine.loadSchool(school: 1)
        XCTAssertEqual(code(of: try faulty.push(bytes: Data("x\n".utf8))), .badDataset)
        XCTAssertEqual(code(of: try faulty.finish()), .badDataset)
        XCTAssertEqual(try engine.export(credentials: .keep).text(), "")
    }

    func testAnExportIsADataset() throws {
        let engine = try Engine.memory()
        try engine.apply(.file(try Inputs.school()))
        var pieces = 0
        var export = ""
        for piece in try engine.export(credentials: .keep) {
            pieces += 1
            export += try piece.get()
        }
        XCTAssertGreaterThan(pieces, 100)
        let again = try Engine.memory()
        try again.apply(.text(export))
        XCTAssertTrue(try again.export(credentials: .keep).text().utf8.elementsEqual(export.utf8))
        XCTAssertEqual(try again.verify().problems, [])

        let early = try engine.export(credentials: .leaveOut)
        XCTAssertNotNil(early.next())
        try early.cancel()
        XCTAssertNil(early.next())
    }

    func testRemovingAndErasing() throws {
        let engine = try smallSchools()
        XCTAssertEqual(try engine.eraseLearner(school: 1000, learner: 1).kinds["learner"]?.removed, 1)
        XCTAssertGreaterThan(try engine.removeSchool(school: 1000).total.removed, 100)
        XCTAssertEqual(try engine.removeSchool(school: 1000).total.removed, 0)
        XCTAssertEqual(try engine.ask(.learners(school: 1000)).status, 404)
        try engine.compact()
        let faults = try engine.check(.text("{}\nx\n"), limit: 1)
        XCTAssertEqual(faults.map(\.line), [1])
    }
}
