package rollbook.okhttp

import java.net.ServerSocket
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.io.path.div
import kotlin.io.path.readText
import kotlin.io.path.writeText
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import okhttp3.HttpUrl.Companion.toHttpUrl
import okhttp3.OkHttpClient
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir
import rollbook.AsyncEngine
import rollbook.Engine
import rollbook.FollowStopped
import rollbook.Inputs
import rollbook.LoadListener
import rollbook.Progress
import rollbook.Question
import rollbook.RollbookException
import rollbook.SampleSchool
import rollbook.SchoolInScope
import rollbook.Scope
import rollbook.Summary
import rollbook.lines
import rollbook.pieces

private const val CHANGE =
    """{"type":"learner","school_id":1000,"id":2,"first_name":"Janet","last_name":"Naidoo"}"""

/** Devices that follow a server. */
class FollowFromTest {
    @TempDir lateinit var folder: Path

    private val family = Scope(listOf(SchoolInScope(1000, listOf(1, 2))))
    private val both = Scope(listOf(SchoolInScope(1000), SchoolInScope(1001)))
    private val server = SampleSchool.engine()
    private val phone = Engine.memory(SampleSchool.options)

    private suspend fun follow(
        phone: Engine,
        url: String,
        token: String = "family",
        wait: Int = 0,
        progress: LoadListener? = null,
    ): Summary? = followFrom(client(token), phone, url, wait, progress)

    private fun client(token: String) =
        OkHttpClient.Builder()
            .addInterceptor { chain ->
                val request = chain.request().newBuilder()
                chain.proceed(request.header("Authorization", "Bearer $token").build())
            }
            .build()

    private fun serve(store: Path, dataset: Path) =
        LoopbackServer(
            *arrayOf("--store", "$store", "--dataset", "$dataset"),
            *arrayOf("--feed", "family=1000:1,2", "--feed", "all=1000", "--feed", "none="),
        )

    @Test
    fun `the example is followed`(): Unit = runBlocking {
        val store = folder / "server"
        serve(store, SampleSchool.dataset).use { server ->
            val url = server.address + "/feed"
            assertEquals(2L, follow(phone, url)!!.kinds.getValue("learner").added)
            assertEquals(setOf(1, 2), phone.learners())
            val position = phone.followed()
            assertNotNull(position)
            val begun = System.nanoTime()
            assertNull(follow(phone, url, wait = 1))
            assertTrue(System.nanoTime() - begun >= 1_000_000_000)
            assertEquals(position, phone.followed())
            assertThrows<RollbookException.NotSynced> { phone.ask(Question.Learners(1000)) }
            assertThrows<RollbookException.Synced> { phone.apply(CHANGE) }
            val stopped = assertThrows<FollowStopped> { follow(phone, url, "wr0ng") }
            assertEquals(401, stopped.status)
            assertTrue("401: check the login" in stopped.message!!)
            assertFalse("wr0ng" in stopped.stackTraceToString())
        }
        val change = (folder / "change.ndjson").apply { writeText(CHANGE) }
        serve(store, change).use { server ->
            val url = server.address + "/feed"
            val changed = follow(phone, url, wait = 60)!!
            assertEquals(0L to 1L, changed.total.added to changed.total.changed)
            assertTrue("Naidoo" in phone.second())
            // Another login receives the whole school, and the same device then receives nothing.
            val tablet = Engine.memory(SampleSchool.options)
            follow(tablet, url, "all")
            this@FollowFromTest.server.apply(CHANGE)
            assertEquals(this@FollowFromTest.server.inScope(1000), tablet.lineSet())
            assertTrue(follow(phone, url, "none")!!.total.removed > 0L)
            assertEquals(emptySet<Int>(), phone.learners())
            // Questions about a school fail if the phone no longer follows it, or never did.
            for (unknown in listOf(1000L, 5L)) {
                assertThrows<RollbookException.NotSynced> { phone.ask(Question.Learners(unknown, learnerId = 2L)) }
            }
        }
        val before = phone.followed()
        // Another store does not know the position of the phone, and sends everything.
        serve(folder / "other", SampleSchool.dataset).use { server ->
            assertEquals(2L, follow(phone, server.address + "/feed")!!.kinds.getValue("learner").added)
        }
        assertNotEquals(before, phone.followed())
        assertFalse("Naidoo" in phone.second())
    }

    @Test
    fun `a position that is lost`(): Unit = runBlocking {
        Feeds(server, family).use { follow(phone, it.url) }
        Feeds(SampleSchool.engine(), family).use { feeds ->
            assertNotNull(follow(phone, feeds.url))
            assertEquals(listOf(true), feeds.asked.map { "after=" in it })
            assertNull(follow(phone, feeds.url))
            assertEquals(listOf(true), feeds.asked.drop(1).map { "after=" in it })
        }
    }

    /** A server stores the changes of its last 64 openings. */
    @Test
    fun `a device that polls outlives any number of openings`(): Unit = runBlocking {
        val store = (folder / "openings").toString()
        Engine.open(store, SampleSchool.options).use { server ->
            server.apply(SampleSchool.dataset.readText())
            Feeds(server, family).use { follow(phone, it.url) }
        }
        for (opening in 0..65) {
            Engine.open(store, SampleSchool.options).use { server ->
                server.apply("""{"type":"grade","school_id":1001,"grade_id":${opening + 500}}""")
                Feeds(server, family).use { feeds ->
                    val before = phone.followed()
                    val moved = follow(phone, feeds.url)!!
                    // The feed contains a position and no records.
                    assertEquals(2L to 0, moved.lines to moved.kinds.size)
                    assertNotEquals(before, phone.followed())
                    assertNull(follow(phone, feeds.url))
                }
            }
        }
        Engine.open(store, SampleSchool.options).use { server ->
            server.apply(CHANGE)
            val changed = Feeds(server, family).use { follow(phone, it.url) }!!
            assertTrue(changed.lines < 10L && changed.total.changed == 1L)
        }
    }

    /** Complete parts are stored, and are not sent again. */
    @Test
    fun `a connection that is cut`(): Unit = runBlocking {
        val whole = server.feed(both).use { feed -> feed.pieces().sumOf { it.toByteArray().size } }
        val expected = server.inScope(1000, 1001)
        val rests = (1..9).map { tenth ->
            val phone = Engine.memory(SampleSchool.options)
            Feeds(server, both).use { feeds ->
                feeds.cut = whole * tenth / 10
                val stopped = assertThrows<FollowStopped> { follow(phone, feeds.url) }
                assertNull(stopped.status)
                assertTrue("the next call continues" in stopped.message!!)
                feeds.cut = null
                val stored = phone.lineSet().size
                val rest = follow(phone, feeds.url)!!
                assertEquals((expected.size - stored).toLong(), rest.total.added)
                assertEquals(stored > 0, "after=" in feeds.asked[1])
                assertEquals(expected, phone.lineSet())
                rest.bytes.toInt()
            }
        }
        assertTrue(rests.first() >= whole && rests.last() < whole / 2, "$rests")
    }

    @Test
    fun `a change ends the wait`(): Unit = runBlocking {
        Feeds(server, family).use { feeds ->
            follow(phone, feeds.url)
            val waiting = async(Dispatchers.Default) {
                follow(phone, feeds.url + "?of=app#part", wait = 60)
            }
            while (feeds.asked.size < 2) delay(10)
            server.apply(CHANGE)
            assertEquals(1L, waiting.await()!!.total.changed)
            val asked = "http://localhost${feeds.asked[1]}".toHttpUrl()
            assertEquals(setOf("of", "after", "wait"), asked.queryParameterNames)
            assertEquals("60", asked.queryParameter("wait"))
        }
    }

    @Test
    fun `the time limits of the app's client do not limit the wait`(): Unit = runBlocking {
        var limits = emptyList<Int>()
        val http =
            OkHttpClient.Builder()
                .readTimeout(1, TimeUnit.SECONDS)
                .callTimeout(1, TimeUnit.SECONDS)
                .addInterceptor { chain ->
                    limits = listOf(
                        chain.readTimeoutMillis() / 1000,
                        chain.call().timeout().timeoutNanos().toInt(),
                    )
                    chain.proceed(chain.request())
                }
                .build()
        Feeds(server, family).use { feeds ->
            assertThrows<FollowStopped> { followFrom(http, phone, feeds.url, wait = 60) }
        }
        assertTrue(limits[0] > 60 && limits[1] == 0, "$limits")
    }

    @Test
    fun `a feed that is cancelled`(): Unit = runBlocking {
        Feeds(server, family).use { feeds ->
            val received = mutableListOf<Progress>()
            val cancelled =
                assertThrows<RollbookException.Cancelled> {
                    follow(phone, feeds.url) {
                        received.add(it)
                        false
                    }
                }
            assertTrue("the next call continues" in cancelled.message!!)
            assertTrue(received.single().bytes > 0L)
            assertThrows<java.io.IOException> {
                follow(phone, feeds.url) { throw java.io.IOException("the listener's own") }
            }
            follow(phone, feeds.url)
        }
        assertEquals(setOf(1, 2), phone.learners())
    }

    @Test
    fun `cancelling a coroutine cancels its call`(): Unit = runBlocking {
        Feeds(server, family).use { feeds ->
            follow(phone, feeds.url)
            val waiting = async(Dispatchers.Default) { follow(phone, feeds.url, wait = 60) }
            while (feeds.asked.size < 2) delay(10)
            val begun = System.nanoTime()
            waiting.cancelAndJoin()
            assertTrue(System.nanoTime() - begun < 30_000_000_000)
            assertThrows<CancellationException> { waiting.await() }
        }
    }

    @Test
    fun `a redirect is not followed`(): Unit = runBlocking {
        Feeds(server, family).use { elsewhere ->
            Feeds(server, family).use { feeds ->
                feeds.elsewhere = elsewhere.url
                val stopped = assertThrows<FollowStopped> { follow(phone, feeds.url) }
                assertTrue("302: redirects are not followed" in stopped.message!!)
            }
            assertEquals(emptyList<String>(), elsewhere.asked)
            assertNull(phone.followed())
        }
    }

    @Test
    fun `no server answers, and invalid addresses`(): Unit = runBlocking {
        val free = ServerSocket(0).use { it.localPort }
        val stopped = assertThrows<FollowStopped> { follow(phone, "http://127.0.0.1:$free/feed") }
        assertNull(stopped.status)
        assertThrows<IllegalArgumentException> { follow(phone, "/feed") }
        assertThrows<IllegalArgumentException> { follow(phone, "http://127.0.0.1/feed", wait = -1) }
    }

    @Test
    fun `followed by hand`() {
        assertNull(phone.followed())
        server.feed(family).use { feed ->
            phone.follow().use { follow ->
                assertTrue(feed.hasChanges())
                for (piece in feed.pieces()) {
                    assertTrue(follow.push(piece.toByteArray()).lines > 0L)
                }
                assertEquals(2L, follow.finish().kinds.getValue("learner").added)
                assertEquals(feed.position(), phone.followed())
            }
        }
        server.feed(family, phone.followed()).use { assertFalse(it.hasChanges()) }
        server.feed(both).use {
            it.cancel()
            assertNull(it.read())
        }
        assertThrows<RollbookException.ResyncRequired> { server.feed(family, "AAAA") }
        assertThrows<RollbookException.BadDataset> {
            phone.follow().use { it.push("<!doctype html>\n".toByteArray()) }
        }
        // A feed after a position cannot be applied to another store.
        server.apply(CHANGE)
        val news = server.feed(family, phone.followed()).use { it.pieces().joinToString("") }
        assertThrows<RollbookException.OutOfSync> {
            Engine.memory().follow().use { it.push(news.toByteArray()) }
        }
        val cut =
            assertThrows<RollbookException.BadDataset> {
                phone.follow().use {
                    it.push((news.substringBefore('\n') + "\n").toByteArray())
                    it.finish()
                }
            }
        assertTrue("the feed is incomplete" in cut.message!!)
        phone.removeSchool(1000)
        assertEquals(emptySet<Int>(), phone.learners())
    }

    @Test
    fun `followed by hand from a coroutine, and an export of a scope`(): Unit = runBlocking {
        val (source, device) = AsyncEngine(server) to AsyncEngine(phone)
        source.feed(family).use { feed ->
            device.follow().use { follow ->
                feed.pieces().forEach { follow.push(it.toByteArray()) }
                follow.finish()
                assertEquals(feed.position(), device.followed())
            }
        }
        val exported = source.exportScope(family).toList().joinToString("").lines().filter { it != "" }
        assertEquals(phone.lineSet(), exported.toSet())
        assertThrows<RollbookException.Unsupported> {
            server.exportScope(Scope(emptyList(), listOf("learners")))
        }
    }

    @Test
    fun `the example of the README`(): Unit = runBlocking {
        val readme = (Inputs.root / "bindings" / "kotlin" / "README.md").readText()
        val example =
            "/** From the README: a server is followed. */\n" +
                readme
                    .substringAfter("\n## Follow a server\n")
                    .substringAfter("```kotlin\n")
                    .substringBefore("```")
        val here = Inputs.root / "bindings/kotlin/src/test/kotlin/rollbook/okhttp/ReadmeExample.kt"
        assertTrue(example in here.readText(), example)
        Feeds(server, family).use { feeds ->
            keepInStep(phone, feeds.url, "s3cret")
            assertNull(phone.followed())
            keepInStep(phone, feeds.url, "family")
            assertEquals(setOf(1, 2), phone.learners())
        }
    }

    private fun Engine.lineSet(): Set<String> = lines().lines().filter { it.isNotEmpty() }.toSet()

    private fun Engine.records(): List<Pair<String, JsonObject>> = lineSet().map {
        it to Json.parseToJsonElement(it).jsonObject
    }

    private fun JsonObject.number(name: String): Int? =
        (get(name) as? JsonPrimitive)?.content?.toIntOrNull()

    /** Returns the lines that a follower of complete schools stores. */
    private fun Engine.inScope(vararg schools: Int): Set<String> =
        records()
            .filter { (_, record) ->
                val type = record.getValue("type").jsonPrimitive.content
                val school = record.number("school_id")
                type !in listOf("integrator", "client_integration") &&
                    (school == null || school in schools)
            }
            .map { it.first }
            .toSet()

    /** Returns the ids of the learners who have records. */
    private fun Engine.learners(): Set<Int> =
        records()
            .mapNotNull { (_, record) ->
                val isLearner = record.getValue("type").jsonPrimitive.content == "learner"
                record.number(if (isLearner) "id" else "learner_id")
            }
            .toSet()

    private fun Engine.second(): String = ask(Question.Learners(1000, learnerId = 2)).body
}
