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
fun Load.push(bytes: ByteBuffer): Progress {
    if (bytes.isDirect) return pushDirect(bytes.slice())
    val direct = ByteBuffer.allocateDirect(bytes.remaining())
    direct.put(bytes.duplicate())
    direct.turn()
    return pushDirect(direct)
}

/** Takes the next bytes of the dataset, and says how far it has come. */
fun Load.push(bytes: ByteArray): Progress = push(ByteBuffer.wrap(bytes))

// As Buffer's functions: Android 8 knows none of ByteBuffer's own.
private fun Buffer.turn(): Buffer = flip()

private fun Buffer.empty(): Buffer = clear()

/** Pushes all that a stream holds, and finishes. */
internal fun Load.pour(stream: InputStream, progress: ((Progress) -> Boolean)?): Summary {
    val bytes = Channels.newChannel(stream)
    val piece = ByteBuffer.allocateDirect(PIECE_BYTES)
    while (bytes.read(piece) >= 0) {
        piece.turn()
        val read = pushDirect(piece)
        piece.empty()
        if (progress?.invoke(read) == false) {
            throw RollbookException.Cancelled("the load was cancelled: nothing was kept")
        }
    }
    return finish()
}

/**
 * The lines in pieces of about 64 KiB, read as the sequence goes on; it can be gone through once.
 *
 * ```
 * engine.export(Credentials.LEAVE_OUT).use { export -> export.pieces().forEach(writer::write) }
 * ```
 */
fun Export.pieces(): Sequence<String> = generateSequence { read() }
