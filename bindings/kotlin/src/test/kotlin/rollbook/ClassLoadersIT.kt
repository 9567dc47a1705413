package rollbook

import com.sun.jna.Native
import com.sun.jna.Platform
import java.net.URL
import java.net.URLClassLoader
import java.nio.file.Path
import java.util.concurrent.Semaphore
import java.util.function.BiFunction
import kotlin.io.path.Path
import kotlin.io.path.div
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.io.TempDir

/** Class loaders of a process, each with the package, as in an application server. */
class ClassLoadersIT {
    @TempDir lateinit var folder: Path

    private val rollbook = listOf(place(Engine::class.java), place(Guest::class.java))
    private val libraries = listOf(place(Native::class.java), place(Unit::class.java))

    // The library of this class loader is the one in the jar. JNA reads its properties once for
    // each class loader.
    private val here = SampleSchool.engine()

    @AfterEach
    fun forgetInstalledLibrary() {
        here.close()
        System.clearProperty("jna.library.path")
        System.clearProperty("jna.tmpdir")
    }

    private fun useInstalledLibrary() {
        val installed = Path(System.getProperty("rollbook.build")) / "native" / Platform.RESOURCE_PREFIX
        System.setProperty("jna.library.path", installed.toString())
    }

    private fun place(type: Class<*>): URL = type.protectionDomain.codeSource.location

    private fun loader(
        places: List<URL>,
        parent: ClassLoader = ClassLoader.getPlatformClassLoader(),
    ): ClassLoader = URLClassLoader(places.toTypedArray(), parent)

    @Suppress("UNCHECKED_CAST")
    private fun guest(loader: ClassLoader) =
        loader.loadClass(Guest::class.java.name).getConstructor().newInstance()
            as BiFunction<String, String, String>

    /** Calls listeners in each of the class loaders, in turns, while this one has a store open. */
    private fun check(vararg loaders: ClassLoader) {
        val store = folder / "store.redb"
        Engine.open(store).use {
            val guests = loaders.map(::guest)
            for (guest in guests + guests) {
                val seen = guest.apply(SampleSchool.dataset.toString(), store.toString())
                assertEquals("2 404 already_open", seen)
            }
        }
    }

    @Test
    fun `the library in the jar`() =
        check(loader(rollbook + libraries), loader(rollbook + libraries))

    @Test
    fun `an installed library`() {
        useInstalledLibrary()
        check(loader(rollbook + libraries), loader(rollbook + libraries))
    }

    @Test
    fun `an installed library, and one JNA`() {
        useInstalledLibrary()
        val shared = loader(libraries)
        val first = loader(rollbook, shared)
        check(first, loader(rollbook, shared))
        System.setProperty("jna.tmpdir", (folder / "missing").toString())
        val refused = assertThrows<UnsatisfiedLinkError> { check(loader(rollbook, shared)) }
        assertTrue("put Rollbook and JNA into a class loader" in refused.message!!, refused.message)
        check(first)
    }
}

/** Loads a dataset, observes a question and opens a store. Returns what happened. */
class Guest : BiFunction<String, String, String> {
    override fun apply(dataset: String, store: String): String {
        Engine.memory().use { engine ->
            var loads = 0
            engine.apply(Path(dataset)) { ++loads > 0 }
            val changes = Semaphore(0)
            engine.observe(Question.Learners(1000)) { changes.release() }.use { query ->
                query.poll()
                engine.removeSchool(1000)
                changes.acquire()
                return "$loads ${query.poll()?.status} ${open(store)}"
            }
        }
    }

    private fun open(store: String): String =
        try {
            Engine.open(store).close()
            "opened"
        } catch (refused: RollbookException) {
            refused.code
        }
}
