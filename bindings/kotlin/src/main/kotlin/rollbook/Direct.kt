package rollbook

import com.sun.jna.Native
import com.sun.jna.Pointer
import java.nio.Buffer
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * The short way to the engine, for what is asked thousands of times a second: one call, whose
 * arguments are four numbers, and memory that is used again. The generated code makes, fills and
 * gives back several buffers for a question, each by calls of its own.
 *
 * The arguments are written by the generated converters. `ffi/src/call.rs` says which calls there
 * are, `ffi/src/direct.rs` what comes back.
 */
internal object Direct {
    const val REQUEST: Byte = 0
    const val REQUESTS: Byte = 1
    const val ASK: Byte = 2
    const val FIND: Byte = 3
    const val PAGE: Byte = 4

    init {
        val library = System.getProperty("uniffi.component.rollbook.libraryOverride")
        Native.register(Direct::class.java, library ?: "rollbook_ffi")
    }

    @Suppress("FunctionName")
    external fun rollbook_call_at(engine: Long, input: Long, length: Long, output: Long)

    @Suppress("FunctionName") external fun rollbook_give_back_at(lent: Long, capacity: Long)

    /** What no call is using. */
    private val idle = ConcurrentLinkedQueue<Space>()

    /** Calls the engine for one answer: [write] gives the arguments, which are at most [size]. */
    inline fun answer(
        engine: Long,
        call: Byte,
        size: ULong,
        crossing: Crossing = Crossing.Usual,
        write: (ByteBuffer) -> Unit,
    ): Answer = called(engine, call, size, crossing, write) { it.answer() }

    /** Calls the engine for the answers to a list of requests. */
    fun answers(engine: Long, requests: List<Request>, crossing: Crossing): List<Answer> {
        val size = requests.fold(4uL) { size, request -> size + sizeOf(request) }
        val write = { into: ByteBuffer ->
            into.putInt(requests.size)
            requests.forEach { write(it, into) }
        }
        return called(engine, REQUESTS, size, crossing, write) { reply ->
            val all = ByteBuffer.wrap(reply.bytes())
            List(requests.size) {
                val status = all.getShort()
                val allow = all.getShort().toInt()
                val body = ByteArray(Math.toIntExact(all.getLong()))
                all.get(body)
                answerOf(status, body, ByteArray(allow).also { all.get(it) })
            }
        }
    }

    inline fun <T> called(
        engine: Long,
        call: Byte,
        size: ULong,
        crossing: Crossing,
        write: (ByteBuffer) -> Unit,
        read: (Space) -> T,
    ): T {
        val space = take(size)
        try {
            space.clear()
            space.input.put(call)
            write(space.input)
            crossing.call(engine, space)
            try {
                return read(space)
            } finally {
                space.giveBack(crossing)
            }
        } finally {
            leave(space)
        }
    }

    fun take(size: ULong): Space {
        val needed = size + 1uL
        if (needed <= USUAL.toULong()) return idle.poll() ?: Space(USUAL)
        require(needed <= Int.MAX_VALUE.toULong()) { "$size bytes are too many for one call" }
        return Space(needed.toInt())
    }

    fun leave(space: Space) {
        if (space.input.capacity() == USUAL) idle.add(space)
    }

    /** How the calls are made: what counts them stands here in a test. */
    interface Crossing {
        fun call(engine: Long, space: Space)

        fun giveBack(lent: Long, capacity: Long)

        object Usual : Crossing {
            override fun call(engine: Long, space: Space) =
                rollbook_call_at(
                    engine,
                    space.inputAddress,
                    space.input.position().toLong(),
                    space.outputAddress,
                )

            override fun giveBack(lent: Long, capacity: Long) =
                rollbook_give_back_at(lent, capacity)
        }
    }

    /** Memory for one call: `Output` has a head, and room for small answers. */
    class Space(inputs: Int) {
        val input: ByteBuffer = ByteBuffer.allocateDirect(inputs)
        val inputAddress = addressOf(input)
        private val output =
            ByteBuffer.allocateDirect(HEAD + ROOM).order(ByteOrder.nativeOrder())
        val outputAddress = addressOf(output)

        val capacity
            get() = output.getLong(8)

        private val lent
            get() = output.getLong(0)

        // Android before 14 has these of Buffer alone.
        fun clear() {
            (input as Buffer).clear()
        }

        fun answer(): Answer {
            val allow = output.getShort(26).toInt()
            val bytes = bytes()
            if (allow == 0) return Answer(output.getShort(24).toUShort(), bytes)
            val body = bytes.copyOfRange(0, bytes.size - allow)
            return answerOf(output.getShort(24), body, bytes.copyOfRange(body.size, bytes.size))
        }

        /** The bytes of the reply; what the call failed with is thrown. */
        fun bytes(): ByteArray {
            val length = Math.toIntExact(output.getLong(16))
            val bytes =
                if (capacity == 0L) {
                    ByteArray(length).also {
                        (output as Buffer).position(HEAD)
                        output.get(it)
                    }
                } else {
                    Pointer(lent).getByteArray(0, length)
                }
            when (output.getInt(28)) {
                0 -> return bytes
                1 -> throw FfiConverterTypeRollbookError.read(ByteBuffer.wrap(bytes))
                else -> throw InternalException(bytes.decodeToString())
            }
        }

        fun giveBack(crossing: Crossing) {
            if (capacity == 0L) return
            val (address, length) = lent to capacity
            output.putLong(8, 0)
            crossing.giveBack(address, length)
        }
    }

    private fun answerOf(status: Short, body: ByteArray, allow: ByteArray) =
        Answer(
            status.toUShort(),
            body,
            if (allow.isEmpty()) null else allow.decodeToString(),
        )

    private fun addressOf(buffer: ByteBuffer) =
        Pointer.nativeValue(Native.getDirectBufferPointer(buffer))

    fun sizeOf(request: Request) = FfiConverterTypeRequest.allocationSize(request)

    fun write(request: Request, into: ByteBuffer) {
        text(request.target, into)
        text(request.method, into)
        into.putInt(request.headers.size)
        for (header in request.headers) {
            text(header.name, into)
            text(header.value, into)
        }
        text(request.body, into)
        FfiConverterOptionalLong.write(request.now, into)
    }

    /** Letters of ASCII need no encoder, which takes longer to make than to use. */
    private fun text(text: String, into: ByteBuffer) {
        val start = into.position()
        into.putInt(text.length)
        for (letter in text) {
            if (letter >= '\u0080') {
                (into as Buffer).position(start)
                FfiConverterString.write(text, into)
                return
            }
            into.put(letter.code.toByte())
        }
    }

    const val ROOM = 4096
    private const val HEAD = 32
    private const val USUAL = 64 shl 10
}
