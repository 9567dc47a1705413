@file:JvmSynthetic

package rollbook

/** Checks a number that the library receives as an unsigned integer. */
internal fun <N : Number?> inRange(name: String, number: N, last: Long = Long.MAX_VALUE): N {
    if (number != null && number.toLong() !in 0..last) {
        val limit = if (last == Long.MAX_VALUE) "or more" else "to $last"
        throw RollbookException.BadArgument("$name is $number: give 0 $limit")
    }
    return number
}
