package rollbook

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.withContext

/**
 * The answers of an observation that begins and ends with each collection. The collector is given
 * what is new when it is ready for it: a buffer would hand on what is out of date, and skipping
 * some of it the same answer twice.
 */
internal fun answers(
    dispatcher: CoroutineDispatcher,
    observe: (ChangeListener) -> Observation,
): Flow<Answer> = flow {
    val due = Channel<Unit>(Channel.CONFLATED)
    observe(Due(due)).use { observation ->
        while (true) {
            val answer = withContext(dispatcher) { observation.poll() }
            if (answer != null) {
                emit(answer)
            } else if (observation.isOver()) {
                break
            } else {
                due.receive()
            }
        }
    }
}

private class Due(private val due: Channel<Unit>) : ChangeListener {
    override fun changed() {
        due.trySend(Unit)
    }
}
