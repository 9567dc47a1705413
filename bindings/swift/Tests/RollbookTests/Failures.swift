import Foundation

/// The failures on several threads.
final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var failures: [String] = []

    var all: [String] { lock.withLock { failures } }

    func add(_ failure: String) { lock.withLock { failures.append(failure) } }
}
