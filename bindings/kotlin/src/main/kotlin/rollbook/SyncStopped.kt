package rollbook

/**
 * Reports that a sync cannot continue. The message says what to do next. Records that were
 * published before are still answered.
 *
 * @property reason the reason why the sync stopped
 */
class SyncStopped(val reason: StopReason) : Exception(reason.description)

private val StopReason.description: String
    get() =
        when (this) {
            StopReason.UNAUTHORISED ->
                "the service answered 401: check the credentials, and that the school has " +
                    "authorised the integrator"
            StopReason.WRONG_CREDENTIALS ->
                "the service answered 401 to the credentials: check the user name and the password"
            StopReason.SCHOOL_NOT_AUTHORISED ->
                "the service answered 401 to the school: check its id, and that it has authorised " +
                    "the integrator"
            StopReason.UNREACHABLE ->
                "the service could not be reached: check its address, and that it is running"
            StopReason.FORGOTTEN ->
                "the school was removed, or is no longer synced: start a new sync if it " +
                    "should be"
            StopReason.INCOMPLETE ->
                "the school's record or its current learners could not be fetched, so that nothing " +
                    "was published: try again later"
            StopReason.SUPERSEDED ->
                "another sync of the school was started since: continue that one"
        }
