import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Engine {
    /// Requests the changes since the last call from a server, once, and applies them while they
    /// are received.
    ///
    /// ```swift
    /// var request = URLRequest(url: URL(string: "https://school.example.org/feed")!)
    /// request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    /// let changes = try await engine.follow(from: request, wait: 30)
    /// ```
    ///
    /// Redirects are not followed, and nothing is cached. If the task is cancelled, the request is
    /// cancelled too. However the call ends, complete parts are stored, and the next call continues
    /// after them. If the position of this store is too old for the server, the server sends
    /// everything, which replaces the stored records.
    ///
    /// - Parameters:
    ///   - request: The address of the feed, which may contain a query, and the app's login.
    ///   - configuration: The configuration of the session for the request.
    ///   - wait: How long the server may wait for a change, in seconds.
    ///   - progress: Receives the progress of the feed after each piece. The call is cancelled if
    ///     this returns false or throws.
    ///
    /// Returns a summary of the changes, or nil if nothing changed. It contains no records if the
    /// feed only replaced the position, because it would soon be too old for the server. Throws
    /// ``FollowStopped`` if the server sends no feed or the connection fails, the error of
    /// `progress`, and `CancellationError`. Fails as `bad_dataset` if the response is not a feed or
    /// its end is missing; as `out_of_sync` if another call applied a feed meanwhile; as `diverged`
    /// if this store differs from the server's, in which case the next call fetches everything
    /// again, once; as `cancelled` if `progress` returned false; as `busy` or `io` if the store
    /// fails; as `bad_argument` if the request has no address.
    @discardableResult
    public func follow(
        from request: URLRequest, over configuration: URLSessionConfiguration = .ephemeral, wait: UInt16 = 0,
        progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary? {
        let feed = FeedRequest(
            engine: self, request: request, configuration: configuration, wait: wait, progress: progress)
        let after = try await AsyncEngine.onThread(of: .global()) { try self.followed() }
        return try await feed.send(after: after)
    }
}

/// The request for a feed, and the engine that applies the feed.
private struct FeedRequest {
    let engine: Engine
    let request: URLRequest
    let configuration: URLSessionConfiguration
    let wait: UInt16
    let progress: (@Sendable (LoadProgress) throws -> Bool)?

    func send(after: String?) async throws -> Summary? {
        try Task.checkCancellation()
        let request = try request(after: after)
        let receiver = FeedReceiver(engine: engine, progress: progress)
        let own = configuration.uncached(pause: request.timeoutInterval)
        let session = URLSession(configuration: own, delegate: receiver, delegateQueue: nil)
        // A session does not release its delegate before it is invalidated.
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: request)
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    receiver.onCompletion { continuation.resume(with: $0) }
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
        // The maximum time without a byte from the server.
        request.timeoutInterval = 20 + TimeInterval(wait)
        return request
    }
}

/// Applies a feed to an engine while it is received, so that only one piece of it is in memory.
/// Only the session's serial queue accesses the properties that the lock does not guard.
private final class FeedReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let engine: Engine
    private let progress: (@Sendable (LoadProgress) throws -> Bool)?
    private var follow: Follow?
    private var failure: (any Error)?

    private let lock = NSLock()
    private var waiting: ((Result<Summary?, any Error>) -> Void)?
    /// The outcome of a task that was cancelled before ``onCompletion(_:)`` was called.
    private var early: Result<Summary?, any Error>?

    init(engine: Engine, progress: (@Sendable (LoadProgress) throws -> Bool)?) {
        self.engine = engine
        self.progress = progress
    }

    /// Sets the closure that receives the outcome.
    func onCompletion(_ resume: @escaping (Result<Summary?, any Error>) -> Void) {
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
        // A redirect would disclose the app's login to another address, so it is not followed.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard failure == nil, (dataTask.response as? HTTPURLResponse)?.statusCode == 200 else { return }
        do {
            let reached = try startedFollow().push(bytes: data)
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
        case 200: return try startedFollow().finish()
        case 204: return nil
        default: throw FollowStopped(status: response.statusCode)
        }
    }

    /// Returns the feed that is being applied, and starts it at the first call.
    private func startedFollow() throws -> Follow {
        let started = try follow ?? engine.follow()
        follow = started
        return started
    }

    private static var cancelled: RollbookError {
        .Cancelled(
            message: "the feed was cancelled: complete parts are stored, and the next call continues")
    }
}
