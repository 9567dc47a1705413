package rollbook.okhttp

import java.util.concurrent.TimeUnit
import rollbook.Inputs
import rollbook.SampleSchool

/**
 * The engine over HTTP on loopback: runs `rollbook serve`, by default with the
 * sample school. With `--from` it uses the credentials of the sample school.
 */
class LoopbackServer(
    vararg arguments: String = arrayOf("--dataset", "${SampleSchool.dataset}"),
) : AutoCloseable {
    private val process: Process =
        ProcessBuilder("${Inputs.server}", "serve", "--listen", "0", "--quiet", *arguments, "--now", SampleSchool.INSTANT)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .apply { environment() += mapOf("ROLLBOOK_USERNAME" to "demo", "ROLLBOOK_PASSWORD" to "demo") }
            .start()

    val address: String =
        process.inputStream.bufferedReader().readLine()?.removePrefix("listening on ")
            ?: error("the server ended before it listened")

    override fun close() {
        process.destroy()
        if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly()
    }
}
