package rollbook.okhttp

import java.io.IOException
import java.io.InterruptedIOException
import java.net.NoRouteToHostException
import java.net.UnknownHostException
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.suspendCancellableCoroutine
import okhttp3.Callback
import okhttp3.Headers
import okhttp3.HttpUrl
import okhttp3.HttpUrl.Companion.toHttpUrlOrNull
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response
import okio.Buffer
import rollbook.Call
import rollbook.CallFailure
import rollbook.Reply

/** What became of a call. */
internal sealed interface Answered {
    class With(val reply: Reply) : Answered

    class Not(val failure: CallFailure) : Answered
}

/** Where a school is asked, and as whom. No message repeats a credential. */
internal class Service(
    http: OkHttpClient,
    baseAddress: String,
    username: String,
    password: String,
    private val longestBody: Long = 64L shl 20,
) {
    private val address = base(baseAddress)

    private val credentials: Headers =
        Headers.Builder()
            .addUnsafeNonAscii("HTTP-X-USERNAME", sendable("username", username))
            .addUnsafeNonAscii("HTTP-X-PASSWORD", sendable("password", password))
            .build()

    // The machine gives a call up after two minutes. What is answered is personal data.
    private val http =
        http
            .newBuilder()
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(90, SECONDS)
            .cache(null)
            .build()

    /** A name that was found once is right, and its server is merely out of reach. */
    @Volatile private var reached = false

    suspend fun answer(call: Call): Answered = suspendCancellableCoroutine { waiting ->
        val sent = http.newCall(request(call))
        waiting.invokeOnCancellation { sent.cancel() }
        sent.enqueue(Taker(waiting))
    }

    private inner class Taker(private val waiting: CancellableContinuation<Answered>) : Callback {
        override fun onResponse(call: okhttp3.Call, response: Response) {
            reached = true
            val answered =
                try {
                    response.use(::read)
                } catch (failed: IOException) {
                    Answered.Not(failure(failed))
                } catch (failed: Throwable) {
                    return waiting.resumeWithException(failed)
                }
            waiting.resume(answered)
        }

        override fun onFailure(call: okhttp3.Call, e: IOException) {
            waiting.resume(Answered.Not(failure(e)))
        }
    }

    private fun request(call: Call): Request {
        // As it stands: a builder of addresses would write it anew.
        val url = address.toString().removeSuffix("/") + call.target
        val body = if (call.body.isEmpty()) null else call.body.toRequestBody(JSON)
        return Request.Builder().url(url).headers(credentials).method(call.method, body).build()
    }

    private fun read(response: Response): Answered {
        val source = response.body.source()
        val body = Buffer()
        while (source.read(body, PIECE) >= 0) {
            if (body.size > longestBody) return Answered.Not(CallFailure.CUT)
        }
        return Answered.With(
            Reply(
                response.code.toUShort(),
                body.readByteArray(),
                response.header("Retry-After"),
            )
        )
    }

    private fun failure(failed: IOException): CallFailure =
        when {
            failed is InterruptedIOException -> CallFailure.TIMEOUT
            failed is NoRouteToHostException -> CallFailure.OFFLINE
            failed is UnknownHostException && reached -> CallFailure.OFFLINE
            else -> CallFailure.CUT
        }

    private companion object {
        const val PIECE = 64L shl 10
        val JSON = "application/json".toMediaType()

        fun base(address: String): HttpUrl {
            val url = address.toHttpUrlOrNull()
            require(
                url != null &&
                    url.query == null &&
                    url.fragment == null &&
                    url.username.isEmpty() &&
                    url.password.isEmpty()
            ) {
                "this is no base address: give scheme, host and path alone, such as " +
                    "https://integrate.example.org"
            }
            return url
        }

        /** Checked here: the client's own refusal would repeat it. */
        fun sendable(what: String, value: String): String {
            require(value == value.trim() && value.none { it.isISOControl() }) {
                "the $what cannot be sent as a header"
            }
            return value
        }
    }
}
