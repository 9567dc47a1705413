package rollbook

/**
 * The answer to a request or a question, as the service would send it.
 *
 * @property status the HTTP status code
 * @property bytes the body: compact JSON in UTF-8. It is not copied, so a change of this array
 *   changes the answer. If the store is damaged, it may not be valid UTF-8; then [body] contains
 *   U+FFFD instead of the invalid bytes.
 * @property allow the permitted methods, if the request used another one
 */
class Answer
@JvmOverloads
constructor(val status: Int, val bytes: ByteArray, val allow: String? = null) {
    /** Creates an answer. Of [headers], only `Allow` is used; the others result from [body]. */
    constructor(
        status: Int,
        headers: List<Header>,
        body: String,
    ) : this(
        status,
        body.encodeToByteArray(),
        headers.lastOrNull { it.name.equals("Allow", ignoreCase = true) }?.value,
    )

    /** The body as text. It is decoded from [bytes] when it is first read. */
    val body: String by lazy(LazyThreadSafetyMode.PUBLICATION) { bytes.decodeToString() }

    /** The content type and the length, and `Allow` if the path does not permit the method. */
    val headers: List<Header>
        get() =
            listOfNotNull(
                Header("Content-Type", "application/json; charset=utf-8"),
                Header("Content-Length", bytes.size.toString()),
                allow?.let { Header("Allow", it) },
            )

    operator fun component1(): Int = status

    operator fun component2(): List<Header> = headers

    operator fun component3(): String = body

    override fun equals(other: Any?): Boolean =
        other is Answer &&
            status == other.status &&
            allow == other.allow &&
            bytes.contentEquals(other.bytes)

    override fun hashCode(): Int = 31 * status + bytes.contentHashCode()

    override fun toString(): String = "Answer(status=$status, allow=$allow, body=$body)"
}
