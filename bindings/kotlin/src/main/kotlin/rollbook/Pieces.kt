package rollbook

import java.io.InputStream
import java.nio.Buffer
import java.nio.ByteBuffer
import java.nio.channels.Channels

private const val PIECE_BYTES = 64 shl 10

/**
 * Takes the next bytes of the dataset, from the buffer's position to its limit, and says how far it
 * has come. A direct buffer is read where it is, any other is copied; its position is left.
 *
 * @throws RollbookException.BadDataset for the first faulty line: the load is over then, and every
 *   further call gives the same error
 * @throws RollbookException.Closed if the load is over
 */
fun Load.push(bytes: ByteBuffer): Progress = pushDirect(bytes.direct())

/** Takes the next bytes of the dataset, and says how far it has come. */
fun Load.push(bytes: ByteArray): Progress = push(ByteBuffer.wrap(bytes))

/**
 * Takes the next bytes of the feed, from the buffer's position to its limit, and says how far it
 * has come. A direct buffer is read where it is, any other is copied; its position is left.
 *
 * @throws RollbookException.BadDataset for the first faulty line: it is over then, and every
 *   further call gives the same error
 * @throws RollbookException.OutOfSync if a part does not begin where this store is; it is over then
 * @throws RollbookException.Closed if it is over
 */
fun Follow.push(bytes: ByteBuffer): Progress = pushDirect(bytes.direct())

/** Takes the next bytes of the feed, and says how far it has come. */
fun Follow.push(bytes: ByteArray): Progress = push(ByteBuffer.wrap(bytes))

/** The bytes that are left, in a direct buffer from its start. */
private fun ByteBuffer.direct(): ByteBuffer {
    if (isDirect) return slice()
    val direct = ByteBuffer.allocateDirect(remaining())
    direct.put(duplicate())
    direct.turn()
    return direct
}

// As Buffer's functions: Android 8 knows none of ByteBuffer's own.
private fun Buffer.turn(): Buffer = flip()

private fun Buffer.empty(): Buffer = clear()

/** Pushes all that a stream holds, and finishes. */
internal fun Load.pour(stream: InputStream, progress: ((Progress) -> Boolean)?): Summary {
    pieces(Channels.newChannel(stream)::read) { piece ->
        val reached = pushDirect(piece)
        if (progress?.invoke(reached) == false) {
            throw RollbookException.Cancelled("the load was cancelled: nothing was kept")
        }
    }
    return finish()
}

/** Pushes all that is read, as of a channel, and finishes. */
internal fun Follow.pour(
    read: (ByteBuffer) -> Int,
    progress: ((Progress) -> Boolean)?,
): Summary {
    pieces(read) { piece ->
        val reached = pushDirect(piece)
        if (progress?.invoke(reached) == false) {
            throw RollbookException.Cancelled(
                "the feed was cancelled: what came to the end of a part is kept, and the next " +
                    "call goes on"
            )
        }
    }
    return finish()
}

/** Hands over what is read, in the same direct buffer again and again. */
private inline fun pieces(read: (ByteBuffer) -> Int, take: (ByteBuffer) -> Unit) {
    val piece = ByteBuffer.allocateDirect(PIECE_BYTES)
    while (read(piece) >= 0) {
        piece.turn()
        take(piece)
        piece.empty()
    }
}

/**
 * The lines in pieces of about 64 KiB, read as the sequence goes on; it can be gone through once.
 *
 * ```
 * engine.export(Credentials.LEAVE_OUT).use { export -> export.pieces().forEach(writer::write) }
 * ```
 */
fun Export.pieces(): Sequence<String> = generateSequence { read() }

/** The lines in pieces of about 64 KiB, read as the sequence goes on; it can be gone through once. */
fun Feed.pieces(): Sequence<String> = generateSequence { read() }
