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
 * Fills a school from the service at a base address.
 *
 * ```
 * val report = syncWith(
 *     OkHttpClient(), engine.sync(1000u), "https://integrate.example.org", username, password,
 * )
 * ```
 *
 * The credentials go into the headers `HTTP-X-USERNAME` and `HTTP-X-PASSWORD` and nowhere else; no
 * redirect is followed, and nothing is kept in the client's cache. [progress] hears how far it has
 * come, after each reply and about once a second, and cancels it by returning false; so does
 * cancelling the coroutine, and the calls that are out go with it. However it ends, what was taken
 * is kept, and the next sync of the school goes on.
 *
 * @param baseAddress scheme, host, port, and a path if the service is below one
 * @throws SyncStopped if it cannot go on, as with wrong credentials
 * @throws RollbookException.Cancelled if [progress] said so
 * @throws RollbookException.Busy if somebody else is at work on the store again and again
 * @throws RollbookException.Io if the store could not be written
 * @throws IllegalArgumentException if the address or a credential is of no form that can be sent
 */
suspend fun syncWith(
    http: OkHttpClient,
    sync: Sync,
    baseAddress: String,
    username: String,
    password: String,
    progress: ((SyncProgress) -> Boolean)? = null,
): SyncReport {
    val service = Service(http, baseAddress, username, password)
    return Driving(sync, service::answer, progress, System::currentTimeMillis).report()
}

/** How a sync is driven, whatever sends its calls; the clock gives milliseconds. */
internal class Driving(
    private val sync: Sync,
    private val send: suspend (Call) -> Answered,
    private val progress: ((SyncProgress) -> Boolean)?,
    private val clock: () -> Long,
) {
    private val answers = Channel<Pair<ULong, Answered>>(Channel.UNLIMITED)

    /** The calls wait on threads of the client's own, the engine on those for what blocks. */
    suspend fun report(): SyncReport =
        withContext(Dispatchers.IO) {
            coroutineScope {
                try {
                    driven()
                } finally {
                    coroutineContext.cancelChildren()
                }
            }
        }

    private suspend fun CoroutineScope.driven(): SyncReport {
        while (true) {
            when (val step = persevering { sync.next(now()) }) {
                is Step.Send -> launch { answers.send(step.call.id to send(step.call)) }
                is Step.Wait -> await(step.until)
                is Step.Done -> return step.report
                is Step.Stop -> throw SyncStopped(step.reason)
            }
        }
    }

    private suspend fun await(until: Long) {
        if (progress?.invoke(sync.progress()) == false) {
            throw RollbookException.Cancelled(
                "the sync was cancelled: the replies so far are stored, and the school's next sync continues"
            )
        }
        val (call, answered) = first((until * 1000 - clock()).coerceIn(10, TICK)) ?: return
        persevering {
            when (answered) {
                is Answered.With -> sync.handleReply(call, now(), answered.reply)
                is Answered.Not -> sync.handleFailure(call, now(), answered.failure)
            }
        }
    }

    /** The next reply, if one comes in time. */
    @OptIn(ExperimentalCoroutinesApi::class)
    private suspend fun first(milliseconds: Long): Pair<ULong, Answered>? = select {
        answers.onReceive { it }
        onTimeout(milliseconds) { null }
    }

    /** Nothing is lost by what failed as busy or io: it is tried again. */
    private suspend fun <T> persevering(work: () -> T): T {
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
        /** So often the listener is asked while nothing comes, in milliseconds. */
        const val TICK = 1000L
        const val TRIES = 3
    }
}
