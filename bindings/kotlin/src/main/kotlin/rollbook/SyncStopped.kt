package rollbook

/**
 * Reports that a sync cannot continue. The message says what to do next. Records that were
 * published before are still answered.
 *
 * @property reason the reason why the sync stopped
 * @property report the results so far. Its failed requests say what the service answered
 */
class SyncStopped(val reason: StopReason, val report: SyncReport) :
    RuntimeException(message(reason, report))

private fun message(reason: StopReason, report: SyncReport): String =
    when (reason) {
        StopReason.UNAUTHORISED ->
            "the service answered 401: check the credentials, and that the school has authorised " +
                "the integrator"
        StopReason.WRONG_CREDENTIALS ->
            "the service answered 401 to the credentials: check the user name and the password"
        StopReason.SCHOOL_NOT_AUTHORISED ->
            "the service answered 401 to the school: check its id, and that it has authorised " +
                "the integrator"
        StopReason.UNREACHABLE ->
            "the service could not be reached: check its address, and that it is running"
        StopReason.FORGOTTEN ->
            "the school was removed, or is no longer synced: start a new sync if it should be"
        StopReason.INCOMPLETE -> incomplete(report.failed.firstOrNull())
        StopReason.SUPERSEDED -> "another sync of the school was started since: continue that one"
    }

private fun incomplete(first: FailedRequest?): String {
    if (first == null) return "no answer could be fetched: try again later"
    val outcome = first.status?.let { "with status $it" } ?: "without a reply"
    return "no answer could be fetched: ${first.target} failed $outcome: ${first.reason}"
}
