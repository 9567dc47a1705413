package rollbook

/**
 * Reports that the server sent no feed, or an incomplete one. Complete parts are stored, and the
 * next call continues after them.
 *
 * @property status the status of the server's answer, for example 401; null if the connection
 *   failed
 */
class FollowStopped(val status: Int?, cause: Throwable? = null) :
    RuntimeException(describe(status), cause)

private fun describe(status: Int?): String =
    when (status) {
        null ->
            "the connection to the server failed: complete parts are stored, and the next " +
                "call continues"
        401, 403 -> "the server answered $status: check the login that the client sends"
        in 300..399 ->
            "the server answered $status: redirects are not followed: give the feed's own address"
        else -> "the server answered $status and no feed: try again later"
    }
