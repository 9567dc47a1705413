package rollbook.bench

import java.io.ByteArrayOutputStream
import java.nio.file.Path
import java.sql.DriverManager
import java.sql.PreparedStatement
import java.sql.ResultSet

/**
 * SQLite with a finished text a row, by `sqlite-jdbc`: *SQLite rows* of `benches`, whose database it
 * opens. Prepared statements find the texts, which are joined as bytes.
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

    private fun array(rows: (Texts) -> Unit): ByteArray {
        val out = Texts()
        out.write('['.code)
        rows(out)
        return out.closed()
    }

    override fun close() = connection.close()

    private class Texts : ByteArrayOutputStream(1 shl 16) {
        fun closed(): ByteArray {
            buf[count - 1] = ']'.code.toByte()
            return toByteArray()
        }
    }

    private companion object {
        const val FAMILIES =
            "SELECT learner.json, one.json, two.json FROM learner " +
                "LEFT JOIN parent one ON one.school = learner.school AND one.id = learner.parent1 " +
                "LEFT JOIN parent two ON two.school = learner.school AND two.id = learner.parent2 " +
                "WHERE learner.school = ? AND status = 0 AND grade IN (?, ?) ORDER BY learner.id"
    }
}
