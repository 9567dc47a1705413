package rollbook

import java.nio.charset.CharacterCodingException
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** What a question takes to cross: calls and bytes, which are counted. */
class CrossingTest {
    private class Counting : Direct.Crossing {
        val sent = mutableListOf<Int>()
        val back = mutableListOf<Long>()

        override fun call(engine: Long, space: Direct.Space) {
            sent += space.input.position()
            Direct.Crossing.Usual.call(engine, space)
        }

        override fun giveBack(lent: Long, capacity: Long) {
            back += capacity
            Direct.Crossing.Usual.giveBack(lent, capacity)
        }
    }

    private fun counted(engine: Engine, ask: (Engine) -> Unit): Counting {
        val counting = Counting()
        engine.crossing = counting
        ask(engine)
        engine.crossing = Direct.Crossing.Usual
        return counting
    }

    /** Learners whose answer is larger than what is written into the caller's memory. */
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
                    it.ask(Question.Learners(1u, learnerId = 1u))
                    it.find(Question.Learners(1u, learnerId = 1u))
                    it.page(Question.Learners(1u), Page())
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
            val expected = engine.ask(Question.Learners(1u))
            val counted =
                counted(engine) {
                    repeat(20) {
                        assertArrayEquals(expected.bytes, engine.ask(Question.Learners(1u)).bytes)
                    }
                }
            assertTrue(expected.bytes.size > Direct.ROOM)
            assertEquals(20, counted.back.size)
            assertTrue(counted.back.all { it >= expected.bytes.size })
        }

    @Test
    fun `what is refused is an error and leaves the memory for the next`() {
        val engine = school(1)
        assertThrows(RollbookException.BadArgument::class.java) {
            engine.ask(Question.Absentees(1u, fromDate = "yesterday"))
        }
        assertThrows(CharacterCodingException::class.java) { engine.request("/\uD800") }
        assertEquals(200u.toUShort(), engine.ask(Question.Learners(1u)).status)
        engine.close()
        assertThrows(RollbookException.Closed::class.java) { engine.ask(Question.Learners(1u)) }
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
                assertEquals(401u.toUShort(), engine.request(target).status)
            }
        }

    private companion object {
        const val SCHOOL_LINE = """{"type":"school","school_id":1,"current_year":2026}"""
        const val LEARNER = """{"type":"learner","school_id":1,"id":%d,"last_name":"Zoë"}"""
        val CREDENTIALS = arrayOf("HTTP-X-USERNAME" to "demo", "HTTP-X-PASSWORD" to "demo")
    }
}
