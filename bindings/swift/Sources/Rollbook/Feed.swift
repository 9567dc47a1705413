import Foundation

/// What changed for a follower, in pieces of about 64 KiB, each of whole lines:
///
/// ```swift
/// for piece in try engine.feed(scope: scope, after: position) {
///     connection.send(Data(try piece.get().utf8))
/// }
/// ```
///
/// A piece is a failure if the store failed, as `io` or `corrupt`, and is the last one
/// then. Who leaves the loop early and keeps the feed should ``cancel()`` it.
extension Feed: Sequence, IteratorProtocol {
    /// The next lines, each with its line feed; nil at the end, and after a failure.
    public func next() -> Result<String, any Error>? {
        do {
            return try read().map(Result.success)
        } catch {
            try? cancel()
            return .failure(error)
        }
    }

    /// All lines that are left, as one text.
    ///
    /// Fails as `io` or `corrupt` if the store fails.
    public func text() throws -> String {
        var text = ""
        while let piece = try read() { text += piece }
        return text
    }
}
