package rollbook

import java.io.InputStream
import java.nio.file.Path

/**
 * A school administration system's integration API over a store on this device.
 *
 * Give it a school's data as a dataset, ask it the requests of the service, and it answers with the
 * exact JSON of v1 or v2, every rule included.
 *
 * ```
 * Engine.open("school.redb").use { engine ->
 *     engine.apply(Path("school.ndjson"))
 *     engine.ask(Question.Learners(school = 1000u, includeParents = true)).body
 * }
 * ```
 *
 * An engine may be used from several threads at once. Every call blocks until it is done, most for
 * microseconds; [AsyncEngine] suspends instead. Whatever goes wrong beside an answer is a
 * [RollbookException] with a stable [code]; a text that holds half of a surrogate pair is no text
 * and gives [java.nio.charset.CharacterCodingException].
 */
class Engine internal constructor(private val native: NativeEngine) :
    NativeEngineInterface by native, AutoCloseable {
    internal val called = Direct.Called(native)

    override fun request(request: Request): Answer =
        Direct.answer(called, Direct.REQUEST, Direct.sizeOf(request)) { into ->
            Direct.write(request, into)
        }

    override fun requests(requests: List<Request>): List<Answer> =
        Direct.answers(called, requests)

    override fun ask(question: Question, now: Long?): Answer =
        asked(Direct.ASK, question, null, now)

    override fun find(question: Question, now: Long?): Answer =
        asked(Direct.FIND, question, null, now)

    override fun page(question: Question, page: Page, now: Long?): Answer =
        asked(Direct.PAGE, question, page, now)

    private fun asked(call: Byte, question: Question, page: Page?, now: Long?): Answer {
        val least = FfiConverterTypeQuestion.allocationSize(question) + 9uL
        val size = least + (page?.let(FfiConverterTypePage::allocationSize) ?: 0uL)
        return Direct.answer(called, call, size) { into ->
            FfiConverterTypeQuestion.write(question, into)
            if (page != null) FfiConverterTypePage.write(page, into)
            FfiConverterOptionalLong.write(now, into)
        }
    }

    /**
     * Answers a request as the service does, rules of access included: [target] is the path and
     * query string, `now` the instant to answer for, in seconds since 1970-01-01T00:00:00Z.
     *
     * @see NativeEngineInterface.request
     */
    fun request(
        target: String,
        vararg headers: Pair<String, String>,
        method: String = "GET",
        body: String = "",
        now: Long? = null,
    ): Answer = request(Request(target, method, headersOf(*headers), body, now))

    override fun apply(dataset: Dataset, listener: LoadListener?): Summary =
        heard(listener) { native.apply(dataset, it) }

    /**
     * Applies a dataset: all of it, durably, or nothing. [progress] hears about every 64 KiB how
     * far it has come; the load is cancelled, and nothing of it kept, if it returns false or
     * throws. What it throws is thrown here.
     *
     * @see NativeEngineInterface.apply
     */
    fun apply(dataset: Dataset, progress: ((Progress) -> Boolean)?): Summary =
        apply(dataset, progress?.let(::Listener))

    /** Applies the lines of [text]. */
    fun apply(text: String, progress: ((Progress) -> Boolean)? = null): Summary =
        apply(Dataset.Text(text), progress)

    /** Applies a file, which is read as the load goes on. */
    fun apply(file: Path, progress: ((Progress) -> Boolean)? = null): Summary =
        apply(Dataset.File(file.toString()), progress)

    /** Applies what [stream] holds, in pieces of 64 KiB. The stream is not closed. */
    fun apply(stream: InputStream, progress: ((Progress) -> Boolean)? = null): Summary =
        load().use { it.pour(stream, progress) }

    override fun replaceSchool(school: ULong, dataset: Dataset, listener: LoadListener?): Summary =
        heard(listener) { native.replaceSchool(school, dataset, it) }

    /**
     * Applies a dataset that is the whole of one school: what it lacks goes. [progress] is that of
     * [apply].
     *
     * @see NativeEngineInterface.replaceSchool
     */
    fun replaceSchool(
        school: ULong,
        dataset: Dataset,
        progress: ((Progress) -> Boolean)?,
    ): Summary = replaceSchool(school, dataset, progress?.let(::Listener))

    /** Replaces a school by the lines of [text]. */
    fun replaceSchool(
        school: ULong,
        text: String,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = replaceSchool(school, Dataset.Text(text), progress)

    /** Replaces a school by a file, which is read as the load goes on. */
    fun replaceSchool(
        school: ULong,
        file: Path,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = replaceSchool(school, Dataset.File(file.toString()), progress)

    /** Replaces a school by what [stream] holds, in pieces of 64 KiB. The stream is not closed. */
    fun replaceSchool(
        school: ULong,
        stream: InputStream,
        progress: ((Progress) -> Boolean)? = null,
    ): Summary = loadSchool(school).use { it.pour(stream, progress) }

    /** The faults of the lines of [text], at most [limit]. Nothing is applied. */
    fun check(text: String, limit: UInt = 100u): List<Fault> = check(Dataset.Text(text), limit)

    /** The faults of a file, at most [limit]. Nothing is applied. */
    fun check(file: Path, limit: UInt = 100u): List<Fault> =
        check(Dataset.File(file.toString()), limit)

    /** Writes a copy of the store to a new file, readable by its owner alone. */
    fun backup(file: Path, credentials: Credentials): Unit = backup(file.toString(), credentials)

    /**
     * Closes the store and gives its file back. Every later call fails as
     * [RollbookException.Closed], a request is answered 500; closing again does nothing.
     *
     * @throws RollbookException.Busy if a load does not end in time
     */
    override fun close(): Unit = native.closeStore()

    @Deprecated("close() does it", ReplaceWith("close()"), DeprecationLevel.HIDDEN)
    override fun closeStore(): Unit = close()

    @Deprecated("for the package itself", level = DeprecationLevel.HIDDEN)
    override fun address(): ULong = native.address()

    companion object {
        /**
         * Opens the store in a file, and makes one where nothing is.
         *
         * @throws RollbookException.AlreadyOpen if an engine holds it, here or in another process
         * @throws RollbookException.NotAStore if the file is something else
         * @throws RollbookException.NewerFormat if a newer Rollbook wrote it
         * @throws RollbookException.Corrupt if it is damaged
         */
        fun open(path: String, options: Options = Options()): Engine =
            NativeEngine.open(path, options)

        /** Opens the store in a file, and makes one where nothing is. */
        fun open(path: Path, options: Options = Options()): Engine = open(path.toString(), options)

        /** Opens an empty store that lives in memory and goes with the engine. */
        fun memory(options: Options = Options()): Engine = NativeEngine.memory(options)
    }
}

/** Headers of a [Request], in this order. */
fun headersOf(vararg headers: Pair<String, String>): List<Header> = headers.map { (name, value) ->
    Header(name, value)
}

/**
 * What the generated constructors give: an [Engine] in place of the [NativeEngine] that it forwards
 * to.
 */
internal object FfiConverterTypeEngine {
    fun lift(handle: Long): Engine = Engine(NativeEngine(UniffiWithHandle, handle))
}
