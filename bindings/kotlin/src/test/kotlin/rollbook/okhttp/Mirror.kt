package rollbook.okhttp

import kotlin.io.path.readLines
import org.junit.jupiter.api.Assertions.assertEquals
import rollbook.Engine
import rollbook.SampleSchool

/**
 * Requests of an app by which a mirror is compared with its source. The sync itself sends other
 * requests.
 */
private val COMPARED =
    listOf(
        "/api/v1/adminplus/learners/1000?name=zo%C3%AB&include_parents=1",
        "/api/v1/adminplus/learners/1000?grade_id=8,9",
        "/api/v1/adminplus/learners/1000?learner_id=1",
        "/api/v1/adminplus/learners/1000?learner_id=2",
        "/api/v1/adminplus/learners/1000?learner_id=77",
        "/api/v1/adminplus/learners/1000?family_code=1001",
        "/api/v1/adminplus/learners/1000?status=waitlist&include_parents=1",
        "/api/v1/adminplus/learners/1000?status=nobody",
        "/api/v1/adminplus/learnerabsentees/1000?from_date=2026-04-20&to_date=2026-05-14",
        "/api/v1/adminplus/learnerdiscipline/1000?from_date=2026-05-01&to_date=2026-05-14",
        "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9",
        "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
        "/api/v1/currplus/learnersubjects/1000?learner_id=1",
        "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1",
        "/api/v1/currplus/learnersubjectmarks/1000?learner_id=2",
        "/api/v1/finplus/debtmanagement/learnerparentinfo/1000?include_accountable_person=1",
        "/api/v1/finplus/debtmanagement/schooldebtors/1000?include_learners=1",
        "/api/v1/finplus/debtmanagement/schools",
        "/api/v1/settings/clients/1000",
        "/api/v2/adminplus/learners?limit=50",
        "/api/v2/adminplus/learners/1",
        "/api/v2/adminplus/learners/6",
        "/api/v2/adminplus/learners?limit=0",
        "/api/v2/adminplus/learnerabsentees?limit=50",
        "/api/v2/currplus/learnerassessmentmarks?grade_id=9",
        "/api/v2/finplus/debtmanagement/accountablepersons",
        "/api/v2/nothing/here",
    )

/** Changes of the school, as a dataset. */
const val CHANGES =
    """
    {"type":"learner","school_id":1000,"id":2,"first_name":"Janet","last_name":"Smith","grade_id":"7","family_code":"1001"}
    {"type":"learner","school_id":1000,"id":6,"deleted":true}
    {"type":"learner","school_id":1000,"id":77,"first_name":"Käthe","last_name":"Neu","grade_id":"9"}
    {"type":"learner_subject","school_id":1000,"learner_id":77,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":1,"subject_group_id":"118","mark":"71.00"}]}
    {"type":"mark","school_id":1000,"assessment_id":8001,"learner_id":1,"mark":17,"dtime":"2026-05-13 10:00:00"}
    {"type":"absentee","school_id":1000,"id":400001,"learner_id":1,"absent_date":"2026-05-13","absent_reason":"Illness"}
    {"type":"discipline","school_id":1000,"id":5300,"learner_id":3,"discipline_date":"2026-05-12"}
    """

/** A request about the new learner, which is compared only after the changes. */
val OF_THE_NEW_LEARNER = listOf("/api/v1/currplus/learnersubjectmarks/1000?learner_id=77")

/**
 * The kinds of records that a mirror needs for its access checks: the integrators and the families
 * of the API types. No answer of the service contains them.
 */
private val ACCESS = listOf("api_type", "integrator", "client_integration")

/** Checks that a mirror answers an app as its source does, and returns the answers. */
fun assertMirror(mirror: Engine, source: Engine, more: List<String> = emptyList()): List<String> {
    val access = SampleSchool.dataset.readLines().filter { line ->
        ACCESS.any { """"type":"$it"""" in line } && """"school_id":1001""" !in line
    }
    mirror.apply(access.joinToString("\n"))
    return (COMPARED + more).map { target ->
        source.answer(target).also { assertEquals(it, mirror.answer(target), target) }
    }
}

/** Returns the status and the body without its cursor, because cursors differ between stores. */
private fun Engine.answer(target: String): String {
    val answer = request(target, "HTTP-X-SCHOOLID" to "1000", *SampleSchool.credentials)
    return "${answer.status} ${answer.body.substringBefore("\"next_cursor\":\"")}"
}
