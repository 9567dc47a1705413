import Foundation

/// The successive answers to a question: see ``Engine/observe(_:)``.
///
/// Each loop over the sequence starts a live query of its own, which ends with the loop. No thread
/// is blocked meanwhile. If the loop is slow, intermediate answers are skipped. Answers arrive in
/// order, and each one differs from the one before it.
public struct Answers: AsyncSequence, Sendable {
    public typealias Element = Answer

    fileprivate typealias Observe = @Sendable (any ChangeListener) throws -> LiveQuery

    fileprivate let observe: Observe

    /// Returns an iterator, whose live query starts with the first call of `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(observe: observe) }

    /// An iterator over the answers, which waits for each of them.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observe: Observe
        private let due = Due()
        private var query: LiveQuery?
        /// Whether the question is invalid, so that the live query could not be started.
        private var isInvalid = false

        fileprivate init(observe: @escaping Observe) {
            self.observe = observe
        }

        /// Waits for the next answer; the first one is available immediately. Returns nil once the
        /// engine is closed. An error is thrown once, and the live query continues: the next call
        /// waits for the answer that follows, or returns nil if the question is invalid. If the
        /// task is cancelled, the live query ends and this throws `CancellationError`.
        public mutating func next() async throws -> Answer? {
            if isInvalid { return nil }
            let query: LiveQuery
            do {
                query = try self.query ?? observe(due)
            } catch {
                isInvalid = true
                throw error
            }
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
    /// Observes a question. The sequence returns the current answer of ``ask(_:now:)``, and a new
    /// one whenever its status or its bytes change. This can happen after a change of the data from
    /// which the answer is made, and when another day begins at the school.
    ///
    /// ```swift
    /// for try await answer in engine.observe(.grades(school: 1000)) { print(answer.body) }
    /// ```
    ///
    /// The live query ends when the engine is closed; while the engine is suspended, it waits. It
    /// throws `not_synced` if the school is synced and the requested data was not fetched; `io` or
    /// `corrupt` if the store fails; `bad_argument` if a text is not a date, which ends the live
    /// query. An error ends a `for` loop, but not an iterator of your own, which returns the answer
    /// that follows:
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

    /// Observes one record in the format of v2. It works like ``observe(_:)``, but with the answers
    /// of ``find(_:now:)``.
    public func observeRecord(_ question: Question) -> Answers {
        Answers { try self.observeRecord(question: question, listener: $0) }
    }
}

extension AsyncEngine {
    /// Like ``Engine/observe(_:)``.
    public func observe(_ question: Question) -> Answers { engine.observe(question) }

    /// Like ``Engine/observeRecord(_:)``.
    public func observeRecord(_ question: Question) -> Answers { engine.observeRecord(question) }
}

/// A listener that resumes a waiting task. Calls before the task waits count as one.
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
