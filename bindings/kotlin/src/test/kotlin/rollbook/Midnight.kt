package rollbook

import java.time.LocalDate
import kotlin.math.abs

/**
 * A school whose midnight is the next full minute that leaves enough time to prepare the test.
 *
 * @property at the instant of midnight, in seconds since 1970-01-01T00:00:00Z
 * @property school a dataset of school 1, with a learner who is absent on the day that begins then
 */
class Midnight private constructor(val at: Long, val school: String) {
    companion object {
        private const val DAY = 86_400L

        fun next(): Midnight {
            val at = (System.currentTimeMillis() / 1000 + 5) / 60 * 60 + 60
            val least = Math.floorMod(-at, DAY)
            val east = if (least > DAY / 2) least - DAY else least
            val minutes = abs(east) / 60
            val sign = if (east < 0) '-' else '+'
            val offset = "%s%02d:%02d".format(sign, minutes / 60, minutes % 60)
            val tomorrow = LocalDate.ofEpochDay((at + east) / DAY)
            return Midnight(
                at,
                """
                {"type":"school","school_id":1,"current_year":2026,"utc_offset":"$offset"}
                {"type":"absentee","school_id":1,"id":1,"learner_id":7,"absent_date":"$tomorrow"}
                """
                    .trimIndent(),
            )
        }
    }
}
