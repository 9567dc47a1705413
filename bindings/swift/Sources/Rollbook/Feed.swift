import Foundation

/// The changes for a follower, in pieces of about 64 KiB. Each piece consists of complete lines:
///
/// ```swift
/// for piece in try engine.feed(scope: scope, after: position) {
///     connection.send(Data(try piece.get().utf8))
/// }
/// ```
///
/// If the store fails, as `io` or `corrupt`, the piece is a failure, and is the last one. Call
/// ``cancel()`` if you leave the loop early and do not release the feed.
extension Feed: Sequence, IteratorProtocol {
    /// Returns the next lines, each with its line feed, or nil at the end and after a failure.
    public func next() -> Result<String, any Error>? {
        do {
            return try read().map(Result.success)
        } catch {
            try? cancel()
            return .failure(error)
        }
    }

    /// Returns all remaining lines, as one text.
    ///
    /// Fails as `io` or `corrupt` if the store fails.
    public func text() throws -> String {
        var text = ""
        while let piece = try read() { text += piece }
        return text
    }
}
