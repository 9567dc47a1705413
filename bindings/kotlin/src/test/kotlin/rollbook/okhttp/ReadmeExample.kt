package rollbook.okhttp

import okhttp3.OkHttpClient
import rollbook.Engine
import rollbook.SyncStopped

/** From the README. */
suspend fun refresh(engine: Engine, service: String, username: String, password: String) {
    val sync = engine.sync(1000u)
    try {
        val report = syncWith(OkHttpClient(), sync, service, username, password) { progress ->
            println("${progress.answered} of ${progress.answered + progress.left}")
            true // false: later
        }
        println("${report.replies} replies, ${report.givenUp.size} given up")
    } catch (stopped: SyncStopped) {
        println(stopped.message) // wrong credentials, say
    }
}
