package rollbook.okhttp

import java.util.concurrent.TimeUnit
import rollbook.Inputs
import rollbook.SampleSchool

/**
 * The engine behind real HTTP on loopback: the repository's example `serve`, sample school loaded.
 */
class LoopbackServer : AutoCloseable {
    private val process: Process =
        ProcessBuilder(
                "${Inputs.server}",
                "--dataset",
                "${SampleSchool.dataset}",
                "--now",
                SampleSchool.INSTANT,
            )
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()

    val address: String =
        process.inputStream.bufferedReader().readLine()?.removePrefix("listening on ")
            ?: error("the server ended before it listened")

    override fun close() {
        process.destroy()
        if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly()
    }
}
