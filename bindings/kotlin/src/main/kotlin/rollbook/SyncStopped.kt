package rollbook

/**
 * A sync cannot go on, for the reason that [why] is; the message says what to do next. What was
 * published is answered.
 */
class SyncStopped(val why: Why) : Exception(why.words)

private val Why.words: String
    get() =
        when (this) {
            Why.UNAUTHORISED ->
                "the service answered 401: check the credentials, and that the school has " +
                    "authorised the integrator"
            Why.FORGOTTEN ->
                "the school was removed, or is no longer to be synced: begin a new sync if it " +
                    "should be"
            Why.INCOMPLETE ->
                "the school's record or its current learners could not be had, so that nothing " +
                    "was published: try again later"
            Why.SUPERSEDED ->
                "another sync of the school was begun since: let that one go on"
        }
