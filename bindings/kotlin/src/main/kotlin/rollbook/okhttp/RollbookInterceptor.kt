package rollbook.okhttp

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import okhttp3.HttpUrl
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.Interceptor
import okhttp3.MediaType.Companion.toMediaTypeOrNull
import okhttp3.Protocol
import okhttp3.Response
import okhttp3.ResponseBody.Companion.toResponseBody
import okio.Buffer
import rollbook.Answer
import rollbook.Engine
import rollbook.Header
import rollbook.Request
import rollbook.RollbookException

/**
 * Answers the requests to the service's base address from an engine on this device, so that a
 * client written with OkHttp runs unmodified. Requests to other addresses are sent over the
 * network.
 *
 * ```
 * val client = OkHttpClient.Builder()
 *     .addInterceptor(RollbookInterceptor(engine, "https://integrate.example.org"))
 *     .build()
 * ```
 *
 * Add it after the application's other interceptors. Interceptors before it see the request and the
 * answer; those after it and network interceptors do not. There is no connection, so features of a
 * connection (cookies, a cache, an authenticator, timeouts) are not used.
 *
 * The engine receives the path and the query as OkHttp would send them, and the headers in order.
 * An answer is the same as over HTTP: a 204 and the answer to HEAD have no body. If the engine
 * fails, the call fails with an [IOException] whose cause is the [RollbookException].
 *
 * @param baseAddress the scheme, the host and the port of the service
 * @throws IllegalArgumentException if the base address has a path, query or fragment
 */
class RollbookInterceptor(private val engine: Engine, private val baseAddress: HttpUrl) :
    Interceptor {

    constructor(engine: Engine, baseAddress: String) : this(engine, baseAddress.toHttpUrl())

    init {
        require(baseAddress == baseAddress.resolve("/")) {
            "$baseAddress is not a base address: give scheme, host and port alone"
        }
    }

    override fun intercept(chain: Interceptor.Chain): Response {
        val asked = chain.request()
        if (asked.url.resolve("/") != baseAddress) return chain.proceed(asked)
        if (chain.call().isCanceled()) throw IOException("Canceled")

        val answer =
            try {
                engine.request(asked.forEngine())
            } catch (failed: RollbookException) {
                throw IOException(failed.message, failed)
            }
        return answer.forClient(asked)
    }
}

private fun okhttp3.Request.forEngine() =
    Request(
        target = listOfNotNull(url.encodedPath, url.encodedQuery).joinToString("?"),
        method = method,
        headers = headers.map { (name, value) -> Header(name, value) },
        body = Buffer().also { body?.writeTo(it) }.readByteArray().text(),
    )

/**
 * Decodes a body. A body that is not valid UTF-8 is replaced by U+FFFD, because neither of them is
 * a JSON object, so that the engine refuses both in the same manner.
 */
private fun ByteArray.text(): String =
    try {
        UTF_8.newDecoder().decode(ByteBuffer.wrap(this)).toString()
    } catch (_: CharacterCodingException) {
        "\uFFFD"
    }

private fun Answer.forClient(asked: okhttp3.Request): Response {
    // HTTP sends no body with the status 204, and none in response to HEAD.
    val sentBytes = if (status == 204 || asked.method == "HEAD") ByteArray(0) else bytes
    val sent = if (status == 204) headers.filter { it.name != "Content-Length" } else headers
    val type = headers.find { it.name == "Content-Type" }?.value?.toMediaTypeOrNull()
    return Response.Builder()
        .request(asked)
        .protocol(Protocol.HTTP_1_1)
        .code(status)
        .message("")
        .apply { sent.forEach { addHeader(it.name, it.value) } }
        .body(sentBytes.toResponseBody(type))
        .build()
}
