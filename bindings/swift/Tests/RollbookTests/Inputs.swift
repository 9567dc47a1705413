import Foundation
import Rollbook
import XCTest

/// The files that `tests/material` creates with Rust, in the folder that `bindings/swift/test`
/// names in `ROLLBOOK_MATERIAL`. Without it, tests fail and are not skipped.
enum Inputs {
    static func file(_ name: String) throws -> URL {
        guard let folder = ProcessInfo.processInfo.environment["ROLLBOOK_MATERIAL"] else {
            throw Missing(what: "ROLLBOOK_MATERIAL is not set")
        }
        let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw Missing(what: "\(file.path) is missing")
        }
        return file
    }

    /// The cases of the corpus, with one line of JSON for each.
    static func corpus() throws -> URL { try file("corpus.jsonl") }

    /// The number of cases and requests of the corpus.
    static func corpusSize() throws -> URL { try file("corpus-size.json") }

    /// The dataset of a generated school of 1,000 learners.
    static func school() throws -> URL { try file("school-1000.ndjson") }

    /// The dataset of a generated school of 3,000 learners, more than 100 MB.
    static func largeSchool() throws -> URL { try file("school-3000.ndjson") }

    /// The command `rollbook`, which can serve a store.
    static func server() throws -> URL { try file("rollbook") }

    /// The repository.
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Two small schools, written by hand: 1000 and 1001.
    static let smallSchools = repository.appendingPathComponent("core/examples/sample-school.ndjson")

    struct Missing: Error, CustomStringConvertible {
        let what: String
        var description: String { "\(what): run bindings/swift/test, which prepares it" }
    }
}

/// 2026-05-14T08:00:00Z, the instant for which the small schools are queried.
let today: Int64 = 1_778_745_600

/// The credentials of an integrator of the small schools.
let demo: KeyValuePairs = ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"]

/// Creates an engine in memory with the two small schools, whose clock is fixed to `today`.
func smallSchools() throws -> Engine {
    let engine = try Engine.memory(options: Options(fixedClock: today))
    try engine.apply(.file(Inputs.smallSchools))
    return engine
}

/// Returns the code of the error that an expression throws.
func code<T>(
    of work: @autoclosure () throws -> T, file: StaticString = #filePath, line: UInt = #line
) -> RollbookError.Code? {
    do {
        let result = try work()
        XCTFail("no error but \(result)", file: file, line: line)
    } catch let error as RollbookError {
        XCTAssertFalse(error.message.isEmpty, file: file, line: line)
        return error.code
    } catch {
        XCTFail("\(error)", file: file, line: line)
    }
    return nil
}

extension XCTestCase {
    /// Creates a folder that is removed at the end of the test.
    func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        addTeardownBlock { try FileManager.default.removeItem(at: folder) }
        return folder
    }
}
