package rollbook

import java.io.IOException
import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.file.Path
import kotlin.io.path.div
import kotlin.io.path.fileSize
import kotlin.io.path.inputStream
import kotlin.io.path.readBytes
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

class LoadsTest {
    @TempDir lateinit var folder: Path

    private val dataset = SampleSchool.dataset
    private val lines = SampleSchool.engine().lines()

    @Test
    fun `text, bytes, a file, a stream and pieces have the same result`() {
        val ways: Map<String, (Engine) -> Summary> =
            mapOf(
                "text" to { it.apply(dataset.readText()) },
                "bytes" to { it.apply(Dataset.Bytes(dataset.readBytes())) },
                "file" to { it.apply(dataset) },
                "stream" to { engine -> dataset.inputStream().use { engine.apply(it) } },
                "stream that comes in drops" to { it.apply(Drops(dataset.readBytes())) },
                "pieces" to
                    { engine ->
                        engine.load().use { load ->
                            dataset.readBytes().asList().chunked(777) {
                                load.push(it.toByteArray())
                            }
                            load.finish()
                        }
                    },
            )
        val summaries = ways.mapValues { (way, apply) ->
            val engine = Engine.memory()
            val summary = apply(engine)
            assertEquals(lines, engine.lines(), way)
            summary
        }
        assertEquals(1, summaries.values.distinct().size, "$summaries")
        val summary = summaries.getValue("file")
        assertEquals(dataset.fileSize(), summary.bytes)
        assertEquals(2L, summary.kinds.getValue("school").added)
    }

    private class Drops(private val bytes: ByteArray) : InputStream() {
        private var place = 0

        override fun read(): Int = if (place == bytes.size) -1 else bytes[place++].toInt() and 0xff

        override fun read(into: ByteArray, offset: Int, length: Int): Int {
            if (place == bytes.size) return -1
            into[offset] = read().toByte()
            return 1
        }
    }

    @Test
    fun `a buffer is pushed from its position to its limit, direct or not`() {
        val line = """{"type":"school","school_id":7,"current_year":2026}""".encodeToByteArray()
        val heap = ByteBuffer.wrap("xx".encodeToByteArray() + line + "yy".encodeToByteArray())
        val direct = ByteBuffer.allocateDirect(heap.capacity()).put(heap.duplicate())
        for (buffer in listOf(heap, direct, direct.asReadOnlyBuffer())) {
            buffer.limit(line.size + 2).position(2)
            val engine = Engine.memory()
            val load = engine.load()
            assertEquals(line.size.toLong(), load.push(buffer).bytes)
            assertEquals(2, buffer.position())
            assertEquals(1L, load.finish().total.added)
        }
    }

    @Test
    fun `a school is replaced from text, file and stream`() {
        val school =
            """{"type":"school","school_id":1000,"school_name":"New","current_year":2026}"""
        val file = folder / "school.ndjson"
        file.toFile().writeText(school)
        val ways: List<(Engine) -> Summary> =
            listOf(
                { it.replaceSchool(1000, school) },
                { it.replaceSchool(1000, file) },
                { it.replaceSchool(1000, school.byteInputStream()) },
                { it.replaceSchool(1000, Dataset.Bytes(school.encodeToByteArray())) },
            )
        val exports = ways.map { replace ->
            val engine = SampleSchool.engine()
            assertTrue(replace(engine).total.removed > 0)
            engine.lines()
        }
        assertEquals(1, exports.distinct().size)
        assertTrue("\"New\"" in exports[0])
    }

    @Test
    fun `a check lists faults and applies nothing`() {
        val engine = Engine.memory()
        val text = "{}\n{\"type\":\"learner\"}\n"
        val faults = engine.check(text)
        assertEquals(listOf(1L, 2L), faults.map { it.line })
        assertEquals(faults.take(1), engine.check(text, limit = 1))
        assertEquals(emptyList<Fault>(), engine.check(dataset))
        assertEquals("", engine.lines())
    }

    @Test
    fun `a dataset of more than 100 MB from a file, with progress`() {
        val school = Inputs.school(3000)
        assertTrue(school.fileSize() > 100_000_000, "${school.fileSize()} bytes")
        val received = ArrayList<Progress>()
        Engine.open(folder / "store").use { engine ->
            val summary = engine.apply(school) { received.add(it) }
            assertEquals(school.fileSize(), summary.bytes)
            assertEquals(summary.bytes, received.last().bytes)
            assertEquals(3_000L, engine.stats().records["learner"])
        }
        assertTrue(
            received.size.toLong() > school.fileSize() / (65 shl 10),
            "received ${received.size} times",
        )
        received.zipWithNext { before, after -> assertTrue(before.bytes < after.bytes) }
        println("load: ${school.fileSize() / 1_000_000} MB, progress received ${received.size} times")
    }

    private class Own : RuntimeException("the listener's own")

    @Test
    fun `a load throws the exception of its listener, and stores nothing`() {
        val engine = SampleSchool.engine()
        val school = Inputs.school(1000)
        val loads: List<(LoadListener) -> Summary> =
            listOf(
                { engine.apply(school, it) },
                { engine.replaceSchool(1000, school, it) },
                { listen -> school.inputStream().use { engine.apply(it, listen) } },
                { listen -> school.inputStream().use { engine.replaceSchool(1000, it, listen) } },
                { engine.apply(Dataset.File(school.toString()), it) },
            )
        for (load in loads) {
            for (own in listOf(Own(), IOException("checked"), StackOverflowError("an error"))) {
                var times = 0
                val thrown =
                    assertThrows<Throwable> {
                        load(LoadListener { if (++times == 3) throw own else true })
                    }
                assertSame(own, thrown)
                assertEquals(3, times)
            }
            var times = 0
            val cancelled = assertThrows<RollbookException.Cancelled> { load(LoadListener { ++times < 2 }) }
            assertEquals("the load was cancelled: nothing was stored", cancelled.message)
            assertEquals(lines, engine.lines())
        }
    }

    @Test
    fun `a stream that fails`() {
        val engine = SampleSchool.engine()
        val broken =
            object : InputStream() {
                override fun read(): Int = throw IOException("torn")
            }
        val torn = assertThrows<IOException> { engine.apply(broken) }
        assertEquals("torn", torn.message)
        assertEquals(lines, engine.lines())
    }

    @Test
    fun `an export applied to another engine gives the same export`() {
        val first = Engine.memory(SampleSchool.options)
        first.apply(Inputs.school(1000))
        val pieces = first.export(Credentials.KEEP).use { it.pieces().toList() }
        assertTrue(pieces.size > 100, "${pieces.size} pieces")
        val second = Engine.memory(SampleSchool.options)
        second.load().use { load ->
            pieces.forEach { load.push(it.encodeToByteArray()) }
            load.finish()
        }
        val again = second.export(Credentials.KEEP).use { it.pieces().toList() }
        assertEquals(pieces, again)
        val request =
            Request(
                "/api/v1/adminplus/learners/1000?learner_id=1",
                headers = headersOf(*SampleSchool.credentials),
            )
        assertEquals(first.request(request), second.request(request))
    }

    @Test
    fun `a backup is a store, with the integrators or without`() {
        val engine = SampleSchool.engine()
        Engine.open(folder / "store", SampleSchool.options).use {
            it.apply(dataset)
            it.backup(folder / "whole", Credentials.KEEP)
            it.backup(folder / "bare", Credentials.LEAVE_OUT)
        }
        fun status(store: String) =
            Engine.open(folder / store, SampleSchool.options).use {
                assertEquals(engine.lines(), it.lines())
                it.request("/api/v1/adminplus/learners/1000", *SampleSchool.credentials).status
            }
        assertEquals(200, status("whole"))
        assertEquals(401, status("bare"))
    }

    @Test
    fun `suspended, the file is free and calls fail, resumed all is as before`() {
        val path = folder / "store"
        val engine = Engine.open(path, SampleSchool.options)
        engine.apply(dataset)
        engine.suspend()
        assertThrows<RollbookException.Suspended> { engine.stats() }
        assertEquals(500, engine.request("/api/v1/settings/clients").status)
        Engine.open(path).close()
        engine.resume()
        engine.resume()
        assertEquals(lines, engine.lines())
        engine.close()
    }

    @Test
    fun `removing, erasing, compacting and verifying`() {
        val path = folder / "store"
        Engine.open(path, SampleSchool.options).use { engine ->
            engine.apply(dataset)
            assertEquals(1L, engine.eraseLearner(1000, 1).kinds.getValue("learner").removed)
            assertTrue(engine.removeSchool(1001).total.removed > 0)
            engine.compact()
            val found = engine.verify()
            assertEquals(emptyList<String>(), found.problems)
            assertTrue(found.records > 0)
            assertEquals(1L, engine.stats().records["school"])
        }
    }
}
