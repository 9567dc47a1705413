package rollbook.okhttp

import java.util.concurrent.TimeUnit
import rollbook.Inputs
import rollbook.SampleSchool

/**
 * The engine behind real HTTP on loopback: the repository's example `serve`, with the sample school
 * unless told otherwise.
 */
class LoopbackServer(
    vararg arguments: String = arrayOf("--dataset", "${SampleSchool.dataset}"),
) : AutoCloseable {
    private val process: Process =
        ProcessBuilder("${Inputs.server}", *arguments, "--now", SampleSchool.INSTANT)
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
