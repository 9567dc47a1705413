package rollbook

import kotlin.io.path.div
import kotlin.io.path.extension
import kotlin.io.path.readText
import kotlin.io.path.walk
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** Checks that the generated source contains the documentation of the Rust items as KDoc. */
class DocumentationTest {
    private val generated = Inputs.generated.readText()

    /** Returns the documentation above a declaration, with its lines joined by spaces. */
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
                "fun `push`" to
                    "Receives the next bytes of a feed, and returns how many lines and bytes",
                "data class Request @JvmOverloads constructor(" to "A request as an HTTP client sends it (section 4).",
                "val `cacheBytes`" to
                    "The limit of the cache for data that was read from the store, in bytes.",
                "data class Absentees @JvmOverloads constructor(" to "Get Learner Absentees (4.9): absentee records (2.7)",
                "class BadDataset(" to "`bad_dataset`: a dataset has an error",
                "LEAVE_OUT" to "The copy does not contain them.",
                "public fun interface LoadListener" to "Receives the progress of a load.",
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
