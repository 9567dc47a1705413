package rollbook

import java.lang.ref.WeakReference
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The calls of the library and the bytes that each question needs. */
class CrossingTest {
    private class Counting : Direct.Crossing {
        val sent = mutableListOf<Int>()
        val back = mutableListOf<Long>()

        override fun call(engine: Long, space: Direct.Space) {
            sent += space.input.position()
            Direct.Crossing.Library.call(engine, space)
        }

        override fun giveBack(space: Direct.Space) {
            back += space.capacity
            Direct.Crossing.Library.giveBack(space)
            assertEquals(0, space.capacity)
        }
    }

    private fun counted(engine: Engine, ask: (Engine) -> Unit): Counting {
        val counting = Counting()
        engine.handle.crossing = counting
        ask(engine)
        engine.handle.crossing = Direct.Crossing.Library
        return counting
    }

    /** Creates an engine with a school of this many learners. */
    private fun school(learners: Int): Engine =
        Engine.memory().also { engine ->
            val lines = (1..learners).map { LEARNER.format(it) }
            engine.apply((listOf(SCHOOL_LINE) + lines).joinToString("\n"))
        }

    @Test
    fun `a small question is one call`() =
        school(1).use { engine ->
            val counted =
                counted(engine) {
                    it.ask(Question.Learners(1, learnerId = 1))
                    it.find(Question.Learners(1, learnerId = 1))
                    it.page(Question.Learners(1), Page())
                    it.request("/api/v1/adminplus/learners/1?learner_id=1", *CREDENTIALS)
                }
            assertEquals(4, counted.sent.size)
            assertTrue(counted.sent.max() < 160, counted.sent.toString())
            assertEquals(emptyList<Long>(), counted.back)
        }

    @Test
    fun `a list of requests is one call`() =
        school(20).use { engine ->
            val request = Request("/api/v1/adminplus/learners/1", headers = headersOf(*CREDENTIALS))
            val wrong = Request("/api/v1/adminplus/learners/1", method = "PATCH")
            var answers = listOf<Answer>()
            val counted = counted(engine) { answers = it.requests(List(50) { request } + wrong) }
            assertEquals(1, counted.sent.size)
            assertEquals(1, counted.back.size)
            assertEquals(List(50) { engine.request(request) } + engine.request(wrong), answers)
            assertEquals(Header("Allow", "GET"), answers.last().headers.last())
        }

    @Test
    fun `a large answer is lent once and given back`() =
        school(100).use { engine ->
            val expected = engine.ask(Question.Learners(1))
            val counted =
                counted(engine) {
                    repeat(20) {
                        assertArrayEquals(expected.bytes, engine.ask(Question.Learners(1)).bytes)
                    }
                }
            assertTrue(expected.bytes.size > Direct.INLINE_BYTES)
            assertEquals(20, counted.back.size)
            assertTrue(counted.back.all { it in expected.bytes.size..2 * expected.bytes.size })
        }

    @Test
    fun `what is refused is an error and leaves the memory for the next`() {
        val engine = school(1)
        assertThrows(RollbookException.BadArgument::class.java) {
            engine.ask(Question.Absentees(1, fromDate = "yesterday"))
        }
        assertThrows(RollbookException.BadArgument::class.java) { engine.request("/\uD800") }
        assertEquals(200, engine.ask(Question.Learners(1)).status)
        engine.close()
        assertThrows(RollbookException.Closed::class.java) { engine.ask(Question.Learners(1)) }
    }

    /** A list that grows during a call, as if another thread added elements to it. */
    private class Growing<T>(given: List<T>) : AbstractList<T>() {
        private val all = given + given
        private var looks = 0

        override val size
            get() = if (looks++ < 2) all.size / 2 else all.size

        override fun get(index: Int): T = all[index]

        override fun iterator(): Iterator<T> = all.iterator()
    }

    @Test
    fun `what was written is counted, and not what was given`() =
        SampleSchool.engine().use { engine ->
            val headers = headersOf(*SampleSchool.credentials)
            val target = "/api/v1/adminplus/learners/1000"
            val request = Request(target, headers = headers)
            val expected = engine.request(request)
            assertEquals(200, expected.status)
            repeat(4) { looks ->
                val growing = Growing(headers)
                repeat(looks) { growing.size }
                assertEquals(expected, engine.request(Request(target, headers = growing)))
                val many = Growing(listOf(request))
                repeat(looks) { many.size }
                assertTrue(engine.requests(many).all { it == expected })
            }
        }

    @Test
    fun `an answer is what its parts are`() =
        SampleSchool.engine().use { engine ->
            val request = Request("/api/v1/adminplus/learners/1000", method = "PATCH")
            val answer = engine.request(request)
            val (status, headers, body) = answer
            assertEquals(Triple(answer.status, answer.headers, answer.body), Triple(status, headers, body))
            assertEquals(Header("Allow", "GET"), headers.last())
            assertEquals(body.encodeToByteArray().size.toString(), headers[1].value)
            val same = Answer(status, headers, body)
            assertEquals(answer, same)
            assertEquals(answer.hashCode(), same.hashCode())
            assertEquals(answer.toString(), same.toString())
            for (other in
                listOf(
                    Answer(200, headers, body),
                    Answer(status, headers.take(2), body),
                    Answer(status, headers, "$body "),
                )) assertNotEquals(answer, other)
        }

    @Test
    fun `letters of every length cross`() =
        school(1).use { engine ->
            for (name in listOf("", "a", "é", "aé", "漢字", "a😀b")) {
                val line = """{"type":"gender","id":1,"name":"$name"}"""
                engine.apply(line)
                val found = engine.ask(Question.Lookup(LookupList.GENDER)).body
                assertEquals("""[{"id":"1","name":"$name"}]""", found)
                val target = "/api/v1/adminplus/learners/1?name=$name"
                assertEquals(401, engine.request(target).status)
            }
        }

    /** Checks during each call that the garbage collector does not free the engine. */
    private class Watching : Direct.Crossing {
        var engine: WeakReference<NativeEngine>? = null
        var calls = 0
        var gone = 0

        override fun call(engine: Long, space: Direct.Space) {
            this.engine?.let {
                System.gc()
                calls++
                // The call is not made, because it would read memory that was freed.
                if (it.get() == null) throw IllegalStateException("gone").also { gone++ }
            }
            Direct.Crossing.Library.call(engine, space)
        }

        override fun giveBack(space: Direct.Space) =
            Direct.Crossing.Library.giveBack(space)

        /** Creates an engine to which only the caller has a reference. */
        fun watched(): Engine =
            Engine.memory().also {
                it.handle.crossing = this
                engine = WeakReference(it.handle.native)
            }
    }

    @Test
    fun `an engine without references is not freed until its call has ended`() {
        val question = Question.Learners(1)
        val request = Request("/api/v1/settings/clients")
        val watching = Watching()
        // Lets the JVM compile the calls: the interpreter does not release the references of a
        // function before its end.
        Engine.memory().use { engine ->
            engine.handle.crossing = watching
            repeat(20_000) {
                engine.ask(question)
                engine.request(request)
                engine.requests(listOf(request))
            }
        }
        repeat(10) {
            runCatching { watching.watched().ask(question) }
            runCatching { watching.watched().request(request) }
            runCatching { watching.watched().requests(listOf(request)) }
        }
        assertEquals(30, watching.calls)
        assertEquals(0, watching.gone)
    }

    @Test
    fun `arguments are erased, and large memory is freed`() {
        val spaces = mutableSetOf<Direct.Space>()
        val seeing =
            object : Direct.Crossing {
                override fun call(engine: Long, space: Direct.Space) {
                    spaces += space
                    Direct.Crossing.Library.call(engine, space)
                }

                override fun giveBack(space: Direct.Space) =
                    Direct.Crossing.Library.giveBack(space)
            }
        school(1).use { engine ->
            engine.handle.crossing = seeing
            for (length in listOf(1, 1_000, 2_000, 100_000)) {
                val name = "x".repeat(length)
                val request = Request("/api/v1/adminplus/learners/1?name=$name")
                assertEquals(401, engine.request(request).status)
                assertEquals(2, engine.requests(listOf(request, request)).size)
                assertThrows(RollbookException.BadArgument::class.java) { engine.request(name + "\uD800") }
            }
        }
        for (space in spaces) {
            assertEquals(Direct.INPUT_BYTES, space.input.capacity())
            assertEquals(null, space.engineInUse)
            assertEquals(0, space.input.position())
            repeat(Direct.INPUT_BYTES) { assertEquals(0, space.input.get(it)) }
        }
    }

    @Test
    fun `the idle memory of many simultaneous calls is limited`() {
        val before = List(Direct.MAX_IDLE) { Direct.acquire() }
        val more = List(Direct.MAX_IDLE) { Direct.acquire() }
        (before + more).forEach(Direct::release)
        val idle = generateSequence { Direct.acquire() }.take(Direct.MAX_IDLE + 1).toList()
        assertEquals(Direct.MAX_IDLE, idle.count { it in before || it in more })
        idle.forEach(Direct::release)
    }

    private companion object {
        const val SCHOOL_LINE = """{"type":"school","school_id":1,"current_year":2026}"""
        const val LEARNER = """{"type":"learner","school_id":1,"id":%d,"last_name":"Zoë"}"""
        val CREDENTIALS = arrayOf("HTTP-X-USERNAME" to "demo", "HTTP-X-PASSWORD" to "demo")
    }
}
