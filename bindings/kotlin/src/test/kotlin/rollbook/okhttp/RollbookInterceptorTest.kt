package rollbook.okhttp

import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import okhttp3.Call
import okhttp3.Callback
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.Interceptor
import okhttp3.OkHttpClient
import okhttp3.Protocol
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response
import okhttp3.ResponseBody.Companion.toResponseBody
import okio.ByteString.Companion.decodeHex
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import rollbook.Answer
import rollbook.Engine
import rollbook.SampleSchool
import rollbook.header

private const val SERVICE = "https://integrate.example.org"

class RollbookInterceptorTest {
    /**
     * All requests of the app's client, in order. The state updates affect the requests after them.
     */
    private val asks: List<Pair<String, SchoolClient.() -> Reply>> =
        listOf(
            "learners" to { learners(1000) },
            "learners by name" to { learners(1000, "name" to "zoë", "include_parents" to "1") },
            "left learners" to
                {
                    learners(
                        1000,
                        "status" to "left",
                        "since" to "2026-01-01",
                        "until" to "2026-05-14",
                    )
                },
            "no learners" to { learners(1000, "learner_id" to "999999") },
            "assessment marks" to { assessmentMarks(1000, "grade_id" to "9", "term" to "1") },
            "assessment marks without a filter" to { assessmentMarks(1000) },
            "subjects per term" to { subjectsPerTerm(1000, 1) },
            "subject marks" to { subjectMarks(1000, 1) },
            "learner subjects" to { learnerSubjects(1000) },
            "schools" to { schools() },
            "school" to { school(1000) },
            "clients" to { clients() },
            "clients of a school" to { clients(1000) },
            "deactivated" to { setState(1000, 8, 0) },
            "deactivated again" to { setState(1000, 8, 0) },
            "not activated" to { learners(1000) },
            "activated" to { setState(1000, 8, 1) },
            "absentees" to
                {
                    absentees(1000, "from_date" to "2026-05-01", "to_date" to "2026-05-14")
                },
            "learner parent info" to
                {
                    learnerParentInfo(
                        1000,
                        "include_parents" to "1",
                        "include_accountable_person" to "1",
                    )
                },
            "school debtors" to { schoolDebtors(1000, "include_learners" to "1") },
            "v2 learners" to { learnersV2(1000, "limit" to "50", "reverse_order" to "true") },
            "v2 learner" to { learnerV2(1000, 1) },
            "v2 no learner" to { learnerV2(1000, 999_999) },
            "v2 deactivated" to { setStateV2(1000, 9, false) },
            "v2 deactivated again" to { setStateV2(1000, 9, false) },
            "v2 activated" to { setStateV2(1000, 9, true) },
            "unauthorised" to { learners(4711) },
            "another method" to { raw("/api/v1/adminplus/learners/1000", "DELETE") },
            "no body" to { raw("/api/v1/adminplus/learners/1000", "HEAD") },
            "an unknown path" to { raw("/api/v1/nothing") },
            "the query as it stands" to
                {
                    raw("/api/v1/adminplus/learners/1000?name=%7a%6F%c3%AB+sm&&x=a%2Fb;c=%zz&name")
                },
            "a query that is empty" to { raw("/api/v1/adminplus/learners/1000?") },
            "a body that is no UTF-8" to
                {
                    raw(
                        "/api/v1/settings/clients/1000",
                        "PATCH",
                        "7bff7d".decodeHex().toRequestBody(),
                    )
                },
        )

    /** Returns an answer without its cursor, because cursors differ between stores. */
    private fun unsigned(body: String) =
        body.replace(Regex(""""next_cursor":"[^"]+""""), """"next_cursor":"..."""")

    private fun Reply.unsigned() = copy(body = unsigned(body))

    private fun http(engine: Engine) =
        OkHttpClient.Builder().addInterceptor(RollbookInterceptor(engine, SERVICE)).build()

    @Test
    fun `a client gets from the engine what it gets from a server, byte for byte`() {
        val engine = SampleSchool.engine()
        LoopbackServer().use { server ->
            val embedded = SchoolClient(http(engine), SERVICE.toHttpUrl())
            val served = SchoolClient(OkHttpClient(), server.address.toHttpUrl())
            val statuses = asks.map { (what, ask) ->
                val reply = embedded.ask()
                assertEquals(served.ask().unsigned(), reply.unsigned(), what)
                reply.status
            }
            println("transport: ${asks.size} asks, the same through the engine and over HTTP")
            assertEquals(setOf(200, 204, 400, 401, 403, 404, 405), statuses.toSet())
        }
    }

    @Test
    fun `what is sent is what the engine is asked`() {
        val twin = SampleSchool.engine()
        lateinit var expected: Answer
        // This interceptor is before that of the engine, and sends each request to a second engine.
        val witness = Interceptor { chain ->
            val sent = chain.request()
            val headers = sent.headers.map { (name, value) -> name to value }
            assertEquals(
                listOf("HTTP-X-USERNAME" to "somebody else", "HTTP-X-USERNAME" to "demo"),
                headers.take(2),
            )
            val body = okio.Buffer().also { sent.body?.writeTo(it) }.readUtf8()
            val target = sent.url.toString().removePrefix(SERVICE)
            expected =
                twin.request(
                    target,
                    *headers.toTypedArray(),
                    method = sent.method,
                    body = body,
                )
            chain.proceed(sent)
        }
        val http =
            OkHttpClient.Builder()
                .addInterceptor(witness)
                .addInterceptor(RollbookInterceptor(SampleSchool.engine(), SERVICE))
                .build()
        val client = SchoolClient(http, SERVICE.toHttpUrl())
        for ((what, ask) in asks) {
            val reply = client.ask()
            val bodiless = reply.status == 204 || what == "no body"
            assertEquals(expected.status, reply.status, what)
            assertEquals(if (bodiless) "" else unsigned(expected.body), unsigned(reply.body), what)
            for ((name, value) in reply.headers) {
                val gone = reply.status == 204 && name == "Content-Length"
                assertEquals(if (gone) null else expected.header(name), value, "$what: $name")
            }
        }
    }

    @Test
    fun `requests to other addresses go on as they are`() {
        val elsewhere = Interceptor { chain ->
            Response.Builder()
                .request(chain.request())
                .protocol(Protocol.HTTP_1_1)
                .code(200)
                .message("OK")
                .body("elsewhere".toResponseBody())
                .build()
        }
        val http =
            OkHttpClient.Builder()
                .addInterceptor(RollbookInterceptor(SampleSchool.engine(), SERVICE))
                .addInterceptor(elsewhere)
                .build()
        fun body(url: String) =
            http.newCall(Request.Builder().url(url).build()).execute().use { it.body.string() }
        for (other in
            listOf("http://integrate.example.org/", "$SERVICE:8443/", "https://example.org/")) {
            assertEquals("elsewhere", body(other + "api/v1/settings/clients"), other)
        }
        val here = body("$SERVICE:443/api/v1/settings/clients")
        assertTrue(here.startsWith("""{"error":"""), here)
    }

    @Test
    fun `bytes of the body and the type of the answer`() {
        val engine = SampleSchool.engine()
        val request =
            Request.Builder()
                .url("$SERVICE/api/v1/adminplus/learners/1000")
                .header("HTTP-X-USERNAME", "demo")
                .header("HTTP-X-PASSWORD", "demo")
                .build()
        http(engine).newCall(request).execute().use { response ->
            val same = engine.request("/api/v1/adminplus/learners/1000", *SampleSchool.credentials)
            assertTrue(response.isSuccessful)
            assertEquals(same.header("Content-Type"), response.body.contentType().toString())
            val bytes = same.body.encodeToByteArray()
            assertEquals(bytes.size.toLong(), response.body.contentLength())
            assertArrayEquals(bytes, response.body.bytes())
            assertTrue(bytes.size > same.body.length, "the sample contains letters beyond ASCII")
        }
    }

    @Test
    fun `calls that wait in line are answered, cancelled ones are not`() {
        val http = http(SampleSchool.engine())
        val request = Request.Builder().url("$SERVICE/api/v1/settings/clients").build()
        val answered = CompletableFuture<Int>()
        http
            .newCall(request)
            .enqueue(
                object : Callback {
                    override fun onFailure(call: Call, e: IOException) {
                        answered.completeExceptionally(e)
                    }

                    override fun onResponse(call: Call, response: Response) {
                        answered.complete(response.use { it.code })
                    }
                }
            )
        assertEquals(401, answered.get(10, SECONDS))
        val cancelled = http.newCall(request).apply { cancel() }
        assertThrows<IOException> { cancelled.execute() }
    }

    @Test
    fun `a closed engine answers 500 that says so`() {
        val engine = SampleSchool.engine()
        engine.close()
        val reply = SchoolClient(http(engine), SERVICE.toHttpUrl()).learners(1000)
        assertEquals(500, reply.status)
        assertTrue("closed" in reply.body, reply.body)
    }

    @Test
    fun `a base address is scheme, host and port`() {
        val engine = Engine.memory()
        RollbookInterceptor(engine, "http://localhost:8080")
        for (bad in
            listOf("$SERVICE/api", "$SERVICE/?x=1", "$SERVICE/#x", "integrate.example.org")) {
            assertThrows<IllegalArgumentException>(bad) { RollbookInterceptor(engine, bad) }
        }
    }
}
