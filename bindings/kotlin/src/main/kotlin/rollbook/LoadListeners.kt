@file:JvmSynthetic

package rollbook

/**
 * Loads with a listener. If the listener throws an exception, the load is cancelled, and this
 * function throws the same exception. The engine could only report it as a text.
 */
internal fun loadWithListener(
    listener: LoadListener?,
    load: (LoadListener?) -> Summary,
): Summary {
    if (listener == null) return load(null)
    var thrown: Throwable? = null
    val catching = LoadListener { progress ->
        try {
            listener.progress(progress)
        } catch (caught: Throwable) {
            thrown = caught
            false
        }
    }
    try {
        return load(catching)
    } catch (cancelled: RollbookException.Cancelled) {
        throw thrown ?: cancelled
    }
}
