package rollbook

import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.io.path.div
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

private val LEARNERS = Question.Learners(school = 1000)

class LifetimeTest {
    @TempDir lateinit var folder: Path

    @Test
    fun `a closed engine fails as closed, whatever is called, and may be closed again`() {
        val engine = Engine.open(folder / "store", SampleSchool.options)
        engine.apply(SampleSchool.dataset)
        engine.close()
        engine.close()
        val calls: Map<String, (Engine) -> Unit> =
            mapOf(
                "ask" to { it.ask(LEARNERS) },
                "page" to { it.page(LEARNERS, Page()) },
                "find" to { it.find(LEARNERS) },
                "setState" to { it.setState("demo", 1000, 8, false) },
                "apply" to { it.apply("") },
                "apply a stream" to { it.apply("".byteInputStream()) },
                "replaceSchool" to { it.replaceSchool(1000, "") },
                "check" to { it.check(SampleSchool.dataset) },
                "removeSchool" to { it.removeSchool(1000) },
                "eraseLearner" to { it.eraseLearner(1000, 1) },
                "export" to { it.export(Credentials.KEEP) },
                "verify" to { it.verify() },
                "compact" to { it.compact() },
                "backup" to { it.backup(folder / "backup", Credentials.KEEP) },
                "suspend" to { it.suspend() },
                "resume" to { it.resume() },
                "stats" to { it.stats() },
            )
        for ((name, call) in calls) {
            val closed = assertThrows<RollbookException.Closed>(name) { call(engine) }
            assertEquals("closed", closed.code)
        }
        val answer = engine.request("/api/v1/settings/clients", *SampleSchool.credentials)
        assertEquals(500, answer.status)
        assertEquals(
            "/api/v2/adminplus/learners",
            engine.upgrade("/api/v1/adminplus/learners/1000").target,
        )
    }

    @Test
    fun `use closes, and what was applied is there when it is opened again`() {
        val path = folder / "store"
        Engine.open(path, SampleSchool.options).use { it.apply(SampleSchool.dataset) }
        val again = Engine.open(path.toString(), SampleSchool.options)
        assertEquals(SampleSchool.engine().lines(), again.use { it.lines() })
    }

    @Test
    fun `a released engine closes its file`() {
        val path = folder / "store"
        openAndRelease(path)
        for (attempt in 1..200) {
            System.gc()
            try {
                return Engine.open(path).close()
            } catch (_: RollbookException.AlreadyOpen) {
                Thread.sleep(25)
            }
        }
        throw AssertionError("the file is still open")
    }

    private fun openAndRelease(path: Path) {
        val engine = Engine.open(path)
        engine.apply(SampleSchool.dataset)
        assertThrows<RollbookException.AlreadyOpen> { Engine.open(path) }
        assertThrows<RollbookException.BadArgument> { engine.upgrade("\uD800") }
    }

    @Test
    fun `closing while others ask ends their asking and nothing else`() {
        repeat(20) {
            val engine = SampleSchool.engine()
            val expected = engine.ask(LEARNERS)
            val asking = CountDownLatch(4)
            val threads = Executors.newFixedThreadPool(4)
            val askers =
                List(4) {
                    threads.submit(
                        Callable {
                            assertThrows<RollbookException.Closed> {
                                while (true) {
                                    assertEquals(expected, engine.ask(LEARNERS))
                                    asking.countDown()
                                }
                            }
                        }
                    )
                }
            asking.await()
            engine.close()
            askers.forEach { it.get(10, SECONDS) }
            threads.shutdown()
        }
    }

    @Test
    fun `many threads get the answers that one gets`() {
        val engine = SampleSchool.engine()
        val requests =
            (0..19).map { learner ->
                Request(
                    "/api/v1/adminplus/learners/1000?learner_id=$learner&include_parents=1",
                    headers = headersOf(*SampleSchool.credentials),
                )
            }
        val expected = requests.map(engine::request)
        assertTrue(expected.distinct().size > 5)
        val threads = Executors.newFixedThreadPool(8)
        val answers = List(64) { threads.submit(Callable { requests.map(engine::request) }) }
        answers.forEach { assertEquals(expected, it.get(60, SECONDS)) }
        threads.shutdown()
    }

    @Test
    fun `an export or load that is over or closed`() {
        val engine = SampleSchool.engine()
        val export = engine.export(Credentials.KEEP)
        assertTrue(export.read()!!.isNotEmpty())
        export.cancel()
        assertEquals(null, export.read())
        val load = engine.load()
        load.cancel()
        load.cancel()
        val over = assertThrows<RollbookException.Closed> { load.push("{}".encodeToByteArray()) }
        assertEquals("the load is over: begin another", over.message)
        assertThrows<RollbookException.Closed> { load.finish() }
        load.close()
        assertThrows<IllegalStateException> { load.finish() }
    }
}
