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
 * An [Engine] for coroutines: each function runs the engine's function of the same name on
 * [dispatcher] and suspends until it is done.
 *
 * ```
 * val school = AsyncEngine(Engine.open("school.redb"))
 * school.apply(Path("school.ndjson"))
 * ```
 *
 * A coroutine that is cancelled waits until its call has ended, and is cancelled then. A load of a
 * cancelled coroutine is given up within 64 KiB, and nothing of it is kept; if it was being written
 * already, all of it is. Whatever else had begun is done.
 *
 * @param engine the engine, which may be used directly as well
 * @param dispatcher where calls block; [Dispatchers.IO] unless given
 */
class AsyncEngine(
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
        school: ULong,
        apiTypeId: ULong,
        active: Boolean,
    ): Answer = blocking { setState(username, school, apiTypeId, active) }

    /** @see Engine.upgrade */
    suspend fun upgrade(target: String): Upgrade = blocking { upgrade(target) }

    /** @see Engine.apply */
    suspend fun apply(dataset: Dataset, progress: ((Progress) -> Boolean)? = null): Summary =
        loading(progress) { apply(dataset, it) }

    /** @see Engine.apply */
    suspend fun apply(text: String, progress: ((Progress) -> Boolean)? = null): Summary =
        apply(Dataset.Text(text), progress)

    /** @see Engine.apply */
    suspend fun apply(file: Path, progress: ((Progress) -> Boolean)? = null): Summary =
        apply(Dataset.File(file.toString()), progress)

    /** @see Engine.apply */
    suspend fun apply(stream: InputStream, progress: ((Progress) -> Boolean)? = null): Summary =
        loading(progress) { apply(stream, it) }

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: ULong,
        dataset: Dataset,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = loading(progress) { replaceSchool(school, dataset, it) }

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: ULong,
        text: String,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = replaceSchool(school, Dataset.Text(text), progress)

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: ULong,
        file: Path,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = replaceSchool(school, Dataset.File(file.toString()), progress)

    /** @see Engine.replaceSchool */
    suspend fun replaceSchool(
        school: ULong,
        stream: InputStream,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = loading(progress) { replaceSchool(school, stream, it) }

    /** @see Engine.check */
    suspend fun check(dataset: Dataset, limit: UInt = 100u): List<Fault> = blocking {
        check(dataset, limit)
    }

    /** @see Engine.removeSchool */
    suspend fun removeSchool(school: ULong): Summary = blocking { removeSchool(school) }

    /** @see Engine.eraseLearner */
    suspend fun eraseLearner(school: ULong, learner: ULong): Summary = blocking {
        eraseLearner(school, learner)
    }

    /**
     * Begins or goes on with the syncing of a school. What it gives blocks; `syncWith` of
     * `rollbook.okhttp` drives it from a coroutine.
     *
     * @see Engine.sync
     */
    suspend fun sync(school: ULong, options: SyncOptions = SyncOptions()): Sync = blocking {
        sync(school, options)
    }

    /** @see Engine.synced */
    suspend fun synced(school: ULong): Coverage? = blocking { synced(school) }

    /** @see Engine.forgetSync */
    suspend fun forgetSync(school: ULong): Unit = blocking { forgetSync(school) }

    /**
     * What changed for a follower of a scope. What it gives blocks.
     *
     * @see Engine.feed
     */
    suspend fun feed(scope: Scope, after: String? = null): Feed = blocking { feed(scope, after) }

    /**
     * Observes the feeds of a scope. The live feed that it returns blocks while it looks.
     *
     * @see Engine.observeFeed
     */
    suspend fun observeFeed(scope: Scope, listener: ChangeListener): LiveFeed =
        blocking { observeFeed(scope, listener) }

    /**
     * Begins to take a feed. What it gives blocks; `followFrom` of `rollbook.okhttp` drives one from
     * a coroutine.
     *
     * @see Engine.follow
     */
    suspend fun follow(): Follow = blocking { follow() }

    /** @see Engine.followed */
    suspend fun followed(): String? = blocking { followed() }

    /**
     * The lines of an export in pieces of about 64 KiB. Each collection is an export of its own, of
     * the moment at which it begins, and ends with the collection.
     *
     * @see Engine.export
     */
    fun export(credentials: Credentials): Flow<String> = exported { export(credentials) }

    /**
     * As [export], of a scope.
     *
     * @see Engine.exportScope
     */
    fun exportScope(scope: Scope): Flow<String> = exported { exportScope(scope) }

    /**
     * As [export], under other names: [key] is 32 random bytes.
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
     * The answer that [ask] gives, and again whenever its status or its bytes change: after a change
     * of the data that it is made from, and when another day begins at the school.
     *
     * Each collection is a live query of its own, which ends with it; no thread waits. A collector
     * that is slow misses answers that are out of date by then: none is older than the one before
     * it, and none the same. It completes when the engine is closed; while the engine is suspended
     * it waits. An error is a failed result, each once, and the live query continues: `not_synced`
     * if the school is synced and what is asked was not seen; `io` or `corrupt` if the store fails.
     * The flow itself fails as `bad_argument` if a text is no date. `map { it.getOrThrow() }` makes
     * a flow of answers that ends with the first error.
     *
     * @see Engine.observe
     */
    fun observe(question: Question): Flow<Result<Answer>> =
        answers(dispatcher) { engine.observe(question, it) }

    /**
     * As [observe], but with the answers of [find].
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

    /** A load that a cancelled coroutine gives up; it ends before the cancellation is reported. */
    private suspend fun loading(
        progress: ((Progress) -> Boolean)?,
        load: Engine.((Progress) -> Boolean) -> Summary,
    ): Summary =
        withContext(dispatcher) {
            try {
                engine.load { isActive && progress?.invoke(it) != false }
            } catch (cancelled: RollbookException.Cancelled) {
                ensureActive()
                throw cancelled
            }
        }
}
