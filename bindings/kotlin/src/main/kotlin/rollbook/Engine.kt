package rollbook

import java.io.InputStream
import java.nio.file.Path

/**
 * The integration API of a school administration system, over a store on this device.
 *
 * Load the data of a school as a dataset and send the same requests as to the service. The engine
 * answers with the exact JSON of v1 or v2, and implements every rule.
 *
 * ```
 * Engine.open("school.redb").use { engine ->
 *     engine.apply(Path("school.ndjson"))
 *     engine.ask(Question.Learners(school = 1000, includeParents = true)).body
 * }
 * ```
 *
 * An engine can be used from several threads at once. Every call blocks until it is finished; most
 * calls take microseconds. [AsyncEngine] suspends instead. Any failure that is not an answer is a
 * [RollbookException] with a stable [code].
 *
 * Ids are unsigned 64-bit integers. An id above 2^63-1 is the negative `Long` with the same bits,
 * which [java.lang.Long.parseUnsignedLong] returns; [java.lang.Long.toUnsignedString] returns its
 * text.
 */
class Engine internal constructor(private val native: NativeEngine) :
    NativeEngineInterface by native, AutoCloseable {
    internal val handle = Direct.EngineHandle(native)

    override fun request(request: Request): Answer =
        Direct.answer(handle, Direct.REQUEST, Direct.sizeOf(request)) { into ->
            Direct.write(request, into)
        }

    override fun requests(requests: List<Request>): List<Answer> =
        Direct.answers(handle, requests)

    override fun ask(question: Question, now: Long?): Answer =
        callWith(Direct.ASK, question, null, now)

    override fun find(question: Question, now: Long?): Answer =
        callWith(Direct.FIND, question, null, now)

    override fun page(question: Question, page: Page, now: Long?): Answer =
        callWith(Direct.PAGE, question, page, now)

    private fun callWith(call: Byte, question: Question, page: Page?, now: Long?): Answer {
        val least = FfiConverterTypeQuestion.allocationSize(question).toLong() + 9
        val size = least + (page?.let(FfiConverterTypePage::allocationSize)?.toLong() ?: 0)
        return Direct.answer(handle, call, size) { into ->
            FfiConverterTypeQuestion.write(question, into)
            if (page != null) FfiConverterTypePage.write(page, into)
            FfiConverterOptionalLong.write(now, into)
        }
    }

    /**
     * Answers a request as the service does, including the access checks. [target] is the path and
     * the query string. [now] is the instant for which the request is answered, in seconds since
     * 1970-01-01T00:00:00Z.
     *
     * @see NativeEngineInterface.request
     */
    @JvmSynthetic
    fun request(
        target: String,
        vararg headers: Pair<String, String>,
        method: String = "GET",
        body: String = "",
        now: Long? = null,
    ): Answer = request(Request(target, method, headersOf(*headers), body, now))

    /**
     * Applies a dataset: all of it, durably, or nothing. [listener] receives the progress of the
     * load about every 64 KiB. If it returns false or throws an exception, the load is cancelled
     * and nothing of it is stored. This function throws the same exception.
     *
     * @see NativeEngineInterface.apply
     */
    override fun apply(dataset: Dataset, listener: LoadListener?): Summary =
        loadWithListener(listener) { native.apply(dataset, it) }

    /** Applies the lines of [text]. */
    @JvmOverloads
    fun apply(text: String, progress: LoadListener? = null): Summary =
        apply(Dataset.Text(text), progress)

    /** Applies a file, which is read during the load. */
    @JvmOverloads
    fun apply(file: Path, progress: LoadListener? = null): Summary =
        apply(Dataset.File(file.toString()), progress)

    /** Applies the content of [stream], in pieces of 64 KiB. The stream is not closed. */
    @JvmOverloads
    fun apply(stream: InputStream, progress: LoadListener? = null): Summary =
        load().use { it.pushAll(stream, progress) }

    /**
     * Applies a dataset that contains one school completely. Stored records of the school that the
     * dataset lacks are removed. [listener] is that of [apply].
     *
     * @see NativeEngineInterface.replaceSchool
     */
    override fun replaceSchool(school: Long, dataset: Dataset, listener: LoadListener?): Summary =
        loadWithListener(listener) { native.replaceSchool(school, dataset, it) }

    /** Replaces a school by the lines of [text]. */
    @JvmOverloads
    fun replaceSchool(
        school: Long,
        text: String,
        progress: LoadListener? = null,
    ): Summary = replaceSchool(school, Dataset.Text(text), progress)

    /** Replaces a school by a file, which is read during the load. */
    @JvmOverloads
    fun replaceSchool(
        school: Long,
        file: Path,
        progress: LoadListener? = null,
    ): Summary = replaceSchool(school, Dataset.File(file.toString()), progress)

    /** Replaces a school by the content of [stream], in pieces of 64 KiB. The stream stays open. */
    @JvmOverloads
    fun replaceSchool(
        school: Long,
        stream: InputStream,
        progress: LoadListener? = null,
    ): Summary = loadSchool(school).use { it.pushAll(stream, progress) }

    /** Returns the faults of the lines of [text], at most [limit]. Nothing is applied. */
    @JvmOverloads
    fun check(text: String, limit: Int = 100): List<Fault> = check(Dataset.Text(text), limit)

    /** Returns the faults of a file, at most [limit]. Nothing is applied. */
    @JvmOverloads
    fun check(file: Path, limit: Int = 100): List<Fault> =
        check(Dataset.File(file.toString()), limit)

    // Java cannot omit an argument of the functions that the engine inherits.

    /** @see NativeEngineInterface.ask */
    fun ask(question: Question): Answer = ask(question, null)

    /** @see NativeEngineInterface.find */
    fun find(question: Question): Answer = find(question, null)

    /** @see NativeEngineInterface.page */
    fun page(question: Question, page: Page): Answer = page(question, page, null)

    /** @see NativeEngineInterface.apply */
    fun apply(dataset: Dataset): Summary = apply(dataset, null)

    /** @see NativeEngineInterface.replaceSchool */
    fun replaceSchool(school: Long, dataset: Dataset): Summary =
        replaceSchool(school, dataset, null)

    /** @see NativeEngineInterface.check */
    fun check(dataset: Dataset): List<Fault> = check(dataset, 100)

    /** @see NativeEngineInterface.sync */
    fun sync(school: Long): Sync = sync(school, null)

    /** @see NativeEngineInterface.feed */
    fun feed(scope: Scope): Feed = feed(scope, null)

    /** Writes a copy of the store to a new file, which only its owner can read. */
    fun backup(file: Path, credentials: Credentials): Unit = backup(file.toString(), credentials)

    /**
     * Closes the store and its file. Every later call fails as [RollbookException.Closed], and
     * requests are answered with 500. Closing again has no effect.
     *
     * @throws RollbookException.Busy if a load does not finish in time
     */
    override fun close(): Unit = native.closeStore()

    @Deprecated("close() does it", ReplaceWith("close()"), DeprecationLevel.HIDDEN)
    override fun closeStore(): Unit = close()

    @Deprecated("for the package itself", level = DeprecationLevel.HIDDEN)
    override fun address(): Long = native.address()

    companion object {
        /**
         * Opens the store in a file, or creates one if no file exists.
         *
         * @throws RollbookException.AlreadyOpen if another engine, in this process or another one,
         *   has the store open
         * @throws RollbookException.NotAStore if the file is not a store
         * @throws RollbookException.NewerFormat if a newer version of Rollbook wrote the store
         * @throws RollbookException.Corrupt if the store is damaged
         */
        @JvmStatic
        @JvmOverloads
        fun open(path: String, options: Options = Options()): Engine =
            NativeEngine.open(path, options)

        /** Opens the store in a file, or creates one if no file exists. */
        @JvmStatic
        @JvmOverloads
        fun open(path: Path, options: Options = Options()): Engine = open(path.toString(), options)

        /** Opens an empty store in memory, which is discarded with the engine. */
        @JvmStatic
        @JvmOverloads
        fun memory(options: Options = Options()): Engine = NativeEngine.memory(options)
    }
}

/** Returns the headers of a [Request], in this order. */
@JvmSynthetic
fun headersOf(vararg headers: Pair<String, String>): List<Header> = headers.map { (name, value) ->
    Header(name, value)
}

/**
 * Lets the generated constructors return an [Engine] instead of the [NativeEngine] to which it
 * forwards calls.
 */
internal object FfiConverterTypeEngine {
    fun lift(handle: Long): Engine = Engine(NativeEngine(UniffiWithHandle, handle))
}
