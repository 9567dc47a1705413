package rollbook.corpus

/**
 * The cursors of a case. They differ in each run, so a case contains names for them:
 * `"next_cursor":"<NAME>"` in an answer, and `<NAME>` in the target of a later request.
 */
class Cursors {
    private val known = HashMap<String, String>()

    /** Returns the target with each `<NAME>` replaced by the cursor of that name. */
    fun target(target: String): String =
        NAME.replace(target) { found ->
            known[found.groupValues[1]] ?: error("no answer before gave ${found.value}")
        }

    /** Returns whether an answer is the expected one, and stores its cursor if it is. */
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
