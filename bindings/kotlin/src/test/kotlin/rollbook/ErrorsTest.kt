package rollbook

import java.nio.file.Path
import kotlin.io.path.createTempDirectory
import kotlin.io.path.deleteExisting
import kotlin.io.path.div
import kotlin.io.path.readBytes
import kotlin.io.path.readText
import kotlin.io.path.writeBytes
import kotlin.io.path.writeText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestFactory
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

class ErrorsTest {
    @TempDir lateinit var folder: Path

    /** The cases of the error in `ffi/src/error.rs`, each with its code. */
    private val documented: Map<String, String> =
        Regex("""/// `([a-z_]+)`: [^\n]*\n(?:\s*(?:///|#)[^\n]*\n)*\s*([A-Za-z]+)\(String\)""")
            .findAll((Inputs.root / "ffi" / "src" / "error.rs").readText())
            .associate { it.groupValues[2] to it.groupValues[1] }

    @Test
    fun `every case has the code that is documented`() {
        val cases =
            RollbookException::class.java.declaredClasses.filter {
                RollbookException::class.java.isAssignableFrom(it)
            }
        val codes = cases.associate { case ->
            val error = case.getConstructor(String::class.java).newInstance("what to do")
            assertEquals("what to do", (error as RollbookException).message)
            case.simpleName to error.code
        }
        assertEquals(22, documented.size)
        assertEquals(documented, codes)
        val readme = (Inputs.root / "bindings" / "kotlin" / "README.md").readText()
        for ((name, code) in documented) assertTrue("| `$code` | `$name` |" in readme, code)
    }

    private fun store(): Path {
        val path = createTempDirectory(folder) / "store"
        Engine.open(path).use { it.apply(SampleSchool.dataset) }
        return path
    }

    /**
     * Calls that cause the errors. None causes `listener_failed`, because the exception of the
     * listener is thrown instead.
     */
    private val causes: Map<String, () -> Any?> =
        mapOf(
            "bad_dataset" to { Engine.memory().apply("{}") },
            "already_open" to { Engine.open(folder / "open").use { Engine.open(folder / "open") } },
            "reader_ended" to
                {
                    Engine.open(store()).use { engine ->
                        engine.export(Credentials.KEEP).use { export ->
                            engine.compact()
                            export.pieces().toList()
                        }
                    }
                },
            "suspended" to
                {
                    Engine.open(store()).use {
                        it.suspend()
                        it.stats()
                    }
                },
            "closed" to { Engine.memory().apply { close() }.stats() },
            "corrupt" to
                {
                    val path = store()
                    path.writeBytes(path.readBytes().let { it.copyOf(it.size / 2) })
                    Engine.open(path).use { it.stats() }
                },
            "io" to { Engine.memory().apply(folder / "missing") },
            "not_a_store" to
                {
                    val path = folder / "text"
                    path.writeText("Dear diary, this is no store.\n".repeat(1000))
                    Engine.open(path)
                },
            "missing" to
                {
                    val path = store()
                    Engine.open(path).use {
                        path.deleteExisting()
                        it.apply(SampleSchool.dataset)
                    }
                },
            "newer_format" to { openNewer(store()) },
            "exists" to
                {
                    store().let { path ->
                        Engine.open(path).use { it.backup(path, Credentials.KEEP) }
                    }
                },
            "cancelled" to { Engine.memory().apply(SampleSchool.dataset) { false } },
            "unsupported" to { Engine.memory(Options(pageLimit = 0)) },
            "bad_argument" to
                {
                    Engine.memory().ask(Question.Absentees(1000, fromDate = "2026-02-30"))
                },
        )

    /** Sets the format of the store to 2, and opens it. The number is located after its name. */
    private fun openNewer(path: Path) {
        val bytes = path.readBytes()
        val text = String(bytes, Charsets.ISO_8859_1)
        val names = Regex("format").findAll(text).map { it.range.last + 1 }
        val ones = names.flatMap { from -> (from until from + 256).filter { bytes.isOneAt(it) } }
        for (place in ones) {
            path.writeBytes(bytes.copyOf().also { it[place] = 2 })
            try {
                Engine.open(path).close()
            } catch (newer: RollbookException.NewerFormat) {
                throw newer
            } catch (_: RollbookException) {
                // Something else was at that place.
            }
        }
    }

    private fun ByteArray.isOneAt(place: Int) =
        place + 4 <= size && slice(place until place + 4) == listOf<Byte>(1, 0, 0, 0)

    @TestFactory
    fun `every error that can be caused`(): List<DynamicTest> {
        val others = listOf("busy", "id_reused", "not_synced", "synced", "resync_required", "out_of_sync", "diverged", "listener_failed")
        assertEquals(documented.values - others, causes.keys.toList())
        return causes.map { (code, cause) ->
            dynamicTest(code) {
                val error = assertThrows<RollbookException> { cause() }
                assertEquals(code, error.code, error.message)
                assertTrue(error.message!!.length > 10, error.message)
            }
        }
    }

    @Test
    fun `a listener that fails below the engine`() {
        val native = Engine::class.java.getDeclaredField("native").apply { isAccessible = true }
        val listener = LoadListener { throw ListenerException.Failed("as said") }
        val failed =
            assertThrows<RollbookException.ListenerFailed> {
                val engine = native.get(Engine.memory()) as NativeEngine
                engine.apply(Dataset.File(SampleSchool.dataset.toString()), listener)
            }
        assertEquals("the listener failed (as said): nothing was stored", failed.message)
    }

    @Test
    fun `a fault names its line`() {
        val bad =
            """{"type":"school","school_id":1,"current_year":2026}""" +
                "\n\n" +
                """{"type":"learner","school_id":1,"id":1,"date_of_birth":"2018-02-30"}"""
        val fault = assertThrows<RollbookException.BadDataset> { Engine.memory().apply(bad) }
        assertEquals(
            """line 3: learner: date_of_birth: "2018-02-30" is not a date (YYYY-MM-DD)""",
            fault.message,
        )
    }

    @TestFactory
    fun `a number that is out of range`(): List<DynamicTest> {
        val engine = SampleSchool.engine()
        val calls: Map<String, () -> Any?> =
            mapOf(
                "limit is -1: give 0 or more" to { engine.check(SampleSchool.dataset, -1) },
                "limit is -5: give 0 or more" to
                    {
                        engine.page(Question.Grades(1000), Page(limit = -5))
                    },
                "cacheBytes is -1: give 0 or more" to { Engine.memory(Options(cacheBytes = -1)) },
                "mostInFlight is -1: give 0 or more" to
                    {
                        engine.sync(2, SyncOptions(mostInFlight = -1))
                    },
                "status is 65946: give 0 to 65535" to
                    {
                        Engine.memory().sync(2).handleReply(1, 0, Reply(65946, ByteArray(0), null))
                    },
            )
        return calls.map { (message, call) ->
            dynamicTest(message) {
                val refused = assertThrows<RollbookException.BadArgument> { call() }
                assertEquals(message, refused.message)
            }
        }
    }

    @Test
    fun `a text with an unpaired surrogate`() {
        val engine = SampleSchool.engine()
        assertThrows<RollbookException.BadArgument> { engine.request("/api/v1/\uD800") }
        assertThrows<RollbookException.BadArgument> { engine.apply("\uDC00") }
        assertEquals(200, engine.ask(Question.Learners(1000)).status)
        engine.close()
    }
}
