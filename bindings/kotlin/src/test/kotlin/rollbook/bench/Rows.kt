package rollbook.bench

import java.io.ByteArrayOutputStream
import java.nio.file.Path
import java.sql.DriverManager
import java.sql.PreparedStatement
import java.sql.ResultSet

/**
 * SQLite with one pre-rendered text per row, by `sqlite-jdbc`. It opens the database *SQLite rows*
 * of `benches`. Prepared statements find the texts, which are joined as bytes.
 */
class Rows(path: Path) : AutoCloseable {
    private val connection = DriverManager.getConnection("jdbc:sqlite:$path")
    private val statements = HashMap<String, PreparedStatement>()

    init {
        connection.createStatement().use {
            it.execute("PRAGMA locking_mode = EXCLUSIVE")
            it.execute("PRAGMA cache_size = -32768")
            it.execute("PRAGMA mmap_size = 2147418112")
            it.execute("PRAGMA temp_store = MEMORY")
        }
    }

    fun each(sql: String, vararg values: Any, row: (ResultSet) -> Unit) {
        val statement = statements.getOrPut(sql) { connection.prepareStatement(sql) }
        values.forEachIndexed { place, value -> statement.setObject(place + 1, value) }
        statement.executeQuery().use { while (it.next()) row(it) }
    }

    fun list(sql: String, vararg values: Any): ByteArray = array { out ->
        each(sql, *values) {
            out.write(it.getBytes(1))
            out.write(','.code)
        }
    }

    fun families(school: Long, one: Long, two: Long): ByteArray = array { out ->
        each(FAMILIES, school, one, two) { row ->
            val learner = row.getBytes(1)
            out.write(learner, 0, learner.size - 1)
            out.write(",\"parents\":[".toByteArray())
            val parents = listOfNotNull(row.getBytes(2), row.getBytes(3))
            parents.forEachIndexed { place, parent ->
                if (place > 0) out.write(','.code)
                out.write(parent)
            }
            out.write("]},".toByteArray())
        }
    }

    fun marksOfLearner(school: Long, learner: Long): ByteArray = marks(school) { year, out ->
        val places = mutableListOf<Pair<Long, Long>>()
        each(PLACES, school, year, learner) { places += it.getLong(1) to it.getLong(2) }
        for ((grade, inGrade) in places.groupBy({ it.first }, { it.second })) {
            val released = released(school, year, grade)
            grade(out, school, year, grade)
            for (term in inGrade) {
                val rows = mutableListOf<ByteArray>()
                each("$MARKS AND learner = ? ORDER BY subject", school, year, grade, term, learner) {
                    if (term to it.getLong(2) in released) rows += it.getBytes(3)
                }
                if (rows.isNotEmpty()) term(out, term) { learner(out, learner, rows) }
            }
            out.close("}}}}")
        }
    }

    fun marksOfGrade(school: Long, grade: Long, term: Long): ByteArray = marks(school) { year, out ->
        val released = released(school, year, grade)
        grade(out, school, year, grade)
        term(out, term) {
            var of = 0L
            val rows = mutableListOf<ByteArray>()
            each("$MARKS ORDER BY learner, subject", school, year, grade, term) {
                val learner = it.getLong(1)
                if (learner != of && rows.isNotEmpty()) {
                    learner(out, of, rows)
                    rows.clear()
                }
                of = learner
                if (term to it.getLong(2) in released) rows += it.getBytes(3)
            }
            if (rows.isNotEmpty()) learner(out, of, rows)
        }
        out.close("}}}}")
    }

    private fun marks(school: Long, grades: (Long, Texts) -> Unit): ByteArray {
        var year = 0L
        each("SELECT current_year FROM school WHERE id = ?", school) { year = it.getLong(1) }
        val out = Texts()
        out.write('{'.code)
        grades(year, out)
        return out.closed('}')
    }

    private fun released(school: Long, year: Long, grade: Long): Set<Pair<Long, Long>> {
        val released = HashSet<Pair<Long, Long>>()
        each(RELEASED, school, year, grade, TODAY) { released += it.getLong(1) to it.getLong(2) }
        return released
    }

    private fun grade(out: Texts, school: Long, year: Long, grade: Long) =
        each("SELECT heading FROM grade WHERE school = ? AND year = ? AND grade = ?", school, year, grade) {
            out.write(it.getBytes(1))
        }

    private fun term(out: Texts, term: Long, learners: () -> Unit) {
        out.write("\"$term\":{\"term\":\"$term\",\"learners\":{".toByteArray())
        learners()
        out.close("}}")
    }

    private fun learner(out: Texts, learner: Long, rows: List<ByteArray>) {
        out.write("\"$learner\":{\"learner_id\":\"$learner\",\"subjects\":{".toByteArray())
        for (row in rows) {
            out.write(row)
            out.write(','.code)
        }
        out.close("}}")
    }

    private fun array(rows: (Texts) -> Unit): ByteArray {
        val out = Texts()
        out.write('['.code)
        rows(out)
        return out.closed(']')
    }

    override fun close() = connection.close()

    private class Texts : ByteArrayOutputStream(1 shl 16) {
        /** Replaces the last comma by [bracket], and returns the bytes. */
        fun closed(bracket: Char): ByteArray {
            buf[count - 1] = bracket.code.toByte()
            return toByteArray()
        }

        /** Removes the last comma, and writes [brackets] and a comma. */
        fun close(brackets: String) {
            count--
            write("$brackets,".toByteArray())
        }
    }

    private companion object {
        /** 2026-12-31. */
        const val TODAY = 20261231L
        const val PLACES =
            "SELECT DISTINCT grade, term FROM mark " +
                "WHERE school = ? AND year = ? AND learner = ? ORDER BY grade, term"
        const val MARKS =
            "SELECT learner, subject, json FROM mark " +
                "WHERE school = ? AND year = ? AND grade = ? AND term = ?"
        const val RELEASED =
            "SELECT term, subject FROM programme " +
                "WHERE school = ? AND year = ? AND grade = ? AND release_day <= ?"
        const val FAMILIES =
            "SELECT learner.json, one.json, two.json FROM learner " +
                "LEFT JOIN parent one ON one.school = learner.school AND one.id = learner.parent1 " +
                "LEFT JOIN parent two ON two.school = learner.school AND two.id = learner.parent2 " +
                "WHERE learner.school = ? AND status = 0 AND grade IN (?, ?) ORDER BY learner.id"
    }
}
