package rollbook.okhttp

import okhttp3.OkHttpClient
import rollbook.Engine
import rollbook.FollowStopped
import rollbook.SyncStopped

/** From the README. */
suspend fun refresh(engine: Engine, service: String, username: String, password: String) {
    val sync = engine.sync(1000)
    try {
        val report = syncWith(OkHttpClient(), sync, service, username, password) { progress ->
            println("${progress.answered} of ${progress.answered + progress.left}")
            true // false: later
        }
        println("${report.replies} replies, ${report.failed.size} failed")
    } catch (stopped: SyncStopped) {
        println(stopped.message) // wrong credentials, say
    }
}

/** From the README: a server is followed. */
suspend fun keepInStep(engine: Engine, url: String, token: String) {
    val http = OkHttpClient.Builder().addInterceptor { chain ->
        val request = chain.request().newBuilder().header("Authorization", "Bearer $token")
        chain.proceed(request.build()) // your app's login
    }.build()
    try {
        val changes = followFrom(http, engine, url, wait = 0) // seconds to wait for a change
        println(changes?.total ?: "nothing new")
    } catch (stopped: FollowStopped) {
        println(stopped.message) // the login has run out, say, or there is no network
    }
}
