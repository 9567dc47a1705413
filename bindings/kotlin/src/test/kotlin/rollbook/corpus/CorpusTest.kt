package rollbook.corpus

import kotlin.io.path.readText
import kotlinx.serialization.json.Json
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import rollbook.Engine
import rollbook.Inputs
import rollbook.RollbookException
import rollbook.Summary
import rollbook.header
import rollbook.lines

class CorpusTest {
    private var requests = 0

    @Test
    fun `every case of the corpus`() {
        val cases = Case.all(Inputs.corpus)
        val failures = cases.mapNotNull { case ->
            runCatching { run(case) }.exceptionOrNull()?.let { "${case.name}: ${it.message}" }
        }
        println("corpus: ${cases.size} cases, $requests requests")
        assertEquals(emptyList<String>(), failures)
        val size = Json.decodeFromString<Size>(Inputs.corpusSize.readText())
        assertEquals(size, Size(cases.size, requests))
    }

    private fun run(case: Case) =
        Engine.memory().use { engine ->
            val cursors = Cursors()
            case.steps.forEachIndexed { place, step ->
                try {
                    run(step, engine, cursors)
                } catch (failed: Throwable) {
                    throw AssertionError("step ${place + 1}: ${failed.message}", failed)
                }
            }
            assertEquals(emptyList<String>(), engine.verify().problems)
        }

    private fun run(step: Step, engine: Engine, cursors: Cursors) =
        when (step) {
            is Step.Apply -> changed(step.expected) { engine.apply(step.dataset) }
            is Step.ReplaceSchool ->
                changed(step.expected) { engine.replaceSchool(step.school, step.dataset) }
            is Step.RemoveSchool -> changed(step.expected) { engine.removeSchool(step.school) }
            is Step.EraseLearner ->
                changed(step.expected) { engine.eraseLearner(step.school, step.learner) }
            is Step.Check -> {
                val faults =
                    engine.check(step.dataset, step.limit).map { "line ${it.line}: ${it.what}" }
                assertEquals(step.faults.size, faults.size, "$faults")
                step.faults.zip(faults) { expected, found ->
                    assertTrue(expected.fits(found), "$found instead of $expected")
                }
                Unit
            }
            is Step.Export -> assertEquals(step.lines, engine.lines())
            is Step.Request -> answered(step, engine, cursors)
        }

    private fun changed(expected: Outcome, change: () -> Summary) {
        if (expected.fault != null) {
            val fault = assertThrows<RollbookException.BadDataset> { change() }
            assertTrue(expected.fault.fits(fault.message!!), "${fault.message}, not $expected")
            return
        }
        val counts =
            change().kinds.toSortedMap().map { (kind, n) ->
                "$kind +${n.added} ~${n.changed} -${n.removed} .${n.unchanged}"
            }
        if (expected.counts.isNotEmpty()) assertEquals(expected.counts, counts)
    }

    private fun answered(step: Step.Request, engine: Engine, cursors: Cursors) {
        requests++
        val headers = step.headers.map { (name, value) -> name to value }.toTypedArray()
        val answer =
            engine.request(
                cursors.target(step.target),
                *headers,
                method = step.method,
                body = step.body,
                now = step.now,
            )
        if (!cursors.fits(answer.body, step.answer)) assertEquals(step.answer, answer.body)
        assertEquals(step.status, answer.status)
        assertEquals(step.allow, answer.header("Allow"))
        val bytes = answer.body.encodeToByteArray().size
        assertEquals("$bytes", answer.header("Content-Length"))
    }
}

class CursorsTest {
    private val expected = """{"data":[],"meta":{"limit":1,"next_cursor":"<a1>"}}"""

    private fun answer(cursor: String) = expected.replace("<a1>", cursor)

    @Test
    fun `a cursor is taken from an answer and put into a target`() {
        val cursors = Cursors()
        assertTrue(cursors.fits(answer("Az-09_"), expected))
        assertEquals("/l?c=xAz-09_Az-09_&y", cursors.target("/l?c=x<a1><a1>&y"))
        assertTrue(cursors.fits(answer("B"), expected))
        assertEquals("B", cursors.target("<a1>"))
        assertThrows<IllegalStateException> { cursors.target("<b>") }
    }

    @Test
    fun `all else must be the same`() {
        val wrong =
            listOf("", "a b", "a=", "ä", "<a1>", "a\"b").map(::answer) +
                listOf("\"limit\":1" to "\"limit\":2", "}}" to "}", "\"<a1>\"" to "null").map {
                    (from, to) ->
                    expected.replace(from, to).replace("<a1>", "a")
                }
        for (found in wrong) assertFalse(Cursors().fits(found, expected), found)
    }
}
