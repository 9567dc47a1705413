package rollbook

import java.nio.file.Path
import java.util.concurrent.Executors
import kotlin.io.path.div
import kotlin.io.path.readText
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.FlowPreview
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.channels.toList
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.produceIn
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.flow.transformWhile
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** From the README. */
suspend fun show(school: AsyncEngine) {
    school.observe(Question.Grades(school = 1000)).collect { given ->
        given.onSuccess { println("${it.status} ${it.body}") }.onFailure { println(it.message) }
    }
}

class ObservingTest {
    @TempDir lateinit var folder: Path

    private val engine = Engine.memory().apply { apply(SCHOOL) }
    private val school = AsyncEngine(engine)

    @AfterEach fun close() = engine.close()

    private fun grade(name: String) =
        """{"type":"grade","school_id":1,"grade_id":9,"grade":"$name"}"""

    private fun shown(name: String) =
        Answer(200, """[{"id":"9","name":"Grade $name"}]""".encodeToByteArray())

    private fun Flow<Result<Answer>>.answers() = map { it.getOrThrow() }

    /** Collects answers without a buffer. */
    @OptIn(FlowPreview::class, ExperimentalCoroutinesApi::class)
    private suspend fun <T> collecting(
        answers: Flow<Result<Answer>>,
        test: suspend CoroutineScope.(ReceiveChannel<Answer>) -> T,
    ): T = withTimeout(120_000) {
        val channel = answers.answers().buffer(Channel.RENDEZVOUS).produceIn(this)
        test(channel).also { channel.cancel() }
    }

    @Test
    fun `the answer now and after each change, and nothing else`(): Unit = runBlocking {
        collecting(school.observe(GRADES)) { grades ->
            assertEquals(404, grades.receive().status)
            for (name in listOf("7", "8")) {
                school.apply("$PARENT\n${grade(name)}")
                assertEquals(shown(name), grades.receive())
            }
            // A change of other data, and a change that results in the same answer, deliver
            // nothing.
            school.apply(PARENT.replace("40", "41"))
            school.replaceSchool(1, SCHOOL + grade("8"))
            assertNull(withTimeoutOrNull(200) { grades.receive() })
            school.replaceSchool(1, SCHOOL + grade("9"))
            assertEquals(shown("9"), grades.receive())
        }
        val record = school.observeRecord(Question.Grades(1, 9)).first().getOrThrow()
        assertEquals("""{"id":9,"name":"Grade 9"}""", record.body)
    }

    @Test
    fun `a slow collector receives the last answer, and none twice`(): Unit = runBlocking {
        val given = mutableListOf<Answer>()
        withTimeout(120_000) {
            school.observe(GRADES).answers().onEach { given += it }.first { answer ->
                when (given.size) {
                    1 -> for (name in listOf("7", "8")) school.apply(grade(name))
                    // The answer is the same again at the next poll.
                    2 -> for (name in listOf("9", "8")) school.apply(grade(name))
                }
                if (given.size == 2) launch { school.apply(grade("10")) }
                answer == shown("10")
            }
        }
        assertEquals(listOf(shown("8"), shown("10")), given.drop(1))
    }

    @Test
    fun `it completes with the engine`(): Unit = runBlocking {
        collecting(school.observe(GRADES)) { grades ->
            grades.receive()
            school.close()
            assertEquals(emptyList<Answer>(), grades.toList())
        }
        assertEquals(emptyList<Result<Answer>>(), school.observe(GRADES).toList())
    }

    @Test
    fun `a live query begins and ends with its collection`(): Unit = runBlocking {
        val begun = mutableListOf<LiveQuery>()
        val answers = answers(Dispatchers.IO) { listener ->
            engine.observe(GRADES, listener).also { begun += it }
        }
        assertEquals(0, begun.size)
        answers.first()
        val waiting = launch { answers.collect {} }
        while (begun.size < 2) yield()
        delay(50)
        waiting.cancel()
        waiting.join()
        for (query in begun) assertThrows<IllegalStateException> { query.isOver() }
        val refused = school.observe(Question.Absentees(1, fromDate = "yesterday"))
        assertThrows<RollbookException.BadArgument> { runBlocking { refused.first() } }
    }

    @Test
    fun `an error is delivered and the live query continues`(): Unit = runBlocking {
        val given = mutableListOf<Result<Answer>>()
        withTimeout(120_000) {
            school.observe(Question.Learners(1)).first {
                given += it
                when (given.size) {
                    1 -> bringAPart()
                    2 -> engine.forgetSync(1)
                }
                given.size == 3
            }
        }
        val (none, unknown, known) = given
        assertEquals(404, none.getOrThrow().status)
        assertTrue(unknown.exceptionOrNull() is RollbookException.NotSynced, "$unknown")
        assertEquals(200, known.getOrThrow().status)
    }

    /**
     * Lets the engine follow a source with a scope of one learner, so that questions about all
     * learners fail as `not_synced`.
     */
    private fun bringAPart() {
        Engine.memory().use { source ->
            source.apply("""$SCHOOL{"type":"learner","school_id":1,"id":7,"last_name":"Smith"}""")
            val feed = source.feed(Scope(listOf(SchoolInScope(1, listOf(7)))), null)
            engine.follow().use { follow ->
                for (piece in feed.pieces()) follow.push(piece.encodeToByteArray())
                follow.finish()
            }
        }
    }

    @Test
    fun `it waits while the engine is suspended`(): Unit = runBlocking {
        val file = folder / "school.redb"
        Engine.open(file).use { engine ->
            engine.apply(SCHOOL)
            val school = AsyncEngine(engine)
            collecting(school.observe(GRADES)) { grades ->
                grades.receive()
                school.suspend()
                Engine.open(file).use { it.apply(grade("7")) }
                assertNull(withTimeoutOrNull(100) { grades.receive() })
                school.resume()
                assertEquals(shown("7"), grades.receive())
            }
        }
    }

    @Test
    fun `another day begins at the school`(): Unit = runBlocking {
        val midnight = Midnight.next()
        school.apply(midnight.school)
        collecting(school.observe(Question.Absentees(1))) { days ->
            assertEquals(404, days.receive().status)
            val answer = days.receive()
            assertTrue(System.currentTimeMillis() >= midnight.at * 1000)
            assertTrue("\"learner_id\":\"7\"" in answer.body, answer.body)
        }
    }

    @Test
    fun `many observers share one thread`(): Unit = runBlocking {
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
            val school = AsyncEngine(engine, one)
            val end = shown("end")
            val observers = List(50) {
                async {
                    school
                        .observe(GRADES)
                        .answers()
                        .transformWhile {
                            emit(it)
                            it != end
                        }
                        .toList()
                }
            }
            for (number in 0 until 100) school.apply(grade("${number / 3}"))
            school.apply(grade("end"))
            val order = (0..33).map { shown("$it") } + end
            for (answers in withTimeout(120_000) { observers.awaitAll() }) {
                val places = answers.filter { it.status == 200 }.map(order::indexOf)
                assertEquals(places.toSortedSet().toList(), places)
                assertEquals(order.lastIndex, places.last())
            }
        }
    }

    @Test
    fun `the example of the README`(): Unit = runBlocking {
        val readme = (Inputs.root / "bindings/kotlin/README.md").readText()
        val example =
            readme
                .substringAfter("\n## Observing\n")
                .substringAfter("```kotlin\n")
                .substringBefore("```")
        val here = Inputs.root / "bindings/kotlin/src/test/kotlin/rollbook/ObservingTest.kt"
        assertTrue("/** From the README. */\n$example" in here.readText(), example)
        coroutineScope {
            val showing = launch(Dispatchers.IO) { show(school) }
            school.close()
            showing.join()
        }
    }

    private companion object {
        val GRADES = Question.Grades(1)
        const val SCHOOL = "{\"type\":\"school\",\"school_id\":1,\"current_year\":2026}\n"
        const val PARENT = """{"type":"parent","school_id":1,"id":40}"""
    }
}
