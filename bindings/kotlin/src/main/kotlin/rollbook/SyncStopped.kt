package rollbook

/**
 * Reports that a sync cannot continue. The message says what to do next. Records that were
 * published before are still answered.
 *
 * @property reason the reason why the sync stopped
 */
class SyncStopped(val reason: StopReason) : Exception(reason.words)

private val StopReason.words: String
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
                "the service could not be reached: check its address, and that it is up"
            StopReason.FORGOTTEN ->
                "the school was removed, or is no longer to be synced: begin a new sync if it " +
                    "should be"
            StopReason.INCOMPLETE ->
                "the school's record or its current learners could not be had, so that nothing " +
                    "was published: try again later"
            StopReason.SUPERSEDED ->
                "another sync of the school was begun since: let that one go on"
        }
