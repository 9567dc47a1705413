package rollbook.okhttp

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.io.IOException
import java.net.InetSocketAddress
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import rollbook.Engine
import rollbook.Header
import rollbook.Request

/** The ways in which a call fails. */
enum class Wrong { MUCH, ILL, CUT, PAGE, LONG, AWAY, GONE }

/**
 * The service over HTTP on loopback: an engine answers. Calls fail as [wrong] requests, by the
 * position of a call among all calls, starting with 1, and its target.
 */
class FaultyService(
    private val engine: Engine,
    private val elsewhere: String = "",
    private val milliseconds: Long = 0,
    private val wrong: (Int, String) -> Wrong? = { _, _ -> null },
) : AutoCloseable {
    val asked = ConcurrentLinkedQueue<String>()
    /** The maximum number of simultaneous calls. */
    val most = AtomicInteger()
    private val underWay = AtomicInteger()
    private val threads = Executors.newCachedThreadPool()
    private val server =
        HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0).apply {
            executor = threads
            createContext("/") { exchange ->
                most.accumulateAndGet(underWay.incrementAndGet(), ::maxOf)
                try {
                    answer(exchange)
                } catch (_: IOException) {
                    // Either side closed the connection.
                } finally {
                    underWay.decrementAndGet()
                    exchange.close()
                }
            }
            start()
        }

    val address: String = "http://127.0.0.1:${server.address.port}"

    private fun answer(exchange: HttpExchange) {
        val target = exchange.requestURI.toString()
        val place = synchronized(asked) { asked.add(target).let { asked.size } }
        Thread.sleep(milliseconds)
        val headers = exchange.requestHeaders.flatMap { (name, values) ->
            // The JDK's server decodes headers as Latin-1.
            values.map { Header(name, it.toByteArray(Charsets.ISO_8859_1).decodeToString()) }
        }
        val body = exchange.requestBody.readBytes().decodeToString()
        val answer = engine.request(Request(target, exchange.requestMethod, headers, body))
        when (wrong(place, target)) {
            null -> exchange.send(answer.status, answer.bytes)
            Wrong.MUCH -> exchange.send(429, ByteArray(0), "Retry-After" to "1")
            Wrong.ILL -> exchange.send(500, "{}".toByteArray())
            Wrong.GONE -> exchange.send(410, "{}".toByteArray())
            Wrong.PAGE -> exchange.send(200, "<!doctype html><title>Log in</title>".toByteArray())
            Wrong.LONG -> exchange.send(200, ByteArray(LONG) { ' '.code.toByte() })
            Wrong.AWAY -> exchange.send(302, ByteArray(0), "Location" to elsewhere + target)
            Wrong.CUT -> {
                exchange.sendResponseHeaders(200, answer.bytes.size + 1L)
                exchange.responseBody.write(answer.bytes)
                exchange.responseBody.close()
            }
        }
    }

    private fun HttpExchange.send(status: Int, body: ByteArray, vararg headers: Pair<String, String>) {
        for ((name, value) in headers) responseHeaders.add(name, value)
        val length = if (body.isEmpty()) -1L else body.size.toLong()
        sendResponseHeaders(status, length)
        if (body.isNotEmpty()) responseBody.write(body)
    }

    override fun close() {
        server.stop(0)
        threads.shutdownNow()
    }

    companion object {
        /** The length of a body that is too long, in bytes. */
        const val LONG = 1 shl 20
    }
}
