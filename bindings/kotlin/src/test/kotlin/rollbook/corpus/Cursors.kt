package rollbook.corpus

/**
 * The cursors of a case. No file can know them: it has names for them, `"next_cursor":"<NAME>"` in
 * an answer, and `<NAME>` in the target of a later request.
 */
class Cursors {
    private val known = HashMap<String, String>()

    /** The target, each `<NAME>` in it replaced by the cursor. */
    fun target(target: String): String =
        NAME.replace(target) { found ->
            known[found.groupValues[1]] ?: error("no answer before gave ${found.value}")
        }

    /** Whether an answer is the expected one; if so, its cursor is remembered. */
    fun fits(found: String, expected: String): Boolean {
        val place = PLACE.find(expected) ?: return found == expected
        val name = place.groups[1]!!
        val before = expected.substring(0, name.range.first - 1)
        val after = expected.substring(name.range.last + 2)
        if (!found.startsWith(before) || !found.endsWith(after)) return false
        if (found.length <= before.length + after.length) return false
        val cursor = found.substring(before.length, found.length - after.length)
        if (!OPAQUE.matches(cursor)) return false
        known[name.value] = cursor
        return true
    }

    private companion object {
        val NAME = Regex("<([a-z0-9]+)>")
        val PLACE = Regex("\"next_cursor\":\"<([a-z0-9]+)>")
        val OPAQUE = Regex("[A-Za-z0-9_-]+")
    }
}
