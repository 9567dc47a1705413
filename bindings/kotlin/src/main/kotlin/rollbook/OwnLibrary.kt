@file:JvmSynthetic

package rollbook

import com.sun.jna.Native
import com.sun.jna.NativeLibrary
import com.sun.jna.Platform
import java.io.File
import java.io.IOException
import java.io.InputStream
import kotlin.io.path.Path
import kotlin.io.path.createTempFile

/**
 * The copy of the native library that this class loader uses. A copy has one set of functions for
 * calling listeners, so two class loaders cannot share it. JNA unpacks a copy from the jar for each
 * class loader, but a process loads an installed library only once. The first class loader uses the
 * installed library, and each later one a temporary copy of it.
 */
private val ownLibrary: NativeLibrary = run {
    val library = load(System.getProperty("uniffi.component.rollbook.libraryOverride") ?: NAME)
    if (library.claim()) library else loadCopy(library.file)
}

private const val NAME = "rollbook_ffi"

/** Binds the external functions of a class to the library. */
internal fun registerOwn(type: Class<*>): Unit =
    ofThisBuild(ownLibrary) { Native.register(type, ownLibrary) }

private fun load(name: String): NativeLibrary =
    NativeLibrary.getInstance(name, Engine::class.java.classLoader)

/** Claims a library, and returns whether this class loader is the first one that does. */
private fun NativeLibrary.claim(): Boolean = ofThisBuild(this) {
    val form = getFunction("rollbook_form").invokeLong(emptyArray())
    if (form != Direct.FORM) throw UnsatisfiedLinkError("its form is $form")
    getFunction("rollbook_claim").invokeInt(emptyArray()) != 0
}

private inline fun <T> ofThisBuild(library: NativeLibrary, work: () -> T): T =
    try {
        work()
    } catch (failed: UnsatisfiedLinkError) {
        throw linkError(
            "rollbook and its library ${library.file} are from different builds: remove the " +
                "library, so that the one in the jar is used, or install that of this build",
            failed,
        )
    }

private fun loadCopy(installed: File?): NativeLibrary {
    val source =
        openLibrary(installed)
            ?: throw linkError(
                "another class loader uses the native library, whose file was not found, and the " +
                    "jar does not contain it for this platform: put Rollbook and JNA into a " +
                    "class loader that both share, or set jna.library.path to the library's folder"
            )
    val library =
        try {
            source.use { withCopy(it) { copy -> load(copy.path) } }
        } catch (failed: IOException) {
            throw notCopied(failed)
        } catch (failed: UnsatisfiedLinkError) {
            throw notCopied(failed)
        }
    library.claim()
    return library
}

/**
 * Opens the file of the installed library, or the library in the jar. If the system's loader found
 * the library, the file is only a name.
 */
private fun openLibrary(installed: File?): InputStream? =
    if (installed != null && installed.isAbsolute && installed.isFile) {
        installed.inputStream()
    } else {
        Engine::class
            .java
            .getResourceAsStream("/${Platform.RESOURCE_PREFIX}/${System.mapLibraryName(NAME)}")
    }

/** Calls [work] with a temporary copy of a library, which only its owner can read or replace. */
internal inline fun <T> withCopy(source: InputStream, work: (File) -> T): T {
    val folder = System.getProperty("jna.tmpdir")?.let(::Path)
    val copy = createTempFile(folder, "rollbook", System.mapLibraryName("")).toFile()
    try {
        // Deleting the file and creating it again would give others access to it.
        copy.outputStream().use(source::copyTo)
        return work(copy)
    } finally {
        // Windows does not delete a library that is loaded.
        if (!copy.delete()) copy.deleteOnExit()
    }
}

private fun notCopied(cause: Throwable): Throwable =
    linkError(
        "another class loader uses the native library, and a copy of it could not be loaded " +
            "($cause): set jna.tmpdir to a folder whose files can be written and executed, or " +
            "put Rollbook and JNA into a class loader that both share",
        cause,
    )

private fun linkError(message: String, cause: Throwable? = null): Throwable =
    UnsatisfiedLinkError(message).initCause(cause)
