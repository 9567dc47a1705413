@file:JvmName("SyncWith")

package rollbook.okhttp

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.cancelChildren
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.onTimeout
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.withContext
import okhttp3.OkHttpClient
import rollbook.Call
import rollbook.RollbookException
import rollbook.Step
import rollbook.Sync
import rollbook.SyncProgress
import rollbook.SyncReport
import rollbook.SyncStopped

/**
 * Syncs a school with the service at a base address.
 *
 * ```
 * val report = syncWith(
 *     OkHttpClient(), engine.sync(1000), "https://integrate.example.org", username, password,
 * )
 * ```
 *
 * The credentials are sent only in the headers `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`. Redirects
 * are not followed, and nothing is stored in the client's cache. [progress] receives the progress
 * of the sync after each reply and about once a second, and cancels the sync by returning false.
 * Cancelling the coroutine has the same effect; the calls in flight are cancelled too. However the
 * sync ends, the replies so far are stored, and the next sync of the school continues.
 *
 * @param baseAddress the scheme, the host, the port, and the path of the service if it has one
 * @throws SyncStopped if the sync cannot continue, for example because the credentials are wrong
 * @throws RollbookException.Cancelled if [progress] returned false
 * @throws RollbookException.Busy if the store is repeatedly busy
 * @throws RollbookException.Io if the store cannot be written
 * @throws IllegalArgumentException if the address is invalid, or a credential cannot be sent
 */
@JvmOverloads
suspend fun syncWith(
    http: OkHttpClient,
    sync: Sync,
    baseAddress: String,
    username: String,
    password: String,
    progress: ((SyncProgress) -> Boolean)? = null,
): SyncReport {
    val service = Service(http, baseAddress, username, password)
    return SyncDriver(sync, service::send, progress, System::currentTimeMillis).run()
}

/** Runs a sync. It does not depend on the HTTP client. The clock returns milliseconds. */
internal class SyncDriver(
    private val sync: Sync,
    private val send: suspend (Call) -> CallResult,
    private val progress: ((SyncProgress) -> Boolean)?,
    private val clock: () -> Long,
) {
    private val results = Channel<Pair<Long, CallResult>>(Channel.UNLIMITED)

    /** Runs the sync on the threads for blocking calls. The HTTP client has its own threads. */
    suspend fun run(): SyncReport =
        withContext(Dispatchers.IO) {
            coroutineScope {
                try {
                    runSteps()
                } finally {
                    coroutineContext.cancelChildren()
                }
            }
        }

    private suspend fun CoroutineScope.runSteps(): SyncReport {
        while (true) {
            when (val step = retryIfBusy { sync.next(now()) }) {
                is Step.Send -> launch { results.send(step.call.id to send(step.call)) }
                is Step.Wait -> await(step.until)
                is Step.Done -> return step.report
                is Step.Stop -> throw SyncStopped(step.reason, step.report)
            }
        }
    }

    private suspend fun await(until: Long) {
        if (progress?.invoke(sync.progress()) == false) {
            throw RollbookException.Cancelled(
                "the sync was cancelled: the replies so far are stored, and the school's next sync continues"
            )
        }
        val (call, result) = first((until * 1000 - clock()).coerceIn(10, TICK)) ?: return
        retryIfBusy {
            when (result) {
                is CallResult.Replied -> sync.handleReply(call, now(), result.reply)
                is CallResult.Failed -> sync.handleFailure(call, now(), result.failure)
            }
        }
    }

    /** Returns the next result of a call, or null if there is none in time. */
    @OptIn(ExperimentalCoroutinesApi::class)
    private suspend fun first(milliseconds: Long): Pair<Long, CallResult>? = select {
        results.onReceive { it }
        onTimeout(milliseconds) { null }
    }

    /** Calls a function, and repeats it if it fails as busy or io. Nothing is lost then. */
    private suspend fun <T> retryIfBusy(work: () -> T): T {
        repeat(TRIES - 1) {
            try {
                return work()
            } catch (_: RollbookException.Busy) {
                delay(TICK)
            } catch (_: RollbookException.Io) {
                delay(TICK)
            }
        }
        return work()
    }

    private fun now() = clock() / 1000

    private companion object {
        /** The interval in which the listener is called while no reply arrives, in milliseconds. */
        const val TICK = 1000L

        /** The number of attempts for an operation that fails because the store is busy. */
        const val TRIES = 3
    }
}
