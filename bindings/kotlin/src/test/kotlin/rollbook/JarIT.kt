package rollbook

import com.sun.jna.Platform
import java.io.File
import java.lang.reflect.Field
import java.lang.reflect.Method
import java.lang.reflect.Modifier
import java.util.jar.JarFile
import kotlin.io.path.div
import kotlin.io.path.readBytes
import kotlin.io.path.readText
import kotlin.io.path.walk
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** The jar for distribution. */
class JarIT {
    private val jar = JarFile(System.getProperty("rollbook.jar"))
    private val names =
        jar.entries().asSequence().filterNot { it.isDirectory }.map { it.name }.toList()

    private fun bytes(name: String) = jar.getInputStream(jar.getEntry(name)).use { it.readBytes() }

    @Test
    fun `these tests run on the jar`() {
        val source = File(Engine::class.java.protectionDomain.codeSource.location.toURI())
        assertEquals(File(jar.name).canonicalFile, source.canonicalFile)
        SampleSchool.engine().use { assertTrue(it.stats().bytes > 0) }
    }

    @Test
    fun `the library is located where JNA looks for it, and is stripped`() {
        val name = "${Platform.RESOURCE_PREFIX}/${System.mapLibraryName("rollbook_ffi")}"
        val library = bytes(name)
        val symbols =
            if (Platform.isLinux()) {
                val file = File.createTempFile("rollbook", ".so").apply { writeBytes(library) }
                val readelf = ProcessBuilder("readelf", "--wide", "--sections", "$file").start()
                val sections = readelf.inputStream.bufferedReader().readText()
                file.delete()
                assertTrue(".dynsym" in sections, sections)
                ".symtab" in sections || ".debug_info" in sections
            } else {
                println(
                    "jar: whether the library is stripped is not looked at on ${Platform.RESOURCE_PREFIX}"
                )
                false
            }
        assertFalse(symbols)
        println("jar: ${File(jar.name).length()} bytes, $name ${library.size} bytes")
    }

    @Test
    fun `the documents of OpenAPI are in it`() {
        for (version in listOf("v1", "v2")) {
            val name = "openapi-$version.json"
            assertArrayEquals((Inputs.root / "core/docs" / name).readBytes(), bytes("rollbook/$name"))
        }
    }

    @Test
    fun `the licences are in it, and nothing that does not belong there`() {
        for (licence in listOf("LICENSE-APACHE", "LICENSE-MIT")) {
            assertArrayEquals((Inputs.root / licence).readBytes(), bytes("META-INF/$licence"))
        }
        val belongs =
            Regex(
                """rollbook/.+\.class|rollbook/openapi-v[12]\.json|[a-z0-9-]+/(lib)?rollbook_ffi\.(so|dylib|dll)""" +
                    """|META-INF/(MANIFEST\.MF|LICENSE-(APACHE|MIT)|rollbook\.kotlin_module""" +
                    """|proguard/rollbook\.pro|maven/rollbook/rollbook/pom\.(xml|properties))"""
            )
        assertEquals(emptyList<String>(), names.filterNot(belongs::matches))
        val here = Inputs.root.toRealPath().toString()
        for (name in names.filter { it.endsWith(".class") }) {
            assertFalse(
                here in String(bytes(name), Charsets.ISO_8859_1),
                "$name names a folder of the build",
            )
        }
    }

    /**
     * A value class in a signature gives a function a name with a `-`, and hides a constructor.
     * Members that Kotlin calls internal have a `$` in their names.
     */
    @Test
    fun `Java can use every public member`() {
        val generated = Regex("""rollbook\.(FfiConverter|Uniffi|uniffi|RustBuffer).*""")
        val classes =
            names
                .filter { it.endsWith(".class") }
                .map { Class.forName(it.removeSuffix(".class").replace('/', '.')) }
                .filter { isVisible(it.modifiers) && !generated.matches(it.name) }
        assertTrue(Question.Learners::class.java in classes && Engine::class.java in classes)
        val members =
            classes.flatMap { type ->
                (type.declaredMethods.toList() + type.declaredFields)
                    .filter { isVisible(it.modifiers) && !it.isSynthetic && '$' !in it.name }
                    .map { (it as? Method)?.toGenericString() ?: (it as Field).toGenericString() }
            }
        val constructors =
            classes.flatMap { it.declaredConstructors.toList() }
                .filter { isVisible(it.modifiers) && !it.isSynthetic }
        val signatures = members + constructors.map { it.toGenericString() }
        val unusable = Regex("""-|kotlin\.U(Byte|Short|Int|Long)\b""")
        assertEquals(emptyList<String>(), signatures.filter(unusable::containsMatchIn))
        val hidden = classes.filter { type ->
            !Modifier.isAbstract(type.modifiers) &&
                type.declaredConstructors.any {
                    it.isSynthetic && it.parameterCount > 1 &&
                        it.parameterTypes.last().simpleName == "DefaultConstructorMarker"
                } &&
                type.constructors.all { it.isSynthetic }
        }
        assertEquals(emptyList<Class<*>>(), hidden)
    }

    @Test
    fun `Java cannot call internal functions`() {
        val internal = Regex("""^internal (?:inline )?fun (?:<.+> )?(?:\w+\.)?(\w+)""", RegexOption.MULTILINE)
        val sources = Inputs.root / "bindings" / "kotlin" / "src" / "main" / "kotlin"
        val functions =
            sources.walk().flatMap { internal.findAll(it.readText()).map { it.groupValues[1] } }.toSet()
        assertTrue("pushAll" in functions && "registerOwn" in functions, "$functions")
        val visible =
            names
                .filter { it.endsWith(".class") && '$' !in it }
                .map { Class.forName(it.removeSuffix(".class").replace('/', '.')) }
                .filter { isVisible(it.modifiers) && !it.isSynthetic }
                .flatMap { type -> type.declaredMethods.filter { Modifier.isStatic(it.modifiers) } }
                .filter { isVisible(it.modifiers) && !it.isSynthetic && it.name in functions }
        assertEquals(emptyList<Method>(), visible)
    }

    private fun isVisible(modifiers: Int) =
        Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)

    @Test
    fun `classes are for Java 11`() {
        val version = bytes("rollbook/Engine.class").let { it[6] * 256 + it[7] }
        assertEquals(55, version)
    }

    @Test
    fun `the jar of sources contains the generated ones too`() {
        val sources = JarFile(System.getProperty("rollbook.sources"))
        for (name in
            listOf("rollbook/Engine.kt", "rollbook/rollbook.kt", "rollbook/v1/Learner.kt")) {
            assertTrue(sources.getEntry(name) != null, name)
        }
    }
}
