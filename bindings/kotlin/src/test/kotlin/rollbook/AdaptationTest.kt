package rollbook

import kotlin.io.path.div
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.DynamicTest
import org.junit.jupiter.api.DynamicTest.dynamicTest
import org.junit.jupiter.api.TestFactory

/** Checks that `java.awk` refuses a source that does not have the expected form. */
class AdaptationTest {
    private val source = Inputs.unadapted.readText()
    private val script = Inputs.root / "bindings" / "kotlin" / "java.awk"

    /** Changes of the source, each with what the script reports. */
    private val changes: Map<Pair<String, String>, String> =
        mapOf(
            ("data class Page \\(" to "data class Page(private") to "has no constructor: data class Page",
            ("(\\R +)companion object" to "$1companion  Object") to "the record does not end",
            ("kotlin\\.ULong" to "kotlin.UByte") to "an unsigned integer is left",
            (": kotlin\\.Exception" to ": Exception") to "kotlin\\.Exception exception",
            ("object FfiConverterU" to "object Converter") to "<ULong, converter",
            ("callWithHandle \\{" to "callWith {") to "_status\\)$ call",
            ("_status\\)" to "_status )") to "a call does not end",
            ("`pageLimit`" to "`pageSize`") to "`pageLimit`",
            ("`inFlight`" to "`running`") to "the range is not checked",
            ("encode\\(CharBuffer" to "encode(Chars") to "the encoding of texts",
        )

    private fun report(input: String): Pair<Int, String> {
        val awk = ProcessBuilder("awk", "-f", "$script").redirectOutput(ProcessBuilder.Redirect.DISCARD)
        val process = awk.apply { environment()["LC_ALL"] = "C" }.start()
        process.outputStream.bufferedWriter().use { it.write(input) }
        val report = process.errorStream.bufferedReader().readText()
        return process.waitFor() to report
    }

    @TestFactory
    fun `a source in another form is refused`(): List<DynamicTest> {
        assertEquals(0 to "", report(source))
        return changes.map { (change, expected) ->
            dynamicTest(change.first) {
                val (status, report) = report(source.replace(Regex(change.first), change.second))
                assertEquals(1, status)
                assertTrue(expected in report, report)
            }
        }
    }
}
