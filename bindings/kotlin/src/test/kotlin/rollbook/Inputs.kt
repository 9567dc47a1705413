package rollbook

import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.div

/** The files that `tests/material` creates for the tests, and those that Maven creates. */
object Inputs {
    private val build = Path(System.getProperty("rollbook.build"))

    val root: Path = Path(System.getProperty("rollbook.root"))
    private val material = Path(System.getProperty("rollbook.material"))
    val corpus: Path = material / "corpus.jsonl"
    val corpusSize: Path = material / "corpus-size.json"
    val unadapted: Path = build / "generated" / "rollbook" / "rollbook.kt"
    val generated: Path = build / "generated-sources" / "uniffi" / "rollbook" / "rollbook.kt"
    val server: Path = material / "rollbook"

    /** Returns the dataset of a generated school of 1000 or 3000 learners. */
    fun school(learners: Int): Path = material / "school-$learners.ndjson"
}

/** The small school 1000, written by hand, in the morning of 2026-05-14. */
object SampleSchool {
    val dataset: Path = Inputs.root / "core" / "examples" / "sample-school.ndjson"
    const val INSTANT = "2026-05-14T08:00:00Z"
    val options = Options(fixedClock = 1_778_745_600)
    val credentials = arrayOf("HTTP-X-USERNAME" to "demo", "HTTP-X-PASSWORD" to "demo")

    fun engine(): Engine = Engine.memory(options).apply { apply(dataset) }
}

/** Returns all lines of an export without the integrators. */
fun Engine.lines(): String = export(Credentials.LEAVE_OUT).use { it.pieces().joinToString("") }

fun Answer.header(name: String): String? = headers.lastOrNull { it.name == name }?.value
