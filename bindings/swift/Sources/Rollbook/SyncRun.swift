import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Sync {
    /// Runs the sync with the service at a base address, over `URLSession`.
    ///
    /// ```swift
    /// let report = try await engine.sync(school: 1000).run(
    ///     at: URL(string: "https://integrate.example.org")!, username: username, password: password)
    /// ```
    ///
    /// The credentials are sent only in the headers `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`.
    /// Redirects are not followed, and nothing is cached. If the task is cancelled, the calls in
    /// flight are cancelled too. However the sync ends, the replies so far are stored, and the next
    /// sync of the school continues.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session for the calls.
    ///   - base: The scheme, the host, the port, and the path of the service if it has one.
    ///   - progress: Receives the progress of the sync after each reply and about once a second.
    ///     The sync is cancelled if this returns false or throws.
    ///
    /// Throws ``SyncStopped`` if the sync cannot continue, for example because the credentials are
    /// wrong, the error of `progress`, and `CancellationError`. Fails as `cancelled` if `progress`
    /// returned false; as `busy` or `io` if the store fails repeatedly; as `bad_argument` if the
    /// address is invalid, or a credential cannot be sent.
    @discardableResult
    public func run(
        over configuration: URLSessionConfiguration = .ephemeral, at base: URL,
        username: String, password: String,
        progress: (@Sendable (SyncProgress) throws -> Bool)? = nil
    ) async throws -> SyncReport {
        let service = try Service(configuration, at: base, username: username, password: password)
        defer { service.close() }
        let run = SyncRun(sync: self, service: service, progress: progress) { Date().timeIntervalSince1970 }
        return try await run.report()
    }
}

/// A run of a sync. The clock returns seconds since 1970-01-01T00:00:00Z.
struct SyncRun: Sendable {
    let sync: Sync
    let service: Service
    let progress: (@Sendable (SyncProgress) throws -> Bool)?
    let clock: @Sendable () -> Double

    /// The interval in which `progress` is called while no reply arrives, in seconds.
    private static let tick = 1.0
    /// The number of attempts for an operation that fails because the store is busy.
    private static let tries = 3

    private enum Event: Sendable {
        case ended(UInt64, CallResult)
        case ticked
    }

    func report() async throws -> SyncReport {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            // There is only one timer at a time. If a reply arrives first, the next wait reuses it.
            var isTicking = false
            while true {
                try Task.checkCancellation()
                switch try await retryIfBusy({ try sync.next(now: now()) }) {
                case .send(let call):
                    let request = try service.request(call)
                    group.addTask { .ended(call.id, await service.send(request)) }
                case .wait(let until):
                    if let progress, try !progress(sync.progress()) { throw Self.cancelled }
                    if !isTicking {
                        isTicking = true
                        let pause = min(max(Double(until) - clock(), 0.01), Self.tick)
                        group.addTask {
                            try? await Task.sleep(nanoseconds: UInt64(pause * 1e9))
                            return .ticked
                        }
                    }
                    switch try await group.next() {
                    case .ended(let call, let result): try await pass(call, result)
                    case .ticked, nil: isTicking = false
                    }
                case .done(let report): return report
                case .stop(let reason, let report): throw SyncStopped(reason: reason, report: report)
                }
            }
        }
    }

    /// Passes the result of a call to the sync.
    private func pass(_ call: UInt64, _ result: CallResult) async throws {
        _ = try await retryIfBusy {
            switch result {
            case .reply(let reply): try sync.handleReply(call: call, now: now(), reply: reply)
            case .failure(let failure): try sync.handleFailure(call: call, now: now(), failure: failure)
            }
        }
    }

    /// Calls a function on a thread of its own, because the engine blocks. It is repeated if it
    /// fails as busy or io; nothing is lost then.
    private func retryIfBusy<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        for _ in 1..<Self.tries {
            do {
                return try await AsyncEngine.onThread(of: .global(), work)
            } catch let error as RollbookError where error.code == .busy || error.code == .io {
                try await Task.sleep(nanoseconds: UInt64(Self.tick * 1e9))
            }
        }
        return try await AsyncEngine.onThread(of: .global(), work)
    }

    private func now() -> Int64 { Int64(clock()) }

    private static var cancelled: RollbookError {
        .Cancelled(message: "the sync was cancelled: the replies so far are stored, and the school's next sync continues")
    }
}
