package rollbook.okhttp

import java.io.IOException
import java.util.concurrent.TimeUnit.SECONDS
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.Response
import rollbook.Engine
import rollbook.FollowStopped
import rollbook.Progress
import rollbook.RollbookException
import rollbook.Summary
import rollbook.pour

/**
 * Asks a server once for what changed since the last time, and takes it as it comes.
 *
 * ```
 * val http = OkHttpClient.Builder().addInterceptor { chain ->
 *     chain.proceed(chain.request().newBuilder().header("Authorization", "Bearer $token").build())
 * }.build()
 * val changes = followFrom(http, engine, "https://school.example.org/feed", wait = 30)
 * ```
 *
 * The client brings the app's login along; no redirect is followed, and nothing is kept in its
 * cache. [progress] hears after each piece how far the feed has come, and cancels it by returning
 * false or throwing; so does cancelling the coroutine. However it ends, what came to the end of a
 * part is kept, and the next call goes on. If the server does not know any more where this store
 * is, it sends everything, which comes in place of what is here.
 *
 * @param url where the feed is; it may have a query of its own
 * @param wait how long the server may wait for a change, in seconds
 * @return what was changed here; null if nothing changed. A summary without records is one of a
 *   feed that brought a new position alone, in place of one that the server will forget before long
 * @throws FollowStopped if the server gives no feed, or the connection fails
 * @throws RollbookException.BadDataset if what comes is no feed, or lacks its end
 * @throws RollbookException.OutOfSync if another call followed meanwhile
 * @throws RollbookException.Diverged if this store was found to differ from the server's: the next
 *   call brings everything again, once
 * @throws RollbookException.Cancelled if [progress] said so
 * @throws RollbookException.Busy if somebody else is at work on the store
 * @throws RollbookException.Io if the store could not be written
 * @throws IllegalArgumentException if [url] is none, or [wait] is less than 0
 */
suspend fun followFrom(
    http: OkHttpClient,
    engine: Engine,
    url: String,
    wait: Int = 0,
    progress: ((Progress) -> Boolean)? = null,
): Summary? {
    require(wait >= 0) { "a wait of $wait seconds is none: give 0 or more" }
    val following = Following(http, engine, url, wait, progress)
    return withContext(Dispatchers.IO) { following.ask(engine.followed()) }
}

/** How long nothing may come from the server beside the wait that it was asked for, in seconds. */
private const val PAUSE = 20L

private class Following(
    http: OkHttpClient,
    private val engine: Engine,
    url: String,
    private val wait: Int,
    private val progress: ((Progress) -> Boolean)?,
) {
    private val url = url.toHttpUrl()

    // What is answered is personal data. All of a school may take its time.
    private val http =
        http
            .newBuilder()
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(0, SECONDS)
            .readTimeout(PAUSE + wait, SECONDS)
            .cache(null)
            .build()

    /** The store is not written to any more when it has ended, whoever was cancelled. */
    suspend fun ask(after: String?): Summary? = withContext(Dispatchers.IO) {
        val call = http.newCall(request(after))
        val watching = launch(start = CoroutineStart.UNDISPATCHED) {
            try {
                awaitCancellation()
            } finally {
                call.cancel()
            }
        }
        try {
            connected { call.execute() }.use(::take)
        } catch (stopped: FollowStopped) {
            ensureActive()
            throw stopped
        } finally {
            watching.cancel()
        }
    }

    private fun request(after: String?): Request {
        val asked = url.newBuilder()
        if (after != null) asked.addQueryParameter("after", after)
        if (wait > 0) asked.addQueryParameter("wait", "$wait")
        return Request.Builder().url(asked.build()).build()
    }

    private fun take(response: Response): Summary? =
        when (response.code) {
            200 -> {
                val body = response.body.source()
                engine.follow().use { it.pour({ connected { body.read(it) } }, progress) }
            }
            204 -> null
            else -> throw FollowStopped(response.code)
        }

    private inline fun <T> connected(work: () -> T): T =
        try {
            work()
        } catch (failed: IOException) {
            throw FollowStopped(null, failed)
        }
}
