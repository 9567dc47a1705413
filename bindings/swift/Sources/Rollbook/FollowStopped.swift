import Foundation

/// No feed came from the server, or not all of one. What came to the end of a part is kept, and
/// the next call goes on.
public struct FollowStopped: Error, LocalizedError, Equatable, CustomStringConvertible {
    /// What the server answered, as 401; nil if the connection failed.
    public let status: Int?

    /// What to do next.
    public var description: String {
        switch status {
        case nil:
            "the connection to the server failed: what came to the end of a part is kept, and the next call goes on"
        case let status? where status == 401 || status == 403:
            "the server answered \(status): check the login that is sent"
        case let status? where (300..<400).contains(status):
            "the server answered \(status): no redirect is followed, give the feed's own address"
        case let status?:
            "the server answered \(status) and no feed: try again later"
        }
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}
