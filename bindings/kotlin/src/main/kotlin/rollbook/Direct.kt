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
 * Direct calls of the engine, for requests and questions that are sent thousands of times a second.
 * A direct call is a single call of the library with four numbers as arguments, and its memory is
 * reused. The generated code allocates, fills and frees several buffers for a question, with a call
 * for each.
 *
 * The generated converters encode the arguments. `ffi/src/call.rs` describes the calls, and
 * `ffi/src/direct.rs` the replies.
 */
internal object Direct {
    const val REQUEST: Byte = 0
    const val REQUESTS: Byte = 1
    const val ASK: Byte = 2
    const val FIND: Byte = 3
    const val PAGE: Byte = 4

    init {
        registerOwn(Direct::class.java)
    }

    @Suppress("FunctionName")
    external fun rollbook_call_at(engine: Long, input: Long, length: Long, output: Long)

    @Suppress("FunctionName") external fun rollbook_give_back_at(output: Long)

    /** The memory that no call is using. */
    private val idle = ConcurrentLinkedQueue<Space>()

    /** The number of elements of [idle], and of those that are about to be added. */
    private val idleCount = AtomicInteger()

    /**
     * Makes a call that returns one answer. [write] encodes the arguments, which have at most
     * [size] bytes.
     */
    inline fun answer(
        engine: EngineHandle,
        call: Byte,
        size: Long,
        write: (ByteBuffer) -> Unit,
    ): Answer = makeCall(engine, call, size, write) { it.answer() }

    /** Makes a call that returns the answers to a list of requests. */
    fun answers(engine: EngineHandle, given: List<Request>): List<Answer> {
        // The list is copied, because another thread may change it meanwhile.
        val requests = given.toList()
        val size = requests.fold(4L) { size, request -> size + sizeOf(request) }
        val write = { into: ByteBuffer ->
            into.putInt(requests.size)
            requests.forEach { write(it, into) }
        }
        return makeCall(engine, REQUESTS, size, write) { reply ->
            reply.throwIfFailed()
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

    /** Makes a call with reused memory. [write] encodes the arguments, and [read] the reply. */
    inline fun <T> makeCall(
        engine: EngineHandle,
        call: Byte,
        size: Long,
        write: (ByteBuffer) -> Unit,
        read: (Space) -> T,
    ): T {
        val crossing = engine.crossing
        val space = acquire()
        try {
            space.begin(engine, size)
            space.input.put(call)
            write(space.input)
            crossing.call(engine.address, space)
            return read(space)
        } finally {
            space.giveBack(crossing)
            space.end()
            release(space)
        }
    }

    /**
     * Returns memory for a call. New memory passes through the queue too, so that other threads may
     * have a reference to it; see [Space.engineInUse].
     */
    fun acquire(): Space {
        while (true) {
            idle.poll()?.let {
                idleCount.decrementAndGet()
                return it
            }
            idleCount.incrementAndGet()
            idle.add(Space())
        }
    }

    /** Makes memory available for other calls, unless enough of it is idle. */
    fun release(space: Space) {
        val isNeeded = idleCount.incrementAndGet() <= MAX_IDLE
        if (isNeeded) idle.add(space) else idleCount.decrementAndGet()
    }

    /** The address of an engine, with a reference to the object that returned it. */
    class EngineHandle(val native: NativeEngine) {
        val address = native.address()

        @Volatile var crossing: Crossing = Crossing.Library
    }

    /** The calls of the library. A test replaces them to count the calls. */
    interface Crossing {
        fun call(engine: Long, space: Space)

        fun giveBack(space: Space)

        object Library : Crossing {
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

    /** The memory for one call: an input, and an `Output` with space for small answers. */
    class Space {
        private val smallInput: ByteBuffer = ByteBuffer.allocateDirect(INPUT_BYTES)
        private val smallInputAddress = addressOf(smallInput)
        private val output =
            ByteBuffer.allocateDirect(HEAD + INLINE_BYTES).order(ByteOrder.nativeOrder())
        val outputAddress = addressOf(output)

        /** The memory for arguments that do not fit into [smallInput]. */
        private var largeInput: Memory? = null
        var input: ByteBuffer = smallInput
            private set

        val inputAddress
            get() = largeInput?.let { Pointer.nativeValue(it) } ?: smallInputAddress

        /**
         * The engine during a call. Without this reference, the garbage collector could free the
         * engine during the call, and Rust would read memory that was freed. A local reference is
         * not enough, because the compiler removes it if the object is not used afterwards. It
         * cannot remove an assignment to this field, because other threads may have a reference to
         * the space.
         */
        @JvmField var engineInUse: NativeEngine? = null

        /** The capacity of lent bytes; 0 if the reply is in the output. */
        val capacity
            get() = output.getLong(8)

        private val lentAddress
            get() = output.getLong(0)

        /** Prepares the space for arguments of at most [size] bytes, after the byte of the call. */
        fun begin(engine: EngineHandle, size: Long) {
            engineInUse = engine.native
            val needed = size + 1
            if (needed > INPUT_BYTES) {
                require(needed <= Int.MAX_VALUE) { "$size bytes are too many for one call" }
                val memory = Memory(needed)
                largeInput = memory
                input = memory.getByteBuffer(0, needed).order(ByteOrder.BIG_ENDIAN)
            }
        }

        /** Erases the arguments, which may contain a password, and frees large memory. */
        fun end() {
            // Before Android 14, `flip` and `clear` are methods of Buffer only.
            (input as Buffer).flip()
            while (input.hasRemaining()) input.put(ZEROS, 0, minOf(input.remaining(), ZEROS.size))
            (smallInput as Buffer).clear()
            input = smallInput
            largeInput?.close()
            largeInput = null
            engineInUse = null
        }

        /** Returns the answer of a call, or throws its error. */
        fun answer(): Answer {
            throwIfFailed()
            val allow = output.getShort(26).toInt()
            return answer(output.getShort(24), 0, length - allow, allow)
        }

        /** Returns the answer whose body starts [at] this byte, followed by the text of `Allow`. */
        fun answer(status: Short, at: Long, length: Int, allow: Int): Answer {
            val methods = if (allow == 0) null else bytes(at + length, allow).decodeToString()
            return Answer(status.toInt(), bytes(at, length), methods)
        }

        /** Throws the error of the call, if it failed. */
        fun throwIfFailed() {
            val outcome = output.getInt(28)
            if (outcome == 0) return
            val error = bytes(0, length)
            if (outcome != 1) throw InternalException(error.decodeToString())
            throw FfiConverterTypeRollbookError.read(ByteBuffer.wrap(error))
        }

        private val length
            get() = Math.toIntExact(output.getLong(16))

        fun bytes(at: Long, length: Int): ByteArray {
            if (capacity != 0L) return Pointer(lentAddress).getByteArray(at, length)
            (output as Buffer).position(HEAD + at.toInt())
            return ByteArray(length).also { output.get(it) }
        }

        fun giveBack(crossing: Crossing) {
            if (capacity != 0L) crossing.giveBack(this)
        }
    }

    private fun addressOf(buffer: ByteBuffer) =
        Pointer.nativeValue(Native.getDirectBufferPointer(buffer))

    fun sizeOf(request: Request) = FfiConverterTypeRequest.allocationSize(request).toLong()

    fun write(request: Request, into: ByteBuffer) {
        text(request.target, into)
        text(request.method, into)
        // The written headers are counted, because another thread may change the list meanwhile.
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

    /** Writes a text. Only a text that is not ASCII needs an encoder, whose creation is slow. */
    private fun text(text: String, into: ByteBuffer) {
        val start = into.position()
        into.putInt(text.length)
        for (letter in text) {
            if (letter >= '\u0080') {
                // The text is encoded before the position is reset. If the encoder throws, `end`
                // erases everything before the position.
                val utf8 = FfiConverterString.toUtf8(text)
                (into as Buffer).position(start)
                into.putInt(utf8.remaining())
                into.put(utf8)
                return
            }
            into.put(letter.code.toByte())
        }
    }

    /** The maximum length of an answer that is written to the output, in bytes. */
    const val INLINE_BYTES = 4096

    /** The length of the head of an output, in bytes. */
    private const val HEAD = 32

    /** The length of the head of each answer in a list, in bytes. */
    private const val ONE_OF_MANY = 12

    /**
     * The version of this interface and the size of an `Output`, as `rollbook_form` returns them.
     */
    const val FORM = (2L shl 32) or (HEAD + INLINE_BYTES).toLong()

    /** The size of the reused memory for arguments, in bytes. A question has fewer than 160. */
    const val INPUT_BYTES = 4096

    /** The maximum number of idle spaces. */
    const val MAX_IDLE = 32
    private val ZEROS = ByteArray(INPUT_BYTES)
}
