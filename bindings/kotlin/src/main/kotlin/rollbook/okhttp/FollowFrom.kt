@file:JvmName("FollowFrom")

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
import rollbook.LoadListener
import rollbook.RollbookException
import rollbook.Summary
import rollbook.pushAll

/**
 * Requests the changes since the last call from a server, once, and applies them while they are
 * received.
 *
 * ```
 * val http = OkHttpClient.Builder().addInterceptor { chain ->
 *     chain.proceed(chain.request().newBuilder().header("Authorization", "Bearer $token").build())
 * }.build()
 * val changes = followFrom(http, engine, "https://school.example.org/feed", wait = 30)
 * ```
 *
 * The client sends the app's login. Redirects are not followed, and nothing is stored in the
 * client's cache. [progress] receives the progress of the feed after each piece, and cancels it by
 * returning false or throwing; cancelling the coroutine has the same effect. However the call ends,
 * complete parts are stored, and the next call continues after them. If the position of this store
 * is too old for the server, the server sends everything, which replaces the stored records.
 *
 * @param url the address of the feed, which may contain a query
 * @param wait how long the server may wait for a change, in seconds
 * @return a summary of the changes; null if nothing changed. It contains no records if the feed
 *   only replaced the position, because it would soon be too old for the server
 * @throws FollowStopped if the server sends no feed, or the connection fails
 * @throws RollbookException.BadDataset if the response is not a feed, or its end is missing
 * @throws RollbookException.OutOfSync if another call applied a feed meanwhile
 * @throws RollbookException.Diverged if this store differs from the server's. The next call fetches
 *   everything again, once
 * @throws RollbookException.Cancelled if [progress] returned false
 * @throws RollbookException.Busy if another operation on the store does not finish in time
 * @throws RollbookException.Io if the store cannot be written
 * @throws IllegalArgumentException if [url] is not an address, or [wait] is less than 0
 */
@JvmOverloads
suspend fun followFrom(
    http: OkHttpClient,
    engine: Engine,
    url: String,
    wait: Int = 0,
    progress: LoadListener? = null,
): Summary? {
    require(wait >= 0) { "a wait of $wait seconds is invalid: give 0 or more" }
    val following = Following(http, engine, url, wait, progress)
    return withContext(Dispatchers.IO) { following.ask(engine.followed()) }
}

/**
 * The maximum time without a byte from the server, in addition to the requested wait, in seconds.
 */
private const val PAUSE = 20L

private class Following(
    http: OkHttpClient,
    private val engine: Engine,
    url: String,
    private val wait: Int,
    private val progress: LoadListener?,
) {
    private val url = url.toHttpUrl()

    // The responses are personal data, so they are not cached. The feed of a whole school may take
    // long, so there is no limit for the call.
    private val http =
        http
            .newBuilder()
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(0, SECONDS)
            .readTimeout(PAUSE + wait, SECONDS)
            .cache(null)
            .build()

    /** Requests and applies a feed. When it has ended, nothing writes to the store any more. */
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
                engine.follow().use { it.pushAll({ connected { body.read(it) } }, progress) }
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
