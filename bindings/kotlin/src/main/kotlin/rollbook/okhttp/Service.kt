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

/** The result of a call: a reply, or the reason why there is none. */
internal sealed interface CallResult {
    class Replied(val reply: Reply) : CallResult

    class Failed(val failure: CallFailure) : CallResult
}

/** Sends calls to the service with the credentials. No message contains a credential. */
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

    // The engine counts a call without a reply as failed after two minutes. The responses are
    // personal data, so they are not cached.
    private val http =
        http
            .newBuilder()
            .followRedirects(false)
            .followSslRedirects(false)
            .callTimeout(90, SECONDS)
            .cache(null)
            .build()

    /**
     * Whether the service has replied before. Its host name is correct then, so a later failure to
     * resolve it means that there is no network.
     */
    @Volatile private var hasReplied = false

    suspend fun send(call: Call): CallResult = suspendCancellableCoroutine { waiting ->
        val sent = http.newCall(request(call))
        waiting.invokeOnCancellation { sent.cancel() }
        sent.enqueue(ResponseHandler(waiting))
    }

    private inner class ResponseHandler(
        private val waiting: CancellableContinuation<CallResult>,
    ) : Callback {
        override fun onResponse(call: okhttp3.Call, response: Response) {
            hasReplied = true
            val result =
                try {
                    response.use(::read)
                } catch (failed: IOException) {
                    CallResult.Failed(failure(failed))
                } catch (failed: Throwable) {
                    return waiting.resumeWithException(failed)
                }
            waiting.resume(result)
        }

        override fun onFailure(call: okhttp3.Call, e: IOException) {
            waiting.resume(CallResult.Failed(failure(e)))
        }
    }

    private fun request(call: Call): Request {
        // The target is appended as text, because HttpUrl.Builder would encode it again.
        val url = address.toString().removeSuffix("/") + call.target
        val body = if (call.body.isEmpty()) null else call.body.toRequestBody(JSON)
        return Request.Builder().url(url).headers(credentials).method(call.method, body).build()
    }

    private fun read(response: Response): CallResult {
        val source = response.body.source()
        val body = Buffer()
        while (source.read(body, PIECE) >= 0) {
            if (body.size > longestBody) return CallResult.Failed(CallFailure.CUT)
        }
        return CallResult.Replied(
            Reply(
                response.code,
                body.readByteArray(),
                response.header("Retry-After"),
            )
        )
    }

    private fun failure(failed: IOException): CallFailure =
        when {
            failed is InterruptedIOException -> CallFailure.TIMEOUT
            failed is NoRouteToHostException -> CallFailure.OFFLINE
            failed is UnknownHostException && hasReplied -> CallFailure.OFFLINE
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
                "this is not a base address: give only scheme, host and path, such as " +
                    "https://integrate.example.org"
            }
            return url
        }

        /** Checks a credential. The message of the HTTP client would contain it. */
        fun sendable(what: String, value: String): String {
            require(value == value.trim() && value.none { it.isISOControl() }) {
                "the $what cannot be sent as a header"
            }
            return value
        }
    }
}
