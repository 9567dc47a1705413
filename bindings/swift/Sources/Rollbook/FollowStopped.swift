import Foundation

/// Reports that the server sent no feed, or an incomplete one. Complete parts are stored, and the
/// next call continues after them.
public struct FollowStopped: Error, LocalizedError, Equatable, CustomStringConvertible {
    /// The status of the server's answer, for example 401; nil if the connection failed.
    public let status: Int?

    /// The message, which says what to do next.
    public var description: String {
        switch status {
        case nil:
            "the connection to the server failed: complete parts are stored, and the next call continues"
        case let status? where status == 401 || status == 403:
            "the server answered \(status): check the login that is sent"
        case let status? where (300..<400).contains(status):
            "the server answered \(status): redirects are not followed: give the feed's own address"
        case let status?:
            "the server answered \(status) and no feed: try again later"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
