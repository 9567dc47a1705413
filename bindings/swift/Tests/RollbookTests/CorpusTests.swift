import Foundation
import Rollbook
import XCTest

/// Every case of the corpus, each in an engine of its own.
final class CorpusTests: XCTestCase {
    func testEveryCase() throws {
        let lines = try String(contentsOf: Inputs.corpus(), encoding: .utf8).split(separator: "\n")
        let cases = try lines.map { try JSONDecoder().decode(CorpusCase.self, from: Data($0.utf8)) }
        let totals = Totals()
        DispatchQueue.concurrentPerform(iterations: cases.count) { place in
            do {
                totals.add(requests: try runToEnd(cases[place]))
            } catch {
                totals.failures.add("\(cases[place].name)\n\(error)")
            }
        }
        let failures = totals.failures.all
        print("corpus: \(totals.cases) cases, \(totals.requests) requests")
        XCTAssertEqual(failures.count, 0, failures.prefix(10).joined(separator: "\n\n"))
        let size = try JSONDecoder().decode(CorpusSize.self, from: Data(contentsOf: Inputs.corpusSize()))
        XCTAssertEqual(CorpusSize(cases: totals.cases, requests: totals.requests), size)
    }
}

/// The totals of the cases that ran to their end. Several threads run cases, because most of the
/// time is spent on hashing passwords.
private final class Totals: @unchecked Sendable {
    let failures = Failures()
    private let lock = NSLock()
    private(set) var cases = 0
    private(set) var requests = 0

    func add(requests: Int) {
        lock.withLock { (cases, self.requests) = (cases + 1, self.requests + requests) }
    }
}

/// Runs a case to its end, and returns the number of its requests.
private func runToEnd(_ corpusCase: CorpusCase) throws -> Int {
    let engine = try Engine.memory()
    defer { try? engine.close() }
    var cursors = Cursors()
    var requests = 0
    for (place, step) in corpusCase.steps.enumerated() {
        do {
            if case .request(let asked) = step {
                requests += 1
                try ask(asked, engine, &cursors)
            } else {
                try take(step, engine)
            }
        } catch let difference as Difference {
            throw Difference(what: "step \(place + 1): \(difference.what)")
        }
    }
    try same("problems", try engine.verify().problems, [])
    return requests
}

private func take(_ step: CorpusCase.Step, _ engine: Engine) throws {
    switch step {
    case .apply(let dataset, let expected):
        try change(expected) { try engine.apply(.text(dataset)) }
    case .replaceSchool(let school, let dataset, let expected):
        try change(expected) { try engine.replaceSchool(school, with: .text(dataset)) }
    case .removeSchool(let school, let expected):
        try change(expected) { try engine.removeSchool(school: school) }
    case .eraseLearner(let school, let learner, let expected):
        try change(expected) { try engine.eraseLearner(school: school, learner: learner) }
    case .check(let dataset, let limit, let faults):
        let found = try engine.check(.text(dataset), limit: limit).map { "line \($0.line): \($0.what)" }
        guard found.count == faults.count, zip(faults, found).allSatisfy({ $0.fits($1) }) else {
            throw Difference(what: "found \(found)\nexpected \(faults)")
        }
    case .export(let lines):
        let found = try engine.export(credentials: .leaveOut).text()
        // Strings in Swift are equal if they are canonically equivalent, but these must be equal
        // byte for byte.
        guard found.utf8.elementsEqual(lines.utf8) else {
            throw Difference(what: "export\n  found    \(found)\n  expected \(lines)")
        }
    case .request:
        preconditionFailure("asked by itself")
    }
}

private func ask(_ asked: CorpusCase.Asked, _ engine: Engine, _ cursors: inout Cursors) throws {
    guard let target = cursors.target(asked.target) else {
        throw Difference(what: "no answer before gave a cursor of \(asked.target)")
    }
    let answer = try engine.request(Request(
        target: target,
        method: asked.method,
        headers: asked.headers.map { Header(name: $0[0], value: $0[1]) },
        body: asked.body,
        now: asked.now
    ))
    let what = "\(asked.method) \(asked.target)"
    if !cursors.fit(answer.body, asked.answer) {
        throw Difference(what: "\(what)\n  found    \(answer.body)\n  expected \(asked.answer)")
    }
    try same(what, answer.status, asked.status)
    try same(what, answer.header("Allow"), asked.allow)
    try same(what, answer.header("Content-Length"), String(answer.body.utf8.count))
}

private func change(_ expected: CorpusCase.Expected, _ change: () throws -> Summary) throws {
    do {
        let counts = try change().kinds.sorted { $0.key < $1.key }.map {
            "\($0.key) +\($0.value.added) ~\($0.value.changed) -\($0.value.removed) .\($0.value.unchanged)"
        }
        if let fault = expected.fault { throw Difference(what: "no fault, but \(fault)") }
        if !expected.counts.isEmpty { try same("counts", counts, expected.counts) }
    } catch let error as RollbookError {
        guard error.code == .badDataset, let fault = expected.fault, fault.fits(error.message) else {
            throw Difference(what: "\(error), and not \(String(describing: expected.fault))")
        }
    }
}

private func same<T: Equatable>(_ what: String, _ found: T, _ expected: T) throws {
    guard found == expected else {
        throw Difference(what: "\(what)\n  found    \(found)\n  expected \(expected)")
    }
}

private struct Difference: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
}
