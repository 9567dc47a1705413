import Foundation

/// The successive answers to a question: see ``Engine/observe(_:)``.
///
/// Each loop over it is a live query of its own, which ends with the loop; no thread waits. A slow
/// loop misses answers that are out of date by then. Answers arrive in order, and each one differs
/// from the one before it.
public struct Answers: AsyncSequence, Sendable {
    public typealias Element = Answer

    fileprivate typealias Observe = @Sendable (any ChangeListener) throws -> LiveQuery

    fileprivate let observe: Observe

    /// Begins when the first answer is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(observe: observe) }

    /// Waits for one answer after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observe: Observe
        private let due = Due()
        private var query: LiveQuery?

        fileprivate init(observe: @escaping Observe) {
            self.observe = observe
        }

        /// The next answer, the first one at once; nil once the engine is closed. An error
        /// is thrown once and does not end it: the next call waits for the answer that follows.
        /// The task's cancellation ends it, and throws `CancellationError`.
        public mutating func next() async throws -> Answer? {
            let query = try self.query ?? observe(due)
            self.query = query
            do {
                while true {
                    try Task.checkCancellation()
                    let answer = try await AsyncEngine.onThread(of: .global()) { try query.poll() }
                    if let answer { return answer }
                    if query.isOver() { return nil }
                    await due.wait()
                }
            } catch let error as CancellationError {
                query.cancel()
                throw error
            }
        }
    }
}

extension Engine {
    /// Observes a question: the answer that ``ask(_:now:)`` gives, and again whenever its
    /// status or its bytes change. They change after a change of the data that it is made
    /// from, and when another day begins at the school.
    ///
    /// ```swift
    /// for try await answer in engine.observe(.grades(school: 1000)) { print(answer.body) }
    /// ```
    ///
    /// It ends when the engine is closed; while the engine is suspended it waits. It throws
    /// `not_synced` if the school is synced and what is asked was not seen; `io` or `corrupt`
    /// if the store fails; `bad_argument` if a text is no date. An error leaves a `for` loop; an
    /// iterator of your own goes on, and gives the answer that follows:
    ///
    /// ```swift
    /// var answers = engine.observe(.grades(school: 1000)).makeAsyncIterator()
    /// var isOver = false
    /// while !isOver {
    ///     do {
    ///         while let answer = try await answers.next() { print(answer.body) }
    ///         isOver = true
    ///     } catch let error as RollbookError { print(error) }
    /// }
    /// ```
    public func observe(_ question: Question) -> Answers {
        Answers { try self.observe(question: question, listener: $0) }
    }

    /// Observes one record as v2 answers it: as ``observe(_:)``, but with the answers of
    /// ``find(_:now:)``.
    public func observeRecord(_ question: Question) -> Answers {
        Answers { try self.observeRecord(question: question, listener: $0) }
    }
}

extension AsyncEngine {
    /// As ``Engine/observe(_:)``.
    public func observe(_ question: Question) -> Answers { engine.observe(question) }

    /// As ``Engine/observeRecord(_:)``.
    public func observeRecord(_ question: Question) -> Answers { engine.observeRecord(question) }
}

/// Wakes who waits: once for all calls before.
private final class Due: ChangeListener, @unchecked Sendable {
    private let lock = NSLock()
    private var isRaised = false
    private var waiting: CheckedContinuation<Void, Never>?

    func changed() { raise() }

    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = lock.withLock {
                    defer { isRaised = false }
                    if !isRaised { waiting = continuation }
                    return isRaised
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }

    private func raise() {
        let woken = lock.withLock {
            defer { waiting = nil }
            isRaised = waiting == nil
            return waiting
        }
        woken?.resume()
    }
}
