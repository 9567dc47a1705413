import Foundation
import XCTest

/// Checks that the generated source contains the documentation of the crate `ffi`.
final class DocumentationTests: XCTestCase {
    private func generated() throws -> [String] {
        let file = Inputs.repository.appendingPathComponent(
            "bindings/swift/Sources/Rollbook/Generated/Rollbook.swift")
        return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }

    func testApplyIsDocumented() throws {
        let lines = try generated()
        let declaration = try XCTUnwrap(lines.firstIndex { $0.hasPrefix("open func apply(dataset:") })
        let end = lines[declaration - 1].trimmingCharacters(in: .whitespaces)
        XCTAssertEqual(end, "*/")
        let start = try XCTUnwrap(lines[..<declaration].lastIndex { $0.hasSuffix("/**") })
        let text = lines[start..<declaration].joined(separator: "\n")
        XCTAssertTrue(text.contains("Applies a dataset: all of it, durably, or nothing."), text)
        XCTAssertTrue(text.contains("Fails as `bad_dataset` for the first fault, with its line"), text)
    }

    /// Each line that documents a public item in `ffi` is completely contained in a comment of the
    /// generated source, so no text ends its comment early.
    func testEveryTextIsCarriedOver() throws {
        let comments = Set(try generated().compactMap(comment))
        let folder = Inputs.repository.appendingPathComponent("ffi/src")
        var carried = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasSuffix(".rs") {
            let source = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            var block: [String] = []
            for line in source.components(separatedBy: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
                if line.hasPrefix("///") {
                    block.append(line.dropFirst(3).trimmingCharacters(in: .whitespaces))
                } else if !line.hasPrefix("#[") {
                    if line.hasPrefix("pub ") {
                        for text in block where !text.isEmpty {
                            XCTAssertTrue(comments.contains(text), "\(name): \(text)")
                            carried += 1
                        }
                    }
                    block = []
                }
            }
        }
        print("documentation: \(carried) lines carried over")
        XCTAssertGreaterThan(carried, 150)
    }

    private func comment(of line: String) -> String? {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard line.hasPrefix("* ") else { return nil }
        return line.dropFirst(2).trimmingCharacters(in: .whitespaces)
    }
}
