package rollbook

/**
 * No feed came from the server, or not all of one. What came to the end of a part is kept, and the
 * next call goes on.
 *
 * @property status what the server answered, as 401; null if the connection failed
 */
class FollowStopped(val status: Int?, cause: Throwable? = null) : Exception(words(status), cause)

private fun words(status: Int?): String =
    when (status) {
        null ->
            "the connection to the server failed: what came to the end of a part is kept, and the " +
                "next call goes on"
        401, 403 -> "the server answered $status: check the login that the client sends"
        in 300..399 ->
            "the server answered $status: no redirect is followed, give the feed's own address"
        else -> "the server answered $status and no feed: try again later"
    }
