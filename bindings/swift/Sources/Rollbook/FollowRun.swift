import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Engine {
    /// Asks a server once for what changed since the last time, and takes it as it comes.
    ///
    /// ```swift
    /// var request = URLRequest(url: URL(string: "https://school.example.org/feed")!)
    /// request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    /// let changes = try await engine.follow(from: request, wait: 30)
    /// ```
    ///
    /// No redirect is followed, and nothing is cached. A task that is cancelled takes the request
    /// along. However it ends, what came to the end of a part is kept, and the next call goes on.
    /// If the server does not know any more where this store is, it sends everything, which comes
    /// in place of what is here.
    ///
    /// - Parameters:
    ///   - request: where the feed is, with the app's login; the address may have a query of its own.
    ///   - configuration: that of the session that is made for the request.
    ///   - wait: how long the server may wait for a change, in seconds.
    ///   - progress: hears after each piece how far the feed has come; it is cancelled if this
    ///     returns false or throws.
    ///
    /// Gives what was changed here; nil if nothing changed. A summary without records is one of a
    /// feed that brought a new position alone, in place of one that the server will forget before
    /// long. Throws ``FollowStopped`` if the server
    /// gives no feed or the connection fails, what `progress` throws, and `CancellationError`.
    /// Fails as `bad_dataset` if what comes is no feed or lacks its end; as `out_of_sync` if
    /// another call followed meanwhile; as `diverged` if this store was found to differ from the
    /// server's: the next call brings everything again, once; as `cancelled` if `progress` returned false; as `busy` or
    /// `io` if the store fails; as `bad_argument` if the request has no address.
    @discardableResult
    public func follow(
        from request: URLRequest, over configuration: URLSessionConfiguration = .ephemeral, wait: UInt16 = 0,
        progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary? {
        let following = Following(
            engine: self, request: request, configuration: configuration, wait: wait, progress: progress)
        let after = try await AsyncEngine.onThread(of: .global()) { try self.followed() }
        return try await following.ask(after: after)
    }
}

/// Where a feed is asked for, and who takes it.
private struct Following {
    let engine: Engine
    let request: URLRequest
    let configuration: URLSessionConfiguration
    let wait: UInt16
    let progress: (@Sendable (LoadProgress) throws -> Bool)?

    func ask(after: String?) async throws -> Summary? {
        try Task.checkCancellation()
        let request = try request(after: after)
        let taker = FeedTaker(engine: engine, progress: progress)
        let own = configuration.uncached(pause: request.timeoutInterval)
        let session = URLSession(configuration: own, delegate: taker, delegateQueue: nil)
        // A session holds its delegate until it is told to end.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    taker.hand { continuation.resume(with: $0) }
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        } catch let stopped as FollowStopped {
            try Task.checkCancellation()
            throw stopped
        }
    }

    private func request(after: String?) throws -> URLRequest {
        guard let url = request.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw RollbookError.BadArgument(message: "the request has no address: give that of the feed")
        }
        var asked = parts.queryItems ?? []
        if let after { asked.append(URLQueryItem(name: "after", value: after)) }
        if wait > 0 { asked.append(URLQueryItem(name: "wait", value: "\(wait)")) }
        parts.queryItems = asked.isEmpty ? nil : asked
        parts.fragment = nil
        var request = request
        request.url = parts.url
        // So long nothing may come.
        request.timeoutInterval = 20 + TimeInterval(wait)
        return request
    }
}

/// Takes a feed into an engine as it comes: no more of it is in memory than a piece. The session's
/// queue alone, one call after the other, touches all but what the lock guards.
private final class FeedTaker: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let engine: Engine
    private let progress: (@Sendable (LoadProgress) throws -> Bool)?
    private var follow: Follow?
    private var failure: (any Error)?

    private let lock = NSLock()
    private var waiting: ((Result<Summary?, any Error>) -> Void)?
    /// Of a task that was cancelled before somebody waited for it.
    private var early: Result<Summary?, any Error>?

    init(engine: Engine, progress: (@Sendable (LoadProgress) throws -> Bool)?) {
        self.engine = engine
        self.progress = progress
    }

    /// Says to whom the outcome is handed.
    func hand(_ resume: @escaping (Result<Summary?, any Error>) -> Void) {
        let ended: Result<Summary?, any Error>? = lock.withLock {
            if early == nil { waiting = resume }
            return early
        }
        if let ended { resume(ended) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        // The app's login would go along: it is an answer as any other.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard failure == nil, (dataTask.response as? HTTPURLResponse)?.statusCode == 200 else { return }
        do {
            let reached = try begun().push(bytes: data)
            if let progress, try !progress(reached) { throw Self.cancelled }
        } catch {
            failure = error
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let outcome = Result { try summary(of: task, error) }
        try? follow?.cancel()
        let resume: ((Result<Summary?, any Error>) -> Void)? = lock.withLock {
            if waiting == nil { early = outcome }
            return waiting
        }
        resume?(outcome)
    }

    private func summary(of task: URLSessionTask, _ error: Error?) throws -> Summary? {
        if let failure { throw failure }
        guard error == nil, let response = task.response as? HTTPURLResponse else {
            throw FollowStopped(status: nil)
        }
        switch response.statusCode {
        case 200: return try begun().finish()
        case 204: return nil
        default: throw FollowStopped(status: response.statusCode)
        }
    }

    private func begun() throws -> Follow {
        let begun = try follow ?? engine.follow()
        follow = begun
        return begun
    }

    private static var cancelled: RollbookError {
        .Cancelled(
            message: "the feed was cancelled: what came to the end of a part is kept, and the next call goes on")
    }
}
