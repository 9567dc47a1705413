package rollbook

import java.io.InputStream
import java.nio.file.Path
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.isActive
import kotlinx.coroutines.withContext

/**
 * An [Engine] for coroutines. Each function runs the engine's function of the same name on
 * [dispatcher], and suspends until it is finished.
 *
 * ```
 * val school = AsyncEngine(Engine.open("school.redb"))
 * school.apply(Path("school.ndjson"))
 * ```
 *
 * A coroutine that is cancelled first waits until its call has ended. A load is cancelled within 64
 * KiB in this case, and nothing of it is stored, unless it was already being committed: then it is
 * stored completely. Any other call is completed.
 *
 * @param engine the engine, which can also be used directly
 * @param dispatcher the dispatcher on which calls block; the default is [Dispatchers.IO]
 */
class AsyncEngine
@JvmOverloads
constructor(
    val engine: Engine,
    private val dispatcher: CoroutineDispatcher = Dispatchers.IO,
) {
    /** @see Engine.request */
    suspend fun request(request: Request): Answer = blocking { request(request) }

    /** @see Engine.request */
    suspend fun request(
        target: String,
        vararg headers: Pair<String, String>,
        method: String = "GET",
        body: String = "",
        now: Long? = null,
    ): Answer = request(Request(target, method, headersOf(*headers), body, now))

    /** @see Engine.requests */
    suspend fun requests(requests: List<Request>): List<Answer> = blocking { requests(requests) }

    /** @see Engine.ask */
    suspend fun ask(question: Question, now: Long? = null): Answer = blocking { ask(question, now) }

    /** @see Engine.page */
    suspend fun page(question: Question, page: Page = Page(), now: Long? = null): Answer =
        blocking {
            page(question, page, now)
        }

    /** @see Engine.find */
    suspend fun find(question: Question, now: Long? = null): Answer = blocking {
        find(question, now)
    }

    /** @see Engine.setState */
    suspend fun setState(
        username: String,
        school: Long,
        apiTypeId: Long,
        active: Boolean,
    ): Answer = blocking { setState(username, school, apiTypeId, active) }

    /** @see Engine.upgrade */
    suspend fun upgrade(target: String): Upgrade = blocking { upgrade(target) }

    /** @see Engine.apply */
    suspend fun apply(dataset: Dataset, progress: LoadListener? = null): Summary =
        loading(progress) { apply(dataset, it) }

    /** @see Engine.apply */
    suspend fun apply(text: String, progress: LoadListener? = null): Summary =
        apply(Dataset.Text(text), progress)

    /** @see Engine.apply */
    suspend fun apply(file: Path, progress: LoadListener? = null): Summary =
        apply(Dataset.File(file.toString()), progress)

    /** @see Engine.apply */
    suspend fun apply(stream: InputStream, progress: LoadListener? = null): Summary =
        loading(progress) { apply(stream, it) }

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: Long,
        dataset: Dataset,
        progress: LoadListener? = null,
    ): Summary = loading(progress) { replaceSchool(school, dataset, it) }

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: Long,
        text: String,
        progress: LoadListener? = null,
    ): Summary = replaceSchool(school, Dataset.Text(text), progress)

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: Long,
        file: Path,
        progress: LoadListener? = null,
    ): Summary = replaceSchool(school, Dataset.File(file.toString()), progress)

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: Long,
        stream: InputStream,
        progress: LoadListener? = null,
    ): Summary = loading(progress) { replaceSchool(school, stream, it) }

    /** @see Engine.check */
    suspend fun check(dataset: Dataset, limit: Int = 100): List<Fault> = blocking {
        check(dataset, limit)
    }

    /** @see Engine.removeSchool */
    suspend fun removeSchool(school: Long): Summary = blocking { removeSchool(school) }

    /** @see Engine.eraseLearner */
    suspend fun eraseLearner(school: Long, learner: Long): Summary = blocking {
        eraseLearner(school, learner)
    }

    /**
     * Starts a sync of a school, or resumes it. The functions of the result block; `syncWith` of
     * `rollbook.okhttp` runs the sync from a coroutine.
     *
     * @see Engine.sync
     */
    suspend fun sync(school: Long, options: SyncOptions = SyncOptions()): Sync = blocking {
        sync(school, options)
    }

    /** @see Engine.synced */
    suspend fun synced(school: Long): Coverage? = blocking { synced(school) }

    /** @see Engine.forgetSync */
    suspend fun forgetSync(school: Long): Unit = blocking { forgetSync(school) }

    /**
     * Returns the feed with the changes for a follower of a scope. The functions of the result
     * block.
     *
     * @see Engine.feed
     */
    suspend fun feed(scope: Scope, after: String? = null): Feed = blocking { feed(scope, after) }

    /**
     * Observes the feeds of a scope. The functions of the result block.
     *
     * @see Engine.observeFeed
     */
    suspend fun observeFeed(scope: Scope, listener: ChangeListener): LiveFeed =
        blocking { observeFeed(scope, listener) }

    /**
     * Begins to apply a feed. The functions of the result block; `followFrom` of `rollbook.okhttp`
     * fetches a feed from a coroutine and applies it.
     *
     * @see Engine.follow
     */
    suspend fun follow(): Follow = blocking { follow() }

    /** @see Engine.followed */
    suspend fun followed(): String? = blocking { followed() }

    /**
     * Returns the lines of an export in pieces of about 64 KiB. Each collection of the flow starts
     * an export of its own, which shows the store as it is then and ends with the collection.
     *
     * @see Engine.export
     */
    fun export(credentials: Credentials): Flow<String> = exported { export(credentials) }

    /**
     * Like [export], but with the records of a scope.
     *
     * @see Engine.exportScope
     */
    fun exportScope(scope: Scope): Flow<String> = exported { exportScope(scope) }

    /**
     * Like [export], but under pseudonyms. [key] consists of 32 random bytes.
     *
     * @see Engine.exportPseudonymised
     */
    fun exportPseudonymised(key: ByteArray): Flow<String> = exported { exportPseudonymised(key) }

    private fun exported(begin: Engine.() -> Export): Flow<String> = flow {
        engine.begin().use { export ->
            for (piece in export.pieces()) emit(piece)
        }
    }
        .flowOn(dispatcher)

    /**
     * Returns the current answer of [ask], and a new one whenever its status or its bytes change.
     * This can happen after a change of the data from which the answer is made, and when another
     * day begins at the school.
     *
     * Each collection of the flow starts a live query of its own, which ends with the collection.
     * No thread is blocked meanwhile. If the collector is slow, intermediate answers are skipped.
     * Answers arrive in order, and each one differs from the one before it. The flow completes when
     * the engine is closed; while the engine is suspended, it waits. An error is delivered once, as
     * a failed result, and the live query continues: `not_synced` if the school is synced and the
     * requested data was not fetched; `io` or `corrupt` if the store fails. The flow itself fails
     * as `bad_argument` if a text is not a date. `map { it.getOrThrow() }` results in a flow of
     * answers that ends with the first error.
     *
     * @see Engine.observe
     */
    fun observe(question: Question): Flow<Result<Answer>> =
        answers(dispatcher) { engine.observe(question, it) }

    /**
     * Like [observe], but with the answers of [find].
     *
     * @see Engine.observeRecord
     */
    fun observeRecord(question: Question): Flow<Result<Answer>> =
        answers(dispatcher) { engine.observeRecord(question, it) }

    /** @see Engine.verify */
    suspend fun verify(): Verification = blocking { verify() }

    /** @see Engine.compact */
    suspend fun compact(): Unit = blocking { compact() }

    /** @see Engine.backup */
    suspend fun backup(file: Path, credentials: Credentials): Unit = blocking {
        backup(file, credentials)
    }

    /** @see Engine.suspend */
    suspend fun suspend(): Unit = blocking { suspend() }

    /** @see Engine.resume */
    suspend fun resume(): Unit = blocking { resume() }

    /** @see Engine.stats */
    suspend fun stats(): Stats = blocking { stats() }

    /** @see Engine.close */
    suspend fun close(): Unit = blocking { close() }

    private suspend fun <T> blocking(call: Engine.() -> T): T =
        withContext(dispatcher) { engine.call() }

    /** Runs a load, which is cancelled with its coroutine. It ends before the coroutine does. */
    private suspend fun loading(
        progress: LoadListener?,
        load: Engine.(LoadListener) -> Summary,
    ): Summary =
        withContext(dispatcher) {
            try {
                engine.load(LoadListener { isActive && progress?.progress(it) != false })
            } catch (cancelled: RollbookException.Cancelled) {
                ensureActive()
                throw cancelled
            }
        }
}
