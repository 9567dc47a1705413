import Foundation
import Rollbook
import XCTest

/// Every error has its code and the engine's message.
final class ErrorTests: XCTestCase {
    private static let every: [RollbookError] = [
        .BadDataset(message: "m"), .AlreadyOpen(message: "m"), .Busy(message: "m"), .ReaderEnded(message: "m"), .Suspended(message: "m"),
        .Closed(message: "m"), .Corrupt(message: "m"), .Io(message: "m"), .NotAStore(message: "m"),
        .Missing(message: "m"), .NewerFormat(message: "m"), .Exists(message: "m"), .Cancelled(message: "m"),
        .IdReused(message: "m"), .NotSynced(message: "m"), .Synced(message: "m"), .ResyncRequired(message: "m"),
        .OutOfSync(message: "m"), .Diverged(message: "m"), .Unsupported(message: "m"), .BadArgument(message: "m"), .ListenerFailed(message: "m"),
    ]

    /// The engine documents each case as `` /// `code`: … `` and then `Case(String),`.
    func testEveryCaseHasItsDocumentedCode() throws {
        let source = try String(contentsOf: Inputs.repository.appendingPathComponent("ffi/src/error.rs"), encoding: .utf8)
        var documented: [String: String] = [:]
        var code: String?
        for line in source.components(separatedBy: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix("/// `"), let end = line.range(of: "`: ") {
                code = String(line[line.index(line.startIndex, offsetBy: 5)..<end.lowerBound])
            } else if line.hasSuffix("(String),"), let found = code {
                documented[String(line.dropLast("(String),".count))] = found
                code = nil
            }
        }
        XCTAssertEqual(documented.count, 22)
        XCTAssertEqual(Set(documented.values), Set(RollbookError.Code.allCases.map(\.rawValue)))
        XCTAssertEqual(Set(Self.every.map(\.code)), Set(RollbookError.Code.allCases))
        let readme = try String(
            contentsOf: Inputs.repository.appendingPathComponent("bindings/swift/README.md"), encoding: .utf8)
        for error in Self.every {
            let name = String(describing: error).prefix { $0 != "(" }
            XCTAssertEqual(documented[String(name)], "\(error.code)")
            XCTAssertTrue(readme.contains("| `.\(name)` | `\(error.code)` |"), "the README lacks \(name)")
            XCTAssertEqual(error.message, "m")
            XCTAssertEqual(error.localizedDescription, "m")
        }
    }

    /// Causes all errors except a few: `busy` needs a change that lasts long, `newer_format` needs
    /// a store of a newer version, `id_reused` does not occur because changes have no ids in this
    /// package, and `SyncTests` causes `not_synced` and `synced`.
    func testEveryErrorThatCanBeReached() throws {
        let folder = try temporaryFolder()
        let file = folder.appendingPathComponent("school.redb")
        var reached: Set<RollbookError.Code> = []
        func reach<T>(_ expected: RollbookError.Code, line: UInt = #line, _ work: () throws -> T) {
            XCTAssertEqual(code(of: try work(), line: line), expected, line: line)
            reached.insert(expected)
        }

        let engine = try Engine.open(at: file)
        try engine.apply(.file(Inputs.smallSchools))
        reach(.badDataset) { try engine.apply(.text(#"{"type":"pupil"}"#)) }
        reach(.alreadyOpen) { try Engine.open(at: file) }
        do {
            let export = try engine.export(credentials: .keep)
            try engine.compact()
            reach(.readerEnded) { try export.next()?.get() }
        }
        reach(.io) { try engine.apply(.file("/nowhere/school.ndjson")) }
        reach(.exists) { try engine.backup(to: file, credentials: .keep) }
        reach(.cancelled) { try engine.apply(.file(try Inputs.school())) { _ in false } }
        reach(.badArgument) { try engine.ask(.absentees(school: 1000, fromDate: "yesterday")) }
        reach(.badArgument) { try engine.upgrade("/api/v1/nothing") }
        reach(.unsupported) { try Engine.memory().suspend() }
        try engine.suspend()
        reach(.suspended) { try engine.verify() }
        let aside = folder.appendingPathComponent("aside.redb")
        try FileManager.default.moveItem(at: file, to: aside)
        reach(.missing) { try engine.resume() }
        try FileManager.default.moveItem(at: aside, to: file)
        try engine.resume()
        try engine.close()
        reach(.closed) { try engine.verify() }

        let text = folder.appendingPathComponent("diary.txt")
        try Data("Dear diary".utf8).write(to: text)
        reach(.notAStore) { try Engine.open(at: text) }
        let damaged = folder.appendingPathComponent("damaged.redb")
        try Data(contentsOf: file).prefix(20_000).write(to: damaged)
        reach(.corrupt) { try Engine.open(at: damaged) }

        final class Failing: LoadListener {
            func progress(progress: LoadProgress) throws -> Bool { throw ListenerError.Failed(reason: "tired") }
        }
        let memory = try Engine.memory()
        reach(.listenerFailed) { try memory.apply(dataset: .file(try Inputs.school()), listener: Failing()) }
        XCTAssertEqual(Set(RollbookError.Code.allCases).subtracting(reached), [.busy, .newerFormat, .idReused, .notSynced, .synced, .resyncRequired, .outOfSync, .diverged])
    }

    func testAMessageSaysWhatToDo() throws {
        let engine = try Engine.memory()
        try engine.close()
        XCTAssertThrowsError(try engine.stats()) {
            XCTAssertEqual($0.localizedDescription, "the engine is closed: open the store again")
        }
        XCTAssertThrowsError(try Engine.memory().apply(.text("\n{\"type\":\"grade\",\"school_id\":\"x\"}"))) {
            XCTAssertTrue($0.localizedDescription.hasPrefix("line 2: grade: "), $0.localizedDescription)
        }
    }
}
