package rollbook.corpus

import java.nio.file.Path
import kotlin.io.path.readLines
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonClassDiscriminator

/** The number of cases and requests of the corpus. */
@Serializable data class Size(val cases: Int, val requests: Int)

/** A case of the corpus: steps for an empty store in memory. */
@Serializable
data class Case(val name: String, val steps: List<Step>) {
    companion object {
        fun all(file: Path): List<Case> = file.readLines().map { Json.decodeFromString(it) }
    }
}

@OptIn(ExperimentalSerializationApi::class)
@Serializable
@JsonClassDiscriminator("step")
sealed interface Step {
    @Serializable
    @SerialName("apply")
    data class Apply(val dataset: String, val expected: Outcome) : Step

    @Serializable
    @SerialName("check")
    data class Check(val dataset: String, val limit: Int, val faults: List<Message>) : Step

    @Serializable
    @SerialName("replace_school")
    data class ReplaceSchool(val school: Long, val dataset: String, val expected: Outcome) : Step

    @Serializable
    @SerialName("remove_school")
    data class RemoveSchool(val school: Long, val expected: Outcome) : Step

    @Serializable
    @SerialName("erase_learner")
    data class EraseLearner(val school: Long, val learner: Long, val expected: Outcome) : Step

    @Serializable @SerialName("export") data class Export(val lines: String) : Step

    @Serializable
    @SerialName("request")
    data class Request(
        val now: Long,
        val method: String,
        val target: String,
        val headers: List<List<String>>,
        val body: String,
        val status: Int,
        val allow: String?,
        val answer: String,
    ) : Step
}

/** The result of a change: its counts, which are empty if they do not matter, or its fault. */
@Serializable data class Outcome(val fault: Message?, val counts: List<String>)

/** A complete message, or the start of a message. */
@Serializable
data class Message(@SerialName("is") val whole: String? = null, val starts: String? = null) {
    fun fits(found: String): Boolean =
        if (starts == null) found == whole else found.startsWith(starts)
}
