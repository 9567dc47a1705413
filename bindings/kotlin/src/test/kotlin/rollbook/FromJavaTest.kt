package rollbook

import java.io.ByteArrayOutputStream
import java.io.PrintStream
import kotlin.io.path.div
import kotlin.io.path.readText
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The program in Java that the README shows. */
class FromJavaTest {
    private val kotlin = Inputs.root / "bindings" / "kotlin"
    private val section = (kotlin / "README.md").readText().substringAfter("\n## From Java\n")

    private fun block(language: String) =
        section.substringAfter("```$language\n").substringBefore("```")

    @Test
    fun `it prints what the README says`() {
        assertTrue(block("java") in (kotlin / "src/test/java/FromJava.java").readText())
        val printed = ByteArrayOutputStream()
        val before = System.out
        System.setOut(PrintStream(printed, true))
        try {
            val main = Class.forName("FromJava").getMethod("main", Array<String>::class.java)
            main.invoke(null, arrayOf(SampleSchool.dataset.toString()))
        } finally {
            System.setOut(before)
        }
        assertEquals(block("text"), printed.toString())
    }
}
