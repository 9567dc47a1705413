package rollbook

/**
 * An answer: what the service would send.
 *
 * @property status the HTTP status code
 * @property bytes the body: compact JSON in UTF-8. Not copied: whoever changes it changes the answer.
 *   Of a store that is damaged it may be no UTF-8, and then [body] has U+FFFD in its place.
 * @property allow the methods that the path takes, if another was tried
 */
class Answer(val status: UShort, val bytes: ByteArray, val allow: String? = null) {
    /** An answer of these parts, of which content type and length follow from [body]. */
    constructor(
        status: UShort,
        headers: List<Header>,
        body: String,
    ) : this(
        status,
        body.encodeToByteArray(),
        headers.lastOrNull { it.name.equals("Allow", ignoreCase = true) }?.value,
    )

    /** The body as text, which is made of [bytes] the first time. */
    val body: String by lazy(LazyThreadSafetyMode.PUBLICATION) { bytes.decodeToString() }

    /** Content type and length, and `Allow` if the path does not take the method. */
    val headers: List<Header>
        get() =
            listOfNotNull(
                Header("Content-Type", "application/json; charset=utf-8"),
                Header("Content-Length", bytes.size.toString()),
                allow?.let { Header("Allow", it) },
            )

    operator fun component1(): UShort = status

    operator fun component2(): List<Header> = headers

    operator fun component3(): String = body

    override fun equals(other: Any?): Boolean =
        other is Answer &&
            status == other.status &&
            allow == other.allow &&
            bytes.contentEquals(other.bytes)

    override fun hashCode(): Int = 31 * status.hashCode() + bytes.contentHashCode()

    override fun toString(): String = "Answer(status=$status, allow=$allow, body=$body)"
}
