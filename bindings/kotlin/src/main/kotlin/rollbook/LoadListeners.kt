package rollbook

/** A listener that is a function. */
internal class Listener(private val progress: (Progress) -> Boolean) : LoadListener {
    override fun progress(progress: Progress): Boolean = this.progress.invoke(progress)
}

/**
 * Loads with a listener; what the listener throws is thrown here as it is, once the load is given
 * up. On its way through the engine it would be a text.
 */
internal fun heard(listener: LoadListener?, load: (LoadListener?) -> Summary): Summary {
    if (listener == null) return load(null)
    var thrown: Throwable? = null
    val catching = Listener { progress ->
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
