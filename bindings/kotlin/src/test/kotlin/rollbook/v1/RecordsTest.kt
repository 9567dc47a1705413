package rollbook.v1

import kotlinx.serialization.KSerializer
import kotlinx.serialization.builtins.ListSerializer
import kotlinx.serialization.builtins.MapSerializer
import kotlinx.serialization.builtins.serializer
import kotlinx.serialization.descriptors.SerialDescriptor
import kotlinx.serialization.descriptors.StructureKind
import kotlinx.serialization.descriptors.elementNames
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import rollbook.Engine
import rollbook.Inputs
import rollbook.SampleSchool

class RecordsTest {
    /** The records of each endpoint, and requests whose answers have all of their fields. */
    private val endpoints: List<Pair<KSerializer<*>, List<String>>> =
        listOf(
            ListSerializer(Learner.serializer()) to
                listOf(
                    "adminplus/learners/1000",
                    "adminplus/learners/1000?include_parents=1",
                    "adminplus/learners/1000?status=left&since=2025-06-01&until=2026-05-14",
                ),
            MapSerializer(String.serializer(), GradeAssessments.serializer()) to
                listOf(
                    "currplus/learnerassessmentmarks/1000?grade_id=9",
                    "currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
                ),
            ListSerializer(SubjectPerTerm.serializer()) to
                listOf("currplus/learnersubjectsperterm/1000?learner_id=1"),
            ListSerializer(SubjectMarks.serializer()) to
                listOf("currplus/learnersubjectmarks/1000?learner_id=1"),
            ListSerializer(LearnerSubject.serializer()) to listOf("currplus/learnersubjects/1000"),
            ListSerializer(School.serializer()) to
                listOf("finplus/debtmanagement/schools", "finplus/debtmanagement/schools/1000"),
            ListSerializer(Client.serializer()) to
                listOf("settings/clients", "settings/clients/1000"),
            ListSerializer(Absentee.serializer()) to listOf("adminplus/learnerabsentees/1000"),
            ListSerializer(FinanceLearner.serializer()) to
                listOf(
                    "finplus/debtmanagement/learnerparentinfo/1000",
                    "finplus/debtmanagement/learnerparentinfo/1000" +
                        "?all_accounts=1&include_parents=1&include_accountable_person=1",
                ),
            ListSerializer(AccountablePerson.serializer()) to
                listOf(
                    "finplus/debtmanagement/schooldebtors/1000",
                    "finplus/debtmanagement/schooldebtors/1000?all_accounts=1&include_learners=1",
                ),
            ListSerializer(Parent.serializer()) to listOf("adminplus/parents/1000"),
            ListSerializer(StaffMember.serializer()) to listOf("adminplus/staffmembers/1000"),
            SchoolInfo.serializer() to listOf("adminplus/school/1000"),
            ListSerializer(Discipline.serializer()) to listOf("adminplus/learnerdiscipline/1000"),
            ListSerializer(LookupEntry.serializer()) to
                listOf("adminplus/lookup/grade/1000", "adminplus/lookup/language"),
            Refusal.serializer() to listOf("settings/clients/4711"),
        )

    @Test
    fun `the records have the fields of real answers, all of them and no more`() {
        everyEndpoint(SampleSchool.engine())
    }

    @Test
    fun `the records of a generated school too`() {
        val engine = Engine.memory(SampleSchool.options)
        engine.apply(Inputs.school(1000))
        everyEndpoint(engine)
    }

    private fun everyEndpoint(engine: Engine) {
        val found = HashMap<String, Fields>()
        for ((type, targets) in endpoints) {
            for (target in targets) {
                val body = engine.request("/api/v1/$target", *SampleSchool.credentials).body
                assertRoundTrip(type, body, target)
                collect(type.descriptor, Json.parseToJsonElement(body), found)
            }
        }
        assertEquals(24, found.size, "${found.keys}")
        for ((record, fields) in found) assertEquals(fields.declared, fields.found, record)
    }

    @Test
    fun `the largest id is a Long with the same bits`() {
        val body = """{"learner_id":"1","first_name":"","last_name":"","subject_id":${ULong.MAX_VALUE},"subject_name":""}"""
        assertEquals(-1, Json.decodeFromString<LearnerSubject>(body).subjectId)
        assertRoundTrip(LearnerSubject.serializer(), body, "an id")
    }

    /** Checks that a body is decoded and encoded without a difference. */
    private fun <T> assertRoundTrip(type: KSerializer<T>, body: String, target: String) {
        assertEquals(body, Json.encodeToString(type, Json.decodeFromString(type, body)), target)
    }

    /** The declared fields of a record, and those that occurred in an answer. */
    private class Fields(val declared: Set<String>) {
        val found = HashSet<String>()
    }

    /** Adds the fields of a value and its elements to [found]. */
    private fun collect(
        type: SerialDescriptor,
        value: JsonElement,
        found: MutableMap<String, Fields>,
    ) {
        // An unsigned number is a class that contains a number.
        if (type.isInline) return
        when (type.kind) {
            StructureKind.LIST ->
                value.jsonArray.forEach { collect(type.getElementDescriptor(0), it, found) }
            StructureKind.MAP ->
                value.jsonObject.values.forEach { collect(type.getElementDescriptor(1), it, found) }
            StructureKind.CLASS -> {
                val record = type.serialName.removeSuffix("?")
                val fields = found.getOrPut(record) { Fields(type.elementNames.toSet()) }
                for ((name, field) in value.jsonObject) {
                    fields.found += name
                    collect(type.getElementDescriptor(type.getElementIndex(name)), field, found)
                }
            }
            else -> {}
        }
    }
}
