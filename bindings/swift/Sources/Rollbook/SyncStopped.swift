import Foundation

/// Reports that a sync cannot continue. Records that were published before are still answered.
public struct SyncStopped: Error, LocalizedError, Equatable, CustomStringConvertible {
    /// Why the sync stopped.
    public let reason: StopReason
    /// The results so far. Its failed requests say what the service answered.
    public let report: SyncReport

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
            "no answer could be fetched: \(firstFailure ?? "try again later")"
        case .superseded:
            "another sync of the school was started since: continue that one"
        }
    }

    private var firstFailure: String? {
        report.failed.first.map { first in
            let outcome = first.status.map { "with status \($0)" } ?? "without a reply"
            return "\(first.target) failed \(outcome): \(first.reason)"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
