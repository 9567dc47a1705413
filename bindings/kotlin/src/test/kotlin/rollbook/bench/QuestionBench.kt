package rollbook.bench

import kotlin.io.path.Path
import kotlin.io.path.div
import kotlin.system.exitProcess
import kotlinx.serialization.json.Json
import rollbook.Engine
import rollbook.LearnerStatus
import rollbook.Options
import rollbook.Question
import rollbook.Request
import rollbook.headersOf

private const val SCHOOL = 1000L
private const val ROUNDS = 300
private const val BATCH = 50
/** 2026-12-31, when all marks of the year are released. */
private const val INSTANT = 1_798_700_400L
private val HEADERS = headersOf("HTTP-X-USERNAME" to "demo", "HTTP-X-PASSWORD" to "demo")

private const val LEARNER = "SELECT json FROM learner WHERE school = ? AND status = 0"

private fun ofYear(table: String) =
    "SELECT json FROM school JOIN $table ON school = school.id AND year = current_year " +
        "WHERE school.id = ?"

private class Asked(val name: String, val question: () -> Question, val peer: (Rows) -> ByteArray)

private fun asked(school: Long, one: Long, two: Long): List<Asked> =
    listOf(
        Asked("all current learners", { Question.Learners(SCHOOL) }) {
            it.list("$LEARNER ORDER BY id", school)
        },
        Asked(
            "two grades with parents",
            {
                val grades = listOf(one, two)
                Question.Learners(SCHOOL, gradeIds = grades, includeParents = true)
            },
        ) {
            it.families(school, one, two)
        },
        Asked("one learner by id", { Question.Learners(SCHOOL, learnerId = 1) }) {
            it.list("$LEARNER AND id = ?", school, 1L)
        },
        Asked("name search", { Question.Learners(SCHOOL, name = "smi") }) {
            it.list("$LEARNER AND instr(name, ?) ORDER BY id", school, "smi")
        },
        Asked("marks of a learner, a year", { Question.AssessmentMarks(SCHOOL, learnerId = 1) }) {
            it.marksOfLearner(school, 1L)
        },
        Asked(
            "marks of a grade, a term",
            { Question.AssessmentMarks(SCHOOL, gradeId = one, term = 2) },
        ) {
            it.marksOfGrade(school, one, 2L)
        },
        Asked(
            "absentees, a month",
            { Question.Absentees(SCHOOL, fromDate = "2026-05-01", toDate = "2026-05-31") },
        ) {
            it.list(
                "SELECT json FROM absentee WHERE school = ? AND day BETWEEN ? AND ? ORDER BY day, id",
                school,
                20260501L,
                20260531L,
            )
        },
        Asked("learner subjects of a school", { Question.LearnerSubjects(SCHOOL) }) {
            it.list(
                ofYear("learner_subject") + " AND status = 0 ORDER BY learner, subject",
                school,
            )
        },
        Asked("subject marks of a learner", { Question.SubjectMarks(SCHOOL, 1) }) {
            it.list(ofYear("subject_mark") + " AND learner = ? ORDER BY subject", school, 1L)
        },
        Asked("subjects per term of a learner", { Question.SubjectsPerTerm(SCHOOL, 1) }) {
            it.list(ofYear("subject_per_term") + " AND learner = ? ORDER BY subject", school, 1L)
        },
        Asked(
            "left, four months",
            {
                Question.Learners(
                    SCHOOL,
                    status = LearnerStatus.LEFT,
                    since = "2026-08-01",
                    until = "2026-11-30",
                )
            },
        ) {
            it.list(
                "SELECT json FROM learner WHERE school = ? AND status = 1 " +
                    "AND transfer_day BETWEEN ? AND ? ORDER BY id",
                school,
                20260801L,
                20261130L,
            )
        },
    )

/**
 * Measures questions and compares them with SQLite, in one process: medians in microseconds. The
 * argument is the folder that `rollbook-benches --bin rows` created. Each answer is compared before
 * it is timed, and each round asks all questions of both in a random order. The second table
 * includes the time of parsing.
 */
fun main(arguments: Array<String>) {
    val folder = Path(arguments.single())
    Rows(folder / "rows.sqlite").use { rows ->
        Engine.open(folder / "rollbook.redb", Options(fixedClock = INSTANT)).use { engine ->
            val grades = mutableListOf<Long>()
            rows.each("SELECT grade FROM grade ORDER BY grade") { grades += it.getLong(1) }
            val asked = asked(SCHOOL, grades[0], grades[1])
            val sizes = asked.map { each ->
                val ours = engine.ask(each.question()).bytes
                if (!ours.contentEquals(each.peer(rows))) {
                    System.err.println("${each.name}: the answer of SQLite rows differs from that of Rollbook")
                    exitProcess(1)
                }
                ours.size
            }
            for (withParsing in listOf(false, true)) {
                val calls = asked.flatMap { each ->
                    listOf(
                        { engine.ask(each.question()).bytes },
                        { each.peer(rows) },
                    )
                }
                val times =
                    if (withParsing) measure(calls.map { call -> { parse(call()) } }, ROUNDS)
                    else measure(calls, ROUNDS)
                println("\n| question | bytes | µs | SQLite rows, × |\n|---|--:|--:|--:|")
                asked.forEachIndexed { place, each ->
                    val (ours, theirs) = times[2 * place] to times[2 * place + 1]
                    val ratio = "%.2f".format(theirs / ours)
                    val shown = if (theirs < ours) "**$ratio**" else ratio
                    println("| ${each.name} | ${sizes[place]} | ${"%.1f".format(ours)} | $shown |")
                }
            }
            val one = Request("/api/v1/adminplus/learners/1000?learner_id=1", headers = HEADERS)
            val batch = List(BATCH) { one }
            val (whole, many) =
                measure(listOf({ engine.request(one) }, { engine.requests(batch) }), 20 * ROUNDS)
            println("\none learner, a whole request: $whole µs; each of $BATCH: ${many / BATCH} µs")
        }
    }
}

private fun parse(json: ByteArray): Any = Json.parseToJsonElement(json.decodeToString())

/**
 * Returns the median of each call over this number of rounds in random order, after the same number
 * of rounds to warm up.
 */
private fun measure(calls: List<() -> Any>, rounds: Int): List<Double> {
    val times = List(calls.size) { ArrayList<Long>(rounds) }
    val order = calls.indices.toMutableList()
    repeat(2 * rounds) { round ->
        order.shuffle()
        for (place in order) {
            calls[place]()
            val start = System.nanoTime()
            calls[place]()
            if (round >= rounds) times[place] += System.nanoTime() - start
        }
    }
    return times.map { it.sorted()[rounds / 2] / 1000.0 }
}
