@file:JvmSynthetic

package rollbook

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.withContext

/**
 * Returns the answers of a live query that begins and ends with each collection. The collector
 * receives a new answer when it is ready for it: a buffer would deliver outdated answers, and
 * skipping some of them could deliver the same answer twice.
 */
internal fun answers(
    dispatcher: CoroutineDispatcher,
    observe: (ChangeListener) -> LiveQuery,
): Flow<Result<Answer>> = flow {
    val due = Channel<Unit>(Channel.CONFLATED)
    observe(ChangeListener { due.trySend(Unit) }).use { query ->
        while (true) {
            val given = withContext(dispatcher) { query.pollResult() }
            if (given != null) {
                emit(given)
            } else if (query.isOver()) {
                break
            } else {
                due.receive()
            }
        }
    }
}

/** Returns the next answer or error. An error is a value, because an exception ends a flow. */
private fun LiveQuery.pollResult(): Result<Answer>? = try {
    poll()?.let { Result.success(it) }
} catch (failed: RollbookException) {
    Result.failure(failed)
}
