package rollbook.okhttp

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.io.IOException
import java.net.InetSocketAddress
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors
import okhttp3.HttpUrl.Companion.toHttpUrl
import rollbook.Engine
import rollbook.RollbookException
import rollbook.Scope
import rollbook.pieces

/**
 * A server of feeds for followers, on loopback, which fails on request.
 */
class Feeds(private val engine: Engine, private val scope: Scope) : AutoCloseable {
    /** The requested targets, in order. */
    val asked = CopyOnWriteArrayList<String>()

    /** The number of bytes of a body after which the connection is closed. */
    @Volatile var cut: Int? = null

    /** The address to which requests are redirected. */
    @Volatile var elsewhere: String? = null

    private val threads = Executors.newCachedThreadPool()
    private val server =
        HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0).apply {
            executor = threads
            createContext("/feed") { exchange ->
                try {
                    answer(exchange)
                } catch (_: IOException) {
                    // Either side closed the connection.
                } finally {
                    exchange.close()
                }
            }
            start()
        }

    val url: String = "http://127.0.0.1:${server.address.port}/feed"

    private fun answer(exchange: HttpExchange) {
        asked.add(exchange.requestURI.toString())
        elsewhere?.let {
            exchange.responseHeaders.add("Location", it)
            return exchange.sendResponseHeaders(302, -1)
        }
        if (exchange.requestHeaders.getFirst("Authorization") != "Bearer family") {
            return exchange.sendResponseHeaders(401, -1)
        }
        val asked = "http://localhost${exchange.requestURI}".toHttpUrl()
        val wait = asked.queryParameter("wait")?.toLong() ?: 0
        val until = System.nanoTime() + wait * 1_000_000_000
        while (true) {
            val feed =
                try {
                    engine.feed(scope, asked.queryParameter("after"))
                } catch (_: RollbookException.ResyncRequired) {
                    return exchange.sendResponseHeaders(409, -1)
                }
            feed.use {
                if (it.hasChanges()) return whole(exchange, it.pieces().joinToString(""))
            }
            if (System.nanoTime() >= until) return exchange.sendResponseHeaders(204, -1)
            Thread.sleep(10)
        }
    }

    private fun whole(exchange: HttpExchange, lines: String) {
        val body = lines.toByteArray()
        exchange.sendResponseHeaders(200, body.size.toLong())
        exchange.responseBody.write(body, 0, cut ?: body.size)
    }

    override fun close() {
        server.stop(0)
        threads.shutdownNow()
    }
}
