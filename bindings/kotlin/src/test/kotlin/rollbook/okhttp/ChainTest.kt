package rollbook.okhttp

import java.nio.file.Path
import kotlin.io.path.div
import kotlin.io.path.writeText
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import okhttp3.OkHttpClient
import okhttp3.Request
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.fail
import org.junit.jupiter.api.io.TempDir
import rollbook.Engine
import rollbook.FollowStopped
import rollbook.Question
import rollbook.RollbookException
import rollbook.SampleSchool
import rollbook.lines

private const val AT_THE_SERVICE =
    """
{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}
{"type":"learner","school_id":1000,"id":3,"first_name":"Zoe","last_name":"Outsider","grade_id":"9"}
"""

/** From the service to a device: a server syncs with the service, and serves feeds to a device. */
class ChainTest {
    @TempDir lateinit var folder: Path

    /** Questions for a family's phone, each with the equivalent request to the service. */
    private val shown =
        listOf(
            learner(1) to "adminplus/learners/1000?learner_id=1",
            learner(2) to "adminplus/learners/1000?learner_id=2",
            Question.Absentees(1000, learnerId = 1) to "adminplus/learnerabsentees/1000?learner_id=1",
            Question.AssessmentMarks(1000, gradeId = 9, learnerId = 1) to
                "currplus/learnerassessmentmarks/1000?learner_id=1&grade_id=9",
        )

    private val http =
        OkHttpClient.Builder()
            .addInterceptor { chain ->
                val request = chain.request().newBuilder().header("Authorization", "Bearer family")
                SampleSchool.credentials.forEach { (name, value) -> request.header(name, value) }
                chain.proceed(request.build())
            }
            .build()

    private fun learner(id: Long) = Question.Learners(1000, learnerId = id)

    private suspend fun followUntil(phone: Engine, url: String, question: Question, text: String) {
        repeat(60) {
            try {
                followFrom(http, phone, url, wait = 2)
                if (text in phone.ask(question).body) return
            } catch (stopped: FollowStopped) {
                // The server has not finished its first pass.
                assertEquals(503, stopped.status)
                assertNull(phone.followed())
                delay(100)
            }
        }
        fail("$text does not arrive")
    }

    private fun compare(phone: Engine, service: String) {
        for ((question, target) in shown) {
            val request = Request.Builder().url("$service/api/v1/$target").build()
            http.newCall(request).execute().use { answer ->
                assertEquals(200, answer.code, target)
                assertEquals(answer.body.string(), phone.ask(question).body, target)
            }
        }
    }

    private fun serve(dataset: Path, vararg more: String) =
        LoopbackServer("--store", "${folder / "service"}", "--dataset", "$dataset", *more)

    @Test
    fun `a change at the service arrives at a device`(): Unit = runBlocking {
        val phone = Engine.memory(SampleSchool.options)
        val service = serve(SampleSchool.dataset)
        val from = arrayOf("--from", service.address, "--school", "1000", "--every", "1")
        service.use {
            LoopbackServer(*from, "--feed", "family=1000:1,2").use { server ->
                val url = server.address + "/feed"
                followUntil(phone, url, learner(1), "Smith")
                compare(phone, service.address)
                for (outside in listOf(
                    Question.Learners(1000),
                    learner(3),
                    Question.StaffMembers(1000),
                    Question.Learners(1001, learnerId = 201),
                )) {
                    assertThrows<RollbookException.NotSynced> { phone.ask(outside) }
                }
                assertThrows<RollbookException.Synced> { phone.apply(AT_THE_SERVICE) }
                service.close()
                val changes = (folder / "changes.ndjson").apply { writeText(AT_THE_SERVICE) }
                serve(changes, "--listen", service.address.removePrefix("http://")).use {
                    followUntil(phone, url, learner(2), "Naidoo")
                    compare(phone, service.address)
                }
            }
        }
        assertFalse("Outsider" in phone.lines())
    }
}
