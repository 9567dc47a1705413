import Foundation

extension Engine {
    /// Fills a school from the service, or goes on with a pass that was left under way. What
    /// was not seen of it is `not_synced` afterwards, and in requests a 503. Nothing is sent
    /// by this: ``Sync/run(over:at:username:password:progress:)`` drives what it gives.
    ///
    /// Fails as `bad_argument` or `unsupported` if an option is of no form that it may have;
    /// as `suspended` or `closed`, or as `io`.
    public func sync(_ school: UInt64, options: SyncOptions = SyncOptions()) throws -> Sync {
        try sync(school: school, options: options)
    }

    /// What was seen of a school that is synced, and when; nothing of any other school.
    ///
    /// Fails as `suspended` or `closed`; as `io` or `corrupt` if the store fails.
    public func synced(_ school: UInt64) throws -> Coverage? {
        try synced(school: school)
    }

    /// Ends the syncing of a school. Its records stay, and are taken for all there is: what
    /// was not seen is answered as if there were nothing. The app may change them from here
    /// on. A school that is not synced stays as it is.
    ///
    /// Fails as `busy` or `io`; nothing is changed then.
    public func forgetSync(_ school: UInt64) throws {
        try forgetSync(school: school)
    }
}

extension Sync {
    /// Asks for a path and query of v1 about the school next, whether it was asked in this
    /// pass or not.
    ///
    /// Fails as `unsupported` if sync does not ask for such a target.
    public func want(_ target: String) throws {
        try want(target: target)
    }

    /// Says that what the report calls held is right: the next step publishes it.
    ///
    /// Fails as `unsupported` if nothing of this target is held back.
    public func confirm(_ target: String) throws {
        try confirm(target: target)
    }
}

/// A sync cannot go on. What was published is answered.
public struct SyncStopped: Error, LocalizedError, Equatable, CustomStringConvertible {
    /// The reason.
    public let why: Why

    /// What to do next.
    public var description: String {
        switch why {
        case .unauthorised:
            "the service answered 401: check the credentials, and that the school has authorised the integrator"
        case .forgotten:
            "the school was removed, or is no longer to be synced: begin a new sync if it should be"
        case .incomplete:
            "the school's record or its current learners could not be had, so that nothing was published: "
                + "try again later"
        case .superseded:
            "another sync of the school was begun since: let that one go on"
        }
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}
