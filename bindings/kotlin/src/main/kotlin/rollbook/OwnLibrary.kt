package rollbook

import com.sun.jna.NativeLibrary
import java.io.File
import java.io.IOException
import kotlin.io.path.Path
import kotlin.io.path.createTempFile

/**
 * The copy of the native library that this class loader uses. A copy has one set of functions for
 * calling listeners, so two class loaders cannot share it. JNA unpacks a copy from the jar for each
 * class loader, but a process loads an installed library (`jna.library.path`) only once. The first
 * class loader uses the installed library, and each later one a temporary copy of it.
 */
internal object OwnLibrary {
    @JvmField
    val library: NativeLibrary =
        load(System.getProperty("uniffi.component.rollbook.libraryOverride") ?: "rollbook_ffi")
            .let { if (it.claim()) it else loadCopy(it.file) }

    private fun load(name: String): NativeLibrary =
        NativeLibrary.getInstance(name, OwnLibrary::class.java.classLoader)

    /** Claims a library, and returns whether this class loader is the first one that does. */
    private fun NativeLibrary.claim(): Boolean =
        getFunction("rollbook_claim").invokeInt(emptyArray()) != 0

    private fun loadCopy(installed: File): NativeLibrary =
        try {
            val folder = System.getProperty("jna.tmpdir")?.let(::Path)
            val copy = createTempFile(folder, "rollbook", installed.name).toFile()
            try {
                installed.copyTo(copy, overwrite = true)
                load(copy.path)
            } finally {
                // Windows does not delete a library that is loaded.
                if (!copy.delete()) copy.deleteOnExit()
            }
        } catch (failed: IOException) {
            throw notCopied(failed)
        } catch (failed: UnsatisfiedLinkError) {
            throw notCopied(failed)
        }

    private fun notCopied(cause: Throwable): Throwable =
        UnsatisfiedLinkError(
            "another class loader uses the installed library, and a copy of it could not be " +
                "loaded ($cause): put Rollbook and JNA into a class loader that both share, or " +
                "remove jna.library.path, so that each class loader uses the library in its jar"
        )
            .initCause(cause)
}
