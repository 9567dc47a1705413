import Foundation

/// An ``Engine`` for `async` code: its calls run on threads of their own, so that none
/// of them holds up an actor or the pool that tasks share.
///
/// A task that is cancelled while it loads cancels the load: the call ends first, with
/// nothing kept, and then throws `CancellationError`. If the load was complete before it
/// could be cancelled, its summary is returned. All other calls run to their end.
public final class AsyncEngine: Sendable {
    /// The engine that is asked; it may be used beside this one.
    public let engine: Engine

    private let threads = DispatchQueue(label: "rollbook", attributes: .concurrent)

    /// Asks this engine.
    public init(_ engine: Engine) {
        self.engine = engine
    }

    /// Opens the store in a file, as ``Engine/open(path:options:)``.
    public static func open(path: String, options: Options? = nil) async throws -> AsyncEngine {
        // Opening may look through a whole file that was left half compacted.
        try await onThread(of: .global()) { AsyncEngine(try Engine.open(path: path, options: options)) }
    }

    /// Opens an empty store in memory, as ``Engine/memory(options:)``.
    public static func memory(options: Options? = nil) throws -> AsyncEngine {
        AsyncEngine(try Engine.memory(options: options))
    }

    /// As ``Engine/request(_:)``.
    public func request(_ request: Request) async throws -> Answer {
        try await run { try $0.request(request) }
    }

    /// As ``Engine/requests(_:)``.
    public func requests(_ requests: [Request]) async throws -> [Answer] {
        try await run { try $0.requests(requests) }
    }

    /// As ``Engine/ask(_:now:)``.
    public func ask(_ question: Question, now: Int64? = nil) async throws -> Answer {
        try await run { try $0.ask(question, now: now) }
    }

    /// As ``Engine/page(_:_:now:)``.
    public func page(_ question: Question, _ page: Page = Page(), now: Int64? = nil) async throws -> Answer {
        try await run { try $0.page(question, page, now: now) }
    }

    /// As ``Engine/find(_:now:)``.
    public func find(_ question: Question, now: Int64? = nil) async throws -> Answer {
        try await run { try $0.find(question, now: now) }
    }

    /// As ``Engine/setState(username:school:apiTypeId:active:)``.
    public func setState(
        username: String, school: UInt64, apiTypeId: UInt64, active: Bool
    ) async throws -> Answer {
        try await run {
            try $0.setState(username: username, school: school, apiTypeId: apiTypeId, active: active)
        }
    }

    /// As ``Engine/upgrade(_:)``.
    public func upgrade(_ target: String) async throws -> Upgrade {
        try await run { try $0.upgrade(target) }
    }

    /// As ``Engine/apply(_:progress:)-(Dataset,_)``; cancelled with its task.
    @discardableResult
    public func apply(
        _ dataset: Dataset, progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary {
        try await load(progress) { try $0.apply(dataset, progress: $1) }
    }

    /// As ``Engine/replaceSchool(_:with:progress:)-(_,Dataset,_)``; cancelled with its task.
    @discardableResult
    public func replaceSchool(
        _ school: UInt64, with dataset: Dataset, progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary {
        try await load(progress) { try $0.replaceSchool(school, with: dataset, progress: $1) }
    }

    /// Applies the dataset whose bytes a sequence gives piece by piece, such as an
    /// `AsyncStream<Data>`; cancelled with its task. Throws what the sequence throws, and
    /// nothing is kept then.
    @discardableResult
    public func apply<Pieces: AsyncSequence>(
        _ pieces: Pieces, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Pieces.Element == Data {
        try await take(pieces, into: run { try $0.load() }, progress)
    }

    /// Applies the dataset whose bytes a sequence gives piece by piece and that is the
    /// whole of one school; cancelled with its task.
    @discardableResult
    public func replaceSchool<Pieces: AsyncSequence>(
        _ school: UInt64, with pieces: Pieces, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Pieces.Element == Data {
        try await take(pieces, into: run { try $0.loadSchool(school: school) }, progress)
    }

    /// Applies the dataset whose bytes a sequence gives one by one, such as
    /// `URLSession.AsyncBytes`; cancelled with its task.
    @discardableResult
    public func apply<Bytes: AsyncSequence>(
        bytes: Bytes, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Bytes.Element == UInt8 {
        try await apply(Pieces(bytes: bytes), progress: progress)
    }

    /// Applies the dataset whose bytes a sequence gives one by one and that is the whole
    /// of one school; cancelled with its task.
    @discardableResult
    public func replaceSchool<Bytes: AsyncSequence>(
        _ school: UInt64, bytes: Bytes, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Bytes.Element == UInt8 {
        try await replaceSchool(school, with: Pieces(bytes: bytes), progress: progress)
    }

    /// As ``Engine/check(_:limit:)``.
    public func check(_ dataset: Dataset, limit: UInt32 = 100) async throws -> [Fault] {
        try await run { try $0.check(dataset, limit: limit) }
    }

    /// As ``Engine/removeSchool(school:)``.
    @discardableResult
    public func removeSchool(_ school: UInt64) async throws -> Summary {
        try await run { try $0.removeSchool(school: school) }
    }

    /// As ``Engine/eraseLearner(school:learner:)``.
    @discardableResult
    public func eraseLearner(school: UInt64, learner: UInt64) async throws -> Summary {
        try await run { try $0.eraseLearner(school: school, learner: learner) }
    }

    /// As ``Engine/sync(school:options:)``; ``Sync/run(over:at:username:password:progress:)``
    /// drives what it gives.
    public func sync(_ school: UInt64, options: SyncOptions? = nil) async throws -> Sync {
        try await run { try $0.sync(school: school, options: options) }
    }

    /// As ``Engine/synced(school:)``.
    public func synced(_ school: UInt64) async throws -> Coverage? {
        try await run { try $0.synced(school: school) }
    }

    /// As ``Engine/forgetSync(school:)``.
    public func forgetSync(_ school: UInt64) async throws {
        try await run { try $0.forgetSync(school: school) }
    }

    /// As ``Engine/feed(scope:after:)``. What it gives blocks.
    public func feed(_ scope: Scope, after: String? = nil) async throws -> Feed {
        try await run { try $0.feed(scope: scope, after: after) }
    }

    /// As ``Engine/follow()``. What it gives blocks; ``Engine/follow(from:over:wait:progress:)``
    /// follows a server.
    public func follow() async throws -> Follow {
        try await run { try $0.follow() }
    }

    /// As ``Engine/followed()``.
    public func followed() async throws -> String? {
        try await run { try $0.followed() }
    }

    /// As ``Engine/exportScope(scope:)``; its lines are read with `for try await`.
    public func exportScope(_ scope: Scope) async throws -> ExportedPieces {
        ExportedPieces(export: try await run { try $0.exportScope(scope: scope) }, engine: self)
    }

    /// As ``Engine/export(credentials:)``; its lines are read with `for try await`.
    public func export(credentials: Credentials) async throws -> ExportedPieces {
        ExportedPieces(export: try await run { try $0.export(credentials: credentials) }, engine: self)
    }

    /// As ``Engine/exportPseudonymised(key:)``; its lines are read with `for try await`.
    public func exportPseudonymised(key: Data) async throws -> ExportedPieces {
        ExportedPieces(export: try await run { try $0.exportPseudonymised(key: key) }, engine: self)
    }

    /// As ``Engine/verify()``.
    public func verify() async throws -> Verification {
        try await run { try $0.verify() }
    }

    /// As ``Engine/compact()``.
    public func compact() async throws {
        try await run { try $0.compact() }
    }

    /// As ``Engine/backup(path:credentials:)``.
    public func backup(path: String, credentials: Credentials) async throws {
        try await run { try $0.backup(path: path, credentials: credentials) }
    }

    /// As ``Engine/suspend()``.
    public func suspend() async throws {
        try await run { try $0.suspend() }
    }

    /// As ``Engine/resume()``.
    public func resume() async throws {
        try await run { try $0.resume() }
    }

    /// As ``Engine/stats()``.
    public func stats() async throws -> Stats {
        try await run { try $0.stats() }
    }

    /// As ``Engine/close()``.
    public func close() async throws {
        try await run { try $0.close() }
    }
}

/// The lines of an export, in pieces of about 64 KiB, each of whole lines.
///
/// It fails as `reader_ended` if another call waits to erase, compact or suspend, and the
/// sequence is not read to its end within five seconds.
public struct ExportedPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Element = String

    fileprivate let export: Export
    fileprivate let engine: AsyncEngine

    /// The sequence itself: it can be read once.
    public func makeAsyncIterator() -> ExportedPieces { self }

    /// The next lines, each with its line feed; nil at the end.
    public func next() async throws -> String? {
        try Task.checkCancellation()
        return try await engine.run { [export] _ in try export.read() }
    }
}

extension AsyncEngine {
    fileprivate func run<T: Sendable>(_ call: @escaping @Sendable (Engine) throws -> T) async throws -> T {
        try await Self.onThread(of: threads) { [engine] in try call(engine) }
    }

    static func onThread<T: Sendable>(
        of queue: DispatchQueue, _ call: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: call)) }
        }
    }

    private typealias Heard = @Sendable (LoadProgress) throws -> Bool

    /// The continuation resumes when the call has ended, whoever is cancelled meanwhile.
    private func load(
        _ progress: Heard?, _ load: @escaping @Sendable (Engine, @escaping Heard) throws -> Summary
    ) async throws -> Summary {
        try Task.checkCancellation()
        let cancelled = Flag()
        return try await withTaskCancellationHandler {
            try await run { engine in
                do {
                    return try load(engine) { try !cancelled.isUp && progress?($0) ?? true }
                } catch let error as RollbookError where error.code == .cancelled && cancelled.isUp {
                    throw CancellationError()
                }
            }
        } onCancel: {
            cancelled.raise()
        }
    }

    private func take<Pieces: AsyncSequence>(
        _ pieces: Pieces, into load: Load, _ progress: ((LoadProgress) throws -> Bool)?
    ) async throws -> Summary where Pieces.Element == Data {
        do {
            for try await piece in pieces {
                try Task.checkCancellation()
                let reached = try await run { _ in try load.push(bytes: piece) }
                if let progress, try !progress(reached) { throw Load.cancelled }
            }
            try Task.checkCancellation()
            return try await run { _ in try load.finish() }
        } catch {
            try await run { _ in try load.cancel() }
            throw error
        }
    }
}

/// Bytes in the pieces that a load takes.
private struct Pieces<Bytes: AsyncSequence>: AsyncSequence where Bytes.Element == UInt8 {
    typealias Element = Data

    let bytes: Bytes

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: Bytes.AsyncIterator

        mutating func next() async throws -> Data? {
            var piece = Data(capacity: Load.pieceBytes)
            while piece.count < Load.pieceBytes, let byte = try await bytes.next() {
                piece.append(byte)
            }
            return piece.isEmpty ? nil : piece
        }
    }
}

/// Raised by one thread, seen by others.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var raised = false

    var isUp: Bool { lock.withLock { raised } }

    func raise() { lock.withLock { raised = true } }
}
