package rollbook

import kotlin.io.path.div
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.io.path.walk
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** What is documented in Rust is documented here: the generated source has it as KDoc. */
class DocumentationTest {
    private val generated = Inputs.generated.readText()

    /** The documentation above a declaration, its lines joined by blanks. */
    private fun above(declaration: String): String {
        val place = generated.indexOf(declaration)
        assertTrue(place >= 0, declaration)
        return generated
            .substring(0, place)
            .substringAfterLast("/**")
            .substringBefore("*/")
            .lines()
            .joinToString(" ") { it.trim().removePrefix("*").trim() }
            .trim()
    }

    @Test
    fun `classes, functions, fields and cases have their texts`() {
        val expected =
            mapOf(
                "public interface NativeEngineInterface" to "A school administration system's",
                "fun `apply`(`dataset`: Dataset" to
                    "Applies a dataset: all of it, durably, or nothing.",
                "fun `pushDirect`" to
                    "Takes the next bytes of a feed, and says how far it has come.",
                "data class Request (" to "A request as an HTTP client sends it (section 4).",
                "val `cacheBytes`" to "For what was read of the store, in bytes.",
                "data class Absentees(" to "Get Learner Absentees (4.9): absentee records (2.7)",
                "class BadDataset(" to "`bad_dataset`: a dataset has a fault",
                "LEAVE_OUT" to "They are left out.",
                "public interface LoadListener" to "Hears how far a load has come.",
            )
        for ((declaration, text) in expected) {
            assertTrue(above(declaration).startsWith(text), "$declaration: ${above(declaration)}")
        }
    }

    @Test
    fun `every text of a public item in Rust is carried over`() {
        val item =
            Regex("""((?:^ *///.*\n)+)(?:^ *#\[.*\n)*^ *pub (?!use|mod)""", RegexOption.MULTILINE)
        val texts =
            (Inputs.root / "ffi" / "src").walk().filter { it.extension == "rs" }.flatMap { file ->
                item.findAll(file.readText()).map { it.groupValues[1] }
            }.toList()
        val lines = texts.flatMap { text ->
            text.trim().lines().map { it.trim().removePrefix("///").trim() }
        }
        assertTrue(texts.size > 60, "${texts.size} texts")
        assertEquals(emptyList<String>(), lines.filterNot { it in generated })
    }
}
