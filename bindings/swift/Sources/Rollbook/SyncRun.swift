import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Sync {
    /// Drives the sync over `URLSession`, from the service at a base address.
    ///
    /// ```swift
    /// let report = try await engine.sync(school: 1000).run(
    ///     at: URL(string: "https://integrate.example.org")!, username: username, password: password)
    /// ```
    ///
    /// The credentials go into the headers `HTTP-X-USERNAME` and `HTTP-X-PASSWORD` and nowhere
    /// else; no redirect is followed, and nothing is cached. A task that is cancelled takes the
    /// calls along that are out. However it ends, the replies so far are stored, and the next sync of
    /// the school goes on.
    ///
    /// - Parameters:
    ///   - configuration: that of the session that is made for the calls.
    ///   - base: scheme, host, port, and a path if the service is below one.
    ///   - progress: hears how far it has come, after each reply and about once a second; the
    ///     sync is cancelled if it returns false or throws.
    ///
    /// Throws ``SyncStopped`` if it cannot go on, as with wrong credentials, what `progress`
    /// throws, and `CancellationError`. Fails as `cancelled` if `progress` returned false; as
    /// `busy` or `io` if the store fails again and again; as `bad_argument` if the address or a
    /// credential is of no form that can be sent.
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

/// How a sync is driven; the clock gives seconds.
struct SyncRun: Sendable {
    let sync: Sync
    let service: Service
    let progress: (@Sendable (SyncProgress) throws -> Bool)?
    let clock: @Sendable () -> Double

    /// So often `progress` is asked while nothing comes, in seconds.
    private static let tick = 1.0
    private static let tries = 3

    private enum Event: Sendable {
        case answered(UInt64, Answered)
        case ticked
    }

    func report() async throws -> SyncReport {
        try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            // One at a time: a reply that comes first leaves it to the next wait.
            var isTicking = false
            while true {
                try Task.checkCancellation()
                switch try await persevering({ try sync.next(now: now()) }) {
                case .send(let call):
                    let request = try service.request(call)
                    group.addTask { .answered(call.id, await service.answer(to: request)) }
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
                    case .answered(let call, let answered): try await handIn(call, answered)
                    case .ticked, nil: isTicking = false
                    }
                case .done(let report): return report
                case .stop(let reason): throw SyncStopped(reason: reason)
                }
            }
        }
    }

    private func handIn(_ call: UInt64, _ answered: Answered) async throws {
        _ = try await persevering {
            switch answered {
            case .reply(let reply): try sync.handleReply(call: call, now: now(), reply: reply)
            case .none(let failure): try sync.handleFailure(call: call, now: now(), failure: failure)
            }
        }
    }

    /// Nothing is lost by what failed as busy or io: it is tried again. The engine blocks, on
    /// a thread of its own.
    private func persevering<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
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
