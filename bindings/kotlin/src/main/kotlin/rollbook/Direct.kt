package rollbook

import com.sun.jna.Memory
import com.sun.jna.Native
import com.sun.jna.Pointer
import java.nio.Buffer
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

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
        check(rollbook_form() == FORM) { "rollbook and its library are not of one build" }
    }

    @Suppress("FunctionName")
    external fun rollbook_call_at(engine: Long, input: Long, length: Long, output: Long)

    @Suppress("FunctionName") external fun rollbook_give_back_at(output: Long)

    @Suppress("FunctionName") external fun rollbook_form(): Long

    /** What no call is using, and how much that is. */
    private val idle = ConcurrentLinkedQueue<Space>()
    private val idling = AtomicInteger()

    /** Calls the engine for one answer: [write] gives the arguments, which are at most [size]. */
    inline fun answer(
        engine: Called,
        call: Byte,
        size: ULong,
        write: (ByteBuffer) -> Unit,
    ): Answer = called(engine, call, size, write) { it.answer() }

    /** Calls the engine for the answers to a list of requests. */
    fun answers(engine: Called, given: List<Request>): List<Answer> {
        // Others may change what was given meanwhile.
        val requests = given.toList()
        val size = requests.fold(4uL) { size, request -> size + sizeOf(request) }
        val write = { into: ByteBuffer ->
            into.putInt(requests.size)
            requests.forEach { write(it, into) }
        }
        return called(engine, REQUESTS, size, write) { reply ->
            reply.refuse()
            var at = 0L
            List(requests.size) {
                val head = ByteBuffer.wrap(reply.bytes(at, ONE_OF_MANY))
                val (status, allow) = head.getShort() to head.getShort().toInt()
                val length = Math.toIntExact(head.getLong())
                val start = at + ONE_OF_MANY
                at = start + length + allow
                reply.answer(status, start, length, allow)
            }
        }
    }

    inline fun <T> called(
        engine: Called,
        call: Byte,
        size: ULong,
        write: (ByteBuffer) -> Unit,
        read: (Space) -> T,
    ): T {
        val crossing = engine.crossing
        val space = take()
        try {
            space.begin(engine, size)
            space.input.put(call)
            write(space.input)
            crossing.call(engine.address, space)
            return read(space)
        } finally {
            space.giveBack(crossing)
            space.end()
            leave(space)
        }
    }

    /** What is used comes out of the queue always, even if it was made for this: [Space.holds]. */
    fun take(): Space {
        while (true) {
            idle.poll()?.let {
                idling.decrementAndGet()
                return it
            }
            idling.incrementAndGet()
            idle.add(Space())
        }
    }

    fun leave(space: Space) {
        if (idling.incrementAndGet() <= MOST_IDLE) idle.add(space) else idling.decrementAndGet()
    }

    /** An engine as calls have it. */
    class Called(val native: NativeEngine) {
        val address = native.address().toLong()

        @Volatile var crossing: Crossing = Crossing.Usual
    }

    /** How the calls are made: what counts them stands here in a test. */
    interface Crossing {
        fun call(engine: Long, space: Space)

        fun giveBack(space: Space)

        object Usual : Crossing {
            override fun call(engine: Long, space: Space) =
                rollbook_call_at(
                    engine,
                    space.inputAddress,
                    space.input.position().toLong(),
                    space.outputAddress,
                )

            override fun giveBack(space: Space) = rollbook_give_back_at(space.outputAddress)
        }
    }

    /** Memory for one call: `Output` has a head, and room for small answers. */
    class Space {
        private val usual: ByteBuffer = ByteBuffer.allocateDirect(USUAL)
        private val usualAddress = addressOf(usual)
        private val output =
            ByteBuffer.allocateDirect(HEAD + ROOM).order(ByteOrder.nativeOrder())
        val outputAddress = addressOf(output)

        /** Arguments that are longer than usual. */
        private var long: Memory? = null
        var input: ByteBuffer = usual
            private set

        val inputAddress
            get() = long?.let { Pointer.nativeValue(it) } ?: usualAddress

        /**
         * The engine while it is called: without this the garbage collector might find that nobody
         * refers to it any more, and Rust would answer from memory that was let go. A field that is
         * only read afterwards is no reference to a compiler that sees that nothing comes of it;
         * this is one, as others may have seen the space before.
         */
        @JvmField var holds: NativeEngine? = null

        val capacity
            get() = output.getLong(8)

        private val lent
            get() = output.getLong(0)

        /** Makes the space ready for arguments that are at most [size] beside the call's number. */
        fun begin(engine: Called, size: ULong) {
            holds = engine.native
            val needed = size + 1uL
            if (needed > USUAL.toULong()) {
                require(needed <= Int.MAX_VALUE.toULong()) { "$size bytes are too many for one call" }
                val memory = Memory(needed.toLong())
                long = memory
                input = memory.getByteBuffer(0, needed.toLong()).order(ByteOrder.BIG_ENDIAN)
            }
        }

        /** Leaves nothing of the arguments, which a password may be among. */
        fun end() {
            // Android before 14 has these of Buffer alone.
            (input as Buffer).flip()
            while (input.hasRemaining()) input.put(ZEROS, 0, minOf(input.remaining(), ZEROS.size))
            (usual as Buffer).clear()
            input = usual
            long?.close()
            long = null
            holds = null
        }

        fun answer(): Answer {
            refuse()
            val allow = output.getShort(26).toInt()
            return answer(output.getShort(24), 0, length - allow, allow)
        }

        /** The answer whose body starts [at] this byte, with the text of its `Allow` behind it. */
        fun answer(status: Short, at: Long, length: Int, allow: Int): Answer {
            val methods = if (allow == 0) null else bytes(at + length, allow).decodeToString()
            return Answer(status.toUShort(), bytes(at, length), methods)
        }

        /** Throws what the call failed with. */
        fun refuse() {
            val outcome = output.getInt(28)
            if (outcome == 0) return
            val said = bytes(0, length)
            if (outcome != 1) throw InternalException(said.decodeToString())
            throw FfiConverterTypeRollbookError.read(ByteBuffer.wrap(said))
        }

        private val length
            get() = Math.toIntExact(output.getLong(16))

        fun bytes(at: Long, length: Int): ByteArray {
            if (capacity != 0L) return Pointer(lent).getByteArray(at, length)
            (output as Buffer).position(HEAD + at.toInt())
            return ByteArray(length).also { output.get(it) }
        }

        fun giveBack(crossing: Crossing) {
            if (capacity != 0L) crossing.giveBack(this)
        }
    }

    private fun addressOf(buffer: ByteBuffer) =
        Pointer.nativeValue(Native.getDirectBufferPointer(buffer))

    fun sizeOf(request: Request) = FfiConverterTypeRequest.allocationSize(request)

    fun write(request: Request, into: ByteBuffer) {
        text(request.target, into)
        text(request.method, into)
        // What was written is counted: others may change the list meanwhile.
        val count = into.position()
        var written = 0
        into.putInt(0)
        for (header in request.headers) {
            text(header.name, into)
            text(header.value, into)
            written++
        }
        into.putInt(count, written)
        text(request.body, into)
        FfiConverterOptionalLong.write(request.now, into)
    }

    /** Letters of ASCII need no encoder, which takes longer to make than to use. */
    private fun text(text: String, into: ByteBuffer) {
        val start = into.position()
        into.putInt(text.length)
        for (letter in text) {
            if (letter >= '\u0080') {
                // Before the position is set back: what lies before it is what gets cleared.
                val utf8 = FfiConverterString.toUtf8(text)
                (into as Buffer).position(start)
                into.putInt(utf8.remaining())
                into.put(utf8)
                return
            }
            into.put(letter.code.toByte())
        }
    }

    const val ROOM = 4096
    private const val HEAD = 32

    /** What comes before each answer of a list. */
    private const val ONE_OF_MANY = 12

    /** The version of this form, and the size of `Output`: `rollbook_form`. */
    private const val FORM = (1L shl 32) or (HEAD + ROOM).toLong()

    /** Bytes of arguments that memory is kept for; a question has fewer than 160. */
    const val USUAL = 4096
    const val MOST_IDLE = 32
    private val ZEROS = ByteArray(USUAL)
}
