package rollbook

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.io.path.div
import kotlin.io.path.inputStream
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

class AsyncEngineTest {
    @TempDir lateinit var folder: Path

    private val engine = SampleSchool.engine()
    private val school = AsyncEngine(engine)
    private val big = Inputs.school(1000)

    @Test
    fun `every function of the engine is there, and suspends`() {
        fun names(type: Class<*>) =
            type.declaredMethods
                .filter { java.lang.reflect.Modifier.isPublic(it.modifiers) && !it.isSynthetic }
                .map { it.name.substringBefore("-") }
                .toSet()
        // A load in pieces blocks the thread on which its caller pushes. Only the package itself
        // uses the address.
        val own = setOf("load", "loadSchool", "closeStore", "address")
        val missing =
            names(NativeEngineInterface::class.java) - own - names(AsyncEngine::class.java)
        assertEquals(emptySet<String>(), missing)
    }

    @Test
    fun `answers are the engine's, on the dispatcher's threads`(): Unit = runBlocking {
        val target = "/api/v1/adminplus/learners/1000"
        val expected = engine.request(target, *SampleSchool.credentials)
        val answers =
            List(50) {
                    async { school.request(target, *SampleSchool.credentials) }
                }
                .awaitAll()
        assertEquals(setOf(expected), answers.toSet())
        val request = Request(target, headers = headersOf(*SampleSchool.credentials))
        assertEquals(expected, school.request(request))
        assertEquals(listOf(expected), school.requests(listOf(request)))
        val learners = Question.Learners(1000)
        assertEquals(engine.ask(learners), school.ask(learners))
        assertEquals(engine.page(learners, Page()), school.page(learners))
        assertEquals(engine.find(learners), school.find(learners))
        assertEquals(engine.stats(), school.stats())
        assertEquals(engine.upgrade(target), school.upgrade(target))
        assertEquals(engine.verify(), school.verify())
        assertEquals(engine.check(Dataset.Text("{}")), school.check(Dataset.Text("{}")))
        assertEquals(204, school.setState("demo", 1000, 8, true).status)

        var thread = Thread.currentThread()
        AsyncEngine(engine, Dispatchers.Default).apply(SampleSchool.dataset) {
            thread = Thread.currentThread()
            true
        }
        assertTrue(thread.name.startsWith("DefaultDispatcher"), thread.name)
    }

    @Test
    fun `changes, an export and care`(): Unit = runBlocking {
        val store = AsyncEngine(Engine.open(folder / "store", SampleSchool.options))
        assertEquals(2L, store.apply(SampleSchool.dataset).kinds.getValue("school").added)
        assertEquals(engine.lines(), store.export(Credentials.LEAVE_OUT).toList().joinToString(""))
        store.export(Credentials.KEEP).first()
        val renamed = store.exportPseudonymised(ByteArray(32)).toList().joinToString("")
        Engine.memory().use {
            it.apply(renamed)
            assertEquals(renamed, it.lines())
        }
        assertFalse(renamed.contains("\"integrator\""))
        assertThrows<RollbookException.BadArgument> { engine.exportPseudonymised(ByteArray(5)) }
        store.compact()
        store.backup(folder / "backup", Credentials.KEEP)
        store.suspend()
        assertThrows<RollbookException.Suspended> { store.stats() }
        store.resume()
        val one = """{"type":"school","school_id":1000,"current_year":2026}"""
        assertTrue(store.replaceSchool(1000, one).total.removed > 0)
        store.eraseLearner(1001, 1)
        store.removeSchool(1001)
        store.close()
        store.close()
        assertThrows<RollbookException.Closed> { store.stats() }
        Engine.open(folder / "backup").use { assertEquals(engine.lines(), it.lines()) }
    }

    @Test
    fun `a load is cancelled with its coroutine, and ends before the coroutine does`(): Unit =
        runBlocking {
            val before = engine.lines()
            val loads: List<suspend (LoadListener) -> Summary> =
                listOf(
                    { school.apply(big, it) },
                    { school.replaceSchool(1000, big, it) },
                    { listen -> big.inputStream().use { school.apply(it, listen) } },
                    { listen -> big.inputStream().use { school.replaceSchool(1000, it, listen) } },
                )
            for (load in loads) {
                val begun = CompletableDeferred<Unit>()
                val inside = AtomicBoolean()
                val caught = CompletableDeferred<Throwable>()
                val loading =
                    launch(Dispatchers.Default) {
                        try {
                            val listener = LoadListener {
                                inside.set(true)
                                begun.complete(Unit)
                                Thread.sleep(20)
                                inside.set(false)
                                true
                            }
                            load(listener)
                        } catch (thrown: Throwable) {
                            // The listener has returned, and another change can begin.
                            assertFalse(inside.get())
                            engine.apply("""{"type":"school","school_id":7,"current_year":2026}""")
                            caught.complete(thrown)
                            throw thrown
                        }
                    }
                begun.await()
                loading.cancelAndJoin()
                assertTrue(caught.await() is CancellationException, "${caught.await()}")
                assertTrue(loading.isCancelled)
                engine.removeSchool(7)
                assertEquals(before, engine.lines())
            }
        }

    @Test
    fun `a load that its listener cancels, by false or by throwing`(): Unit = runBlocking {
        val before = engine.lines()
        assertThrows<RollbookException.Cancelled> { school.apply(big) { false } }
        val own = IllegalStateException("own")
        val thrown = assertThrows<IllegalStateException> { school.apply(big) { throw own } }
        // kotlinx.coroutines may throw a copy with the stack traces of both threads.
        assertSame(own, thrown.cause ?: thrown)
        assertEquals(before, engine.lines())
    }
}
