@file:JvmName("Pieces")

package rollbook

import java.io.InputStream
import java.nio.Buffer
import java.nio.ByteBuffer
import java.nio.channels.Channels

private const val PIECE_BYTES = 64 shl 10

/** Returns a direct buffer that starts with the remaining bytes. A direct buffer is not copied. */
@JvmSynthetic
internal fun ByteBuffer.direct(): ByteBuffer {
    if (isDirect) return slice()
    val direct = ByteBuffer.allocateDirect(remaining())
    direct.put(duplicate())
    direct.flipBuffer()
    return direct
}

/** Calls `flip` of Buffer, because Android 8 does not have that of ByteBuffer. */
private fun Buffer.flipBuffer(): Buffer = flip()

/** Calls `clear` of Buffer, because Android 8 does not have that of ByteBuffer. */
private fun Buffer.clearBuffer(): Buffer = clear()

/** Pushes the content of a stream, and finishes the load. */
@JvmSynthetic
internal fun Load.pushAll(stream: InputStream, progress: LoadListener?): Summary {
    pieces(Channels.newChannel(stream)::read) { piece ->
        val reached = push(piece)
        if (progress?.progress(reached) == false) {
            throw RollbookException.Cancelled("the load was cancelled: nothing was stored")
        }
    }
    return finish()
}

/** Pushes everything that [read] returns, as the function of a channel, and finishes the feed. */
@JvmSynthetic
internal fun Follow.pushAll(
    read: (ByteBuffer) -> Int,
    progress: LoadListener?,
): Summary {
    pieces(read) { piece ->
        val reached = push(piece)
        if (progress?.progress(reached) == false) {
            throw RollbookException.Cancelled(
                "the feed was cancelled: complete parts are stored, and the next call " +
                    "continues"
            )
        }
    }
    return finish()
}

/** Calls [push] with each piece that [read] returns. The same direct buffer is used for all. */
private inline fun pieces(read: (ByteBuffer) -> Int, push: (ByteBuffer) -> Unit) {
    val piece = ByteBuffer.allocateDirect(PIECE_BYTES)
    while (read(piece) >= 0) {
        piece.flipBuffer()
        push(piece)
        piece.clearBuffer()
    }
}

/**
 * Returns the lines in pieces of about 64 KiB, which are read when the sequence is iterated. It can
 * be iterated once.
 *
 * ```
 * engine.export(Credentials.LEAVE_OUT).use { export -> export.pieces().forEach(writer::write) }
 * ```
 */
fun Export.pieces(): Sequence<String> = generateSequence { read() }

/**
 * Returns the lines in pieces of about 64 KiB, which are read when the sequence is iterated. It can
 * be iterated once.
 */
fun Feed.pieces(): Sequence<String> = generateSequence { read() }
