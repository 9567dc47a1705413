package rollbook

import com.sun.jna.Native
import com.sun.jna.NativeLibrary
import com.sun.jna.Platform
import java.io.File
import java.net.URL
import java.net.URLClassLoader
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.Semaphore
import java.util.function.BiFunction
import kotlin.io.path.Path
import kotlin.io.path.div
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue
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
        System.clearProperty(OVERRIDE)
    }

    private val installed =
        Path(System.getProperty("rollbook.build")) / "native" / Platform.RESOURCE_PREFIX

    private fun useInstalledLibrary() {
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
        assertTrue("set jna.tmpdir to a folder" in refused.message!!, refused.message)
        check(first)
    }

    /** The system's loader does not report the folder in which it found the library. */
    @Test
    fun `a library that the system finds`() {
        assumeTrue(Platform.isLinux())
        val places = (rollbook + libraries).map { Path.of(it.toURI()).toString() }
        val java = Path(System.getProperty("java.home")) / "bin" / "java"
        val command =
            listOf("$java", "-cp", places.joinToString(File.pathSeparator), Guests::class.java.name)
        val arguments = listOf("${SampleSchool.dataset}", "${folder / "store.redb"}")
        val process = ProcessBuilder(command + arguments + places).redirectErrorStream(true)
        process.environment()["LD_LIBRARY_PATH"] = "$installed"
        val printed = process.start().inputStream.bufferedReader().readText()
        assertEquals("librollbook_ffi.so\n" + "2 404 opened\n".repeat(2), printed)
    }

    @Test
    fun `a library of another build`() {
        assumeTrue(Platform.isLinux())
        System.setProperty(OVERRIDE, "m")
        val refused = assertThrows<UnsatisfiedLinkError> { check(loader(rollbook + libraries)) }
        assertTrue("are from different builds" in refused.message!!, refused.message)
    }

    @Test
    fun `only the owner can read or replace a copy`() {
        assumeTrue("posix" in folder.fileSystem.supportedFileAttributeViews())
        val seen = withCopy("content".byteInputStream()) { copy ->
            val permissions = Files.getPosixFilePermissions(copy.toPath())
            "${PosixFilePermissions.toString(permissions)} ${copy.readText()}"
        }
        assertEquals("rw------- content", seen)
    }

    private companion object {
        const val OVERRIDE = "uniffi.component.rollbook.libraryOverride"
    }
}

/** Runs a guest in each of two class loaders. */
object Guests {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val places = arguments.drop(2).map { File(it).toURI().toURL() }.toTypedArray()
        println(NativeLibrary.getInstance("rollbook_ffi").file)
        repeat(2) {
            val loader = URLClassLoader(places, ClassLoader.getPlatformClassLoader())
            val guest = loader.loadClass(Guest::class.java.name).getConstructor().newInstance()
            @Suppress("UNCHECKED_CAST")
            val function = guest as BiFunction<String, String, String>
            println(function.apply(arguments[0], arguments[1]))
        }
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
