import Foundation

/// Reports that a sync cannot continue. Records that were published before are still answered.
public struct SyncStopped: Error, LocalizedError, Equatable, CustomStringConvertible {
    /// Why the sync stopped.
    public let reason: StopReason

    /// The message, which says what to do next.
    public var description: String {
        switch reason {
        case .unauthorised:
            "the service answered 401: check the credentials, and that the school has authorised the integrator"
        case .wrongCredentials:
            "the service answered 401 to the credentials: check the user name and the password"
        case .schoolNotAuthorised:
            "the service answered 401 to the school: check its id, and that it has authorised the integrator"
        case .unreachable:
            "the service could not be reached: check its address, and that it is running"
        case .forgotten:
            "the school was removed, or is no longer synced: start a new sync if it should be"
        case .incomplete:
            "the school's record or its current learners could not be fetched, so that nothing was published: "
                + "try again later"
        case .superseded:
            "another sync of the school was started since: continue that one"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
