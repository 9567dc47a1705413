package rollbook.okhttp

import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import kotlin.io.path.div
import kotlin.io.path.readText
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import okhttp3.OkHttpClient
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir
import rollbook.CallFailure
import rollbook.Engine
import rollbook.FailedRequest
import rollbook.Finding
import rollbook.FindingEffect
import rollbook.Inputs
import rollbook.QuarantinedAnswer
import rollbook.Question
import rollbook.RefusedState
import rollbook.Reply
import rollbook.ReplyOutcome
import rollbook.RollbookException
import rollbook.SampleSchool
import rollbook.Step
import rollbook.StopReason
import rollbook.SyncOptions
import rollbook.SyncProgress
import rollbook.SyncReport
import rollbook.SyncStopped
import rollbook.UnsentState

/** 2026-05-14T08:00:00Z, the instant at which the service answers. */
private const val NOW = 1_778_745_600L

class SyncWithTest {
    @TempDir lateinit var folder: Path

    private val options = SyncOptions(daysFrom = "2026-01-01")
    private val source = SampleSchool.engine().apply { removeSchool(1001) }
    private val mirror = Engine.memory(SampleSchool.options)

    /**
     * The start of the drivers' clock, which begins with the instant at which the service answers.
     */
    private val begun = System.currentTimeMillis()

    private fun clock() = NOW * 1000 + System.currentTimeMillis() - begun

    private suspend fun drive(
        mirror: Engine,
        address: String,
        password: String = "demo",
        options: SyncOptions = this.options,
        progress: ((SyncProgress) -> Boolean)? = null,
    ): SyncReport {
        val longest = FaultyService.LONG - 1L
        val service = Service(OkHttpClient(), address, "demo", password, longest)
        return SyncDriver(mirror.sync(1000, options), service::send, progress, ::clock).run()
    }

    @Test
    fun `the mirror answers as the service`(): Unit = runBlocking {
        FaultyService(source, milliseconds = 10).use { service ->
            val received = mutableListOf<SyncProgress>()
            val report = drive(mirror, service.address + "/") { received.add(it) }
            assertTrue(service.most.get() in 2..4, "${service.most}")
            assertEquals(service.asked.size.toLong(), report.replies)
            assertEquals(emptyList<Any>(), report.failed + report.quarantined + report.unstable)
            assertEquals(emptyList<Finding>(), report.findings)
            assertEquals(0L, received.first().answered)
            assertTrue(received.last().answered > 10L)
            assertMirror(mirror, source)
            val coverage = mirror.synced(1000)!!
            assertTrue(coverage.asOf!! >= NOW)
            assertTrue(coverage.seen.first { it.what == "the absences" }.from!! <= "2026-01-01")
            val before = Question.Absentees(1000, fromDate = "2024-01-01", toDate = "2024-01-31")
            assertThrows<RollbookException.NotSynced> { mirror.ask(before) }
            val again = drive(mirror, service.address)
            assertTrue(again.unchanged > 0L)
            assertMirror(mirror, source)
        }
    }

    /** A pass before and after a change of the school, with the simulated failures of `serve`. */
    @Test
    fun `the example is followed`(): Unit = runBlocking {
        val store = folder / "source"
        Engine.open(store).use {
            it.apply(SampleSchool.dataset)
            it.removeSchool(1001)
        }
        val passes = listOf("" to emptyList(), CHANGES to OF_THE_NEW_LEARNER)
        val given = passes.map { (changes, more) ->
            // Only one process at a time can have the store open.
            Engine.open(store).use { it.apply(changes) }
            val server = LoopbackServer("--store", "$store", "--faults", "4180")
            val report = server.use { drive(mirror, it.address) }
            assertEquals(emptyList<Any>(), report.failed + report.quarantined + report.unstable)
            Engine.open(store, SampleSchool.options).use { assertMirror(mirror, it, more) }
        }
        assertTrue(given[0].zip(given[1]).count { (before, after) -> before != after } > 8)
    }

    @Test
    fun `the clock of the system`(): Unit = runBlocking {
        FaultyService(source).use { service ->
            val sync = mirror.sync(1000, SyncOptions(mostInFlight = 1))
            syncWith(OkHttpClient(), sync, service.address, "demo", "demo")
            assertEquals(1, service.most.get())
            assertEquals(200, mirror.ask(Question.Learners(1000)).status)
        }
    }

    @Test
    fun `what goes wrong on the way`(): Unit = runBlocking {
        val wrong =
            mapOf(2 to Wrong.MUCH, 4 to Wrong.ILL, 5 to Wrong.CUT, 6 to Wrong.PAGE, 8 to Wrong.LONG)
        FaultyService(source) { place, _ -> wrong[place] }.use { service ->
            val report = drive(mirror, service.address)
            assertEquals(emptyList<Any>(), report.failed)
            assertTrue(wrong.keys.all { it < service.asked.size })
            assertMirror(mirror, source)
        }
    }

    @Test
    fun `a wrong password stops`(): Unit = runBlocking {
        FaultyService(source).use { service ->
            val stopped =
                assertThrows<SyncStopped> { drive(mirror, service.address, password = "s3cret") }
            assertEquals(StopReason.WRONG_CREDENTIALS, stopped.reason)
            assertTrue("check the user name and the password" in stopped.message!!)
            assertFalse("s3cret" in stopped.stackTraceToString())
            // The second call checks the access.
            assertEquals(listOf("/api/v1/settings/clients/1000"), service.asked.drop(1))
        }
    }

    @Test
    fun `a pass without any answer stops`(): Unit = runBlocking {
        FaultyService(source) { _, _ -> Wrong.GONE }.use { service ->
            val stopped = assertThrows<SyncStopped> { drive(mirror, service.address) }
            assertEquals(StopReason.INCOMPLETE, stopped.reason)
            val first = stopped.report.failed.first()
            assertEquals(service.asked.first() to 410, first.target to first.status)
            assertEquals(
                "no answer could be fetched: ${first.target} failed with status 410: ${first.reason}",
                stopped.message,
            )
        }
    }

    @Test
    fun `cancelled and resumed`(): Unit = runBlocking {
        val path = folder / "mirror"
        FaultyService(source).use { service ->
            Engine.open(path, SampleSchool.options).use { mirror ->
                assertThrows<RollbookException.Cancelled> {
                    drive(mirror, service.address) { it.answered < 8L }
                }
                assertEquals(null, mirror.synced(1000))
            }
            assertTrue(service.asked.size in 8..12, "${service.asked.size}")
            Engine.open(path, SampleSchool.options).use { mirror ->
                drive(mirror, service.address)
                assertMirror(mirror, source)
            }
            FaultyService(source).use { whole ->
                drive(mirror, whole.address)
                // At most the calls that were in flight are sent again.
                assertTrue(service.asked.size <= whole.asked.size + 4)
            }
        }
    }

    @Test
    fun `cancelling a coroutine cancels its calls`(): Unit = runBlocking {
        FaultyService(source, milliseconds = 200).use { service ->
            val driving = async(Dispatchers.Default) { drive(mirror, service.address) }
            while (service.asked.isEmpty()) delay(10)
            driving.cancelAndJoin()
            assertThrows<CancellationException> { driving.await() }
        }
        FaultyService(source).use { service -> drive(mirror, service.address) }
        assertMirror(mirror, source)
    }

    @Test
    fun `a redirect elsewhere is not followed`(): Unit = runBlocking {
        FaultyService(source).use { elsewhere ->
            // The first attempt of each of these calls is redirected.
            val redirected = ConcurrentHashMap.newKeySet<String>()
            val away = { _: Int, target: String ->
                Wrong.AWAY.takeIf { "discipline" in target && redirected.add(target) }
            }
            FaultyService(source, elsewhere.address, wrong = away).use { service ->
                val report = drive(mirror, service.address)
                assertTrue(redirected.isNotEmpty())
                assertEquals(emptyList<FailedRequest>(), report.failed)
            }
            assertTrue(elsewhere.asked.isEmpty())
        }
    }

    @Test
    fun `what the listener throws comes out`(): Unit = runBlocking {
        FaultyService(source).use { service ->
            assertThrows<ArithmeticException> {
                drive(mirror, service.address) { throw ArithmeticException() }
            }
        }
    }

    @Test
    fun `what is no address, and no header`(): Unit = runBlocking {
        val sync = mirror.sync(1000)
        val bad =
            listOf(
                Triple("integrate.example.org", "demo", "demo"),
                Triple("https://demo:s3cret@a.example", "demo", "demo"),
                Triple("https://a.example/?s3cret", "demo", "demo"),
                Triple("https://a.example", "s3cret\n", "demo"),
                Triple("https://a.example", "demo", "s3cret\r\nX: y"),
                Triple("https://a.example", "demo", "\u0000s3cret"),
            )
        for ((address, username, password) in bad) {
            val refused =
                assertThrows<IllegalArgumentException> {
                    syncWith(OkHttpClient(), sync, address, username, password)
                }
            assertFalse("s3cret" in refused.stackTraceToString())
        }
    }

    @Test
    fun `a password in any script`(): Unit = runBlocking {
        source.apply("""{"type":"integrator","username":"demo","password":"wagwoord-zoë-密"}""")
        FaultyService(source).use { service ->
            val report = drive(mirror, service.address, password = "wagwoord-zoë-密")
            assertEquals(emptyList<Any>(), report.failed)
        }
    }

    @Test
    fun `state updates are sent`(): Unit = runBlocking {
        val outbox = options.copy(outbox = "demo")
        FaultyService(source).use { service ->
            drive(mirror, service.address, options = outbox)
            assertMirror(mirror, source)
            // The service does not have this API type.
            mirror.apply(
                """{"type":"api_type","api_type_id":99,"family":"finance"}
                {"type":"client_integration","username":"demo","school_id":1000,"api_type_id":99}"""
            )
            for ((kind, state) in listOf(10L to false, 99L to true)) {
                val set = mirror.setState("demo", 1000, kind, state)
                assertEquals(200, set.status)
            }
            val report = drive(mirror, service.address, options = outbox)
            assertEquals(listOf(RefusedState(99, true, 401)), report.refused)
            assertEquals(emptyList<UnsentState>(), report.unsent)
        }
        val debtors = "/api/v1/finplus/debtmanagement/schooldebtors/1000"
        assertEquals(403, source.request(debtors, *SampleSchool.credentials).status)
    }

    @Test
    fun `driven by hand`() {
        assertEquals(null, mirror.synced(1000))
        val sync = mirror.sync(1000, options)
        val first = (sync.next(NOW) as Step.Send).call
        assertEquals("GET" to "", first.method to first.body)
        assertTrue(sync.next(NOW) is Step.Wait)
        assertEquals(1, sync.progress().inFlight)
        val retry = sync.handleFailure(first.id, NOW, CallFailure.CUT) as ReplyOutcome.Retry
        assertTrue(retry.at > NOW)
        assertEquals(ReplyOutcome.Stale, sync.handleFailure(1, NOW, CallFailure.TIMEOUT))
        var now = retry.at
        while (true) {
            when (val step = sync.next(now)) {
                is Step.Wait -> now = step.until
                is Step.Send -> {
                    val answer = source.request(step.call.target, *SampleSchool.credentials)
                    val reply = Reply(answer.status, answer.bytes)
                    val outcome = sync.handleReply(step.call.id, now, reply)
                    val isRead = outcome == ReplyOutcome.Stored || outcome == ReplyOutcome.Unchanged
                    assertTrue(isRead, "$outcome")
                }
                is Step.Done -> break
                is Step.Stop -> error("${step.reason}: ${step.report}")
            }
        }
        assertMirror(mirror, source)
        assertThrows<RollbookException.Synced> {
            mirror.apply("""{"type":"learner","school_id":1000,"id":77,"first_name":"Made up"}""")
        }
        assertThrows<RollbookException.Unsupported> { sync.prioritise("/api/v1/nothing") }
        assertThrows<RollbookException.Unsupported> { sync.approve("/api/v1/nothing") }
        assertThrows<RollbookException.Unsupported> { sync.reject("/api/v1/nothing") }
        // Decisions about an answer that is not quarantined have no effect.
        sync.approve(first.target)
        sync.reject(first.target)
        assertEquals(emptyList<QuarantinedAnswer>(), sync.quarantined())
        sync.prioritise(first.target)
        val prioritised = (sync.next(now) as Step.Send).call
        assertEquals(first.target, prioritised.target)
        val refused = sync.handleReply(prioritised.id, now, Reply(401, ByteArray(0)))
        assertEquals(ReplyOutcome.Failed, refused)
        // The next call checks what the 401 is about.
        val check = (sync.next(now) as Step.Send).call
        assertEquals("/api/v1/settings/clients/1000", check.target)
        sync.handleReply(check.id, now, Reply(401, ByteArray(0)))
        assertEquals(Step.Stop(StopReason.WRONG_CREDENTIALS, sync.report()), sync.next(now))
        mirror.forgetSync(1000)
        assertEquals(null, mirror.synced(1000))
        sync.close()
    }

    @Test
    fun `a value that cannot be used`() {
        val sync = mirror.sync(1000, options)
        var now = NOW
        var report: SyncReport? = null
        while (report == null) {
            when (val step = sync.next(now)) {
                is Step.Wait -> now = step.until
                is Step.Send -> {
                    val answer = source.request(step.call.target, *SampleSchool.credentials)
                    var body = answer.bytes
                    if ("status=current" in step.call.target) {
                        // The date of birth of learner 1.
                        val text = body.decodeToString()
                        assertTrue("2018-01-01" in text)
                        body = text.replace("2018-01-01", "0000-00-00").toByteArray()
                    }
                    sync.handleReply(step.call.id, now, Reply(answer.status, body))
                }
                is Step.Done -> report = step.report
                is Step.Stop -> error("${step.reason}: ${step.report}")
            }
        }
        assertEquals(emptyList<FailedRequest>(), report.failed)
        val target = report.findings.single().target
        assertTrue(target.startsWith("/api/v1/adminplus/learners/1000?"), target)
        assertTrue("status=current" in target, target)
        assertEquals(
            Finding("learner", "date_of_birth", FindingEffect.FIELD_EMPTY, 1L, listOf("1"), target),
            report.findings.single(),
        )
        sync.close()
    }

    @Test
    fun `every reason has a message`() {
        val report = mirror.sync(1000).use { it.report() }
        for (reason in StopReason.entries) {
            assertTrue(": " in SyncStopped(reason, report).message!!, "$reason")
        }
        val failed = listOf("/a", "/b").map { FailedRequest(it, null, "ten attempts failed") }
        assertEquals(
            "no answer could be fetched: /a failed without a reply: ten attempts failed",
            SyncStopped(StopReason.INCOMPLETE, report.copy(failed = failed)).message,
        )
    }

    @Test
    fun `the example of the README`(): Unit = runBlocking {
        val readme = (Inputs.root / "bindings" / "kotlin" / "README.md").readText()
        val example = "/** From the README. */\n" + section(readme)
        val here = Inputs.root / "bindings/kotlin/src/test/kotlin/rollbook/okhttp/ReadmeExample.kt"
        assertTrue(example in here.readText(), example)
        FaultyService(source).use { service ->
            refresh(mirror, service.address, "demo", "demo")
            assertEquals(200, mirror.ask(Question.Learners(1000)).status)
        }
    }

    /** Returns the first block of Kotlin under the heading. */
    private fun section(readme: String) =
        readme
            .substringAfter("\n## Fill it from the service\n")
            .substringAfter("```kotlin\n")
            .substringBefore("```")
}
