package rollbook.bench

import java.nio.file.Path
import kotlin.io.path.Path
import rollbook.Engine
import rollbook.Options
import rollbook.Request
import rollbook.headersOf

private const val ROUNDS = 200
private const val BATCH = 50
/** 2026-12-15T08:00:00Z: all marks of the year are released. */
private const val INSTANT = 1_797_321_600L
private val HEADERS = headersOf("HTTP-X-USERNAME" to "demo", "HTTP-X-PASSWORD" to "demo")

/**
 * Measures requests to the generated school of 1,000 learners, whose dataset is the argument:
 * medians of [ROUNDS] rounds after as many to warm up, in microseconds.
 */
fun main(arguments: Array<String>) {
    val school: Path = Path(arguments.single())
    Engine.memory(Options(fixedClock = INSTANT)).use { engine ->
        engine.apply(school)
        val asks =
            listOf(
                Triple("one learner by id", "adminplus/learners/1000?learner_id=1", 200),
                Triple(
                    "marks of a learner, a year",
                    "currplus/learnerassessmentmarks/1000?learner_id=1",
                    20,
                ),
                Triple("all current learners", "adminplus/learners/1000", 4),
            )
        println("| request | answer | µs |\n|---|--:|--:|")
        for ((name, target, times) in asks) {
            val request = Request("/api/v1/$target", headers = HEADERS)
            val bytes = engine.request(request).body.encodeToByteArray().size
            row(name, bytes, median(times) { engine.request(request) })
            if (times == 200) {
                val batch = List(BATCH) { request }
                row(
                    "$name, in a batch of $BATCH",
                    bytes,
                    median(4) { engine.requests(batch) } / BATCH,
                )
            }
        }
    }
}

private fun row(name: String, bytes: Int, micros: Double) =
    println("| %s | %,d B | %.2f |".format(name, bytes, micros))

private fun median(times: Int, ask: () -> Unit): Double {
    fun round(): Double {
        val start = System.nanoTime()
        repeat(times) { ask() }
        return (System.nanoTime() - start) / 1000.0 / times
    }
    repeat(ROUNDS) { round() }
    return List(ROUNDS) { round() }.sorted()[ROUNDS / 2]
}
