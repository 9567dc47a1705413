package rollbook

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

private const val SCHOOL = 1000L

class QuestionsTest {
    private val engine = SampleSchool.engine()

    private fun get(target: String, vararg more: Pair<String, String>) =
        engine.request(target, *SampleSchool.credentials, *more)

    private val asked: List<Pair<Question, String>> =
        listOf(
            Question.Learners(SCHOOL) to "adminplus/learners/1000",
            Question.Learners(
                SCHOOL,
                status = LearnerStatus.LEFT,
                since = "2025-06-01",
                until = "2026-05-14",
                includeParents = true,
            ) to
                "adminplus/learners/1000?status=left&since=2025-06-01&until=2026-05-14&include_parents=1",
            Question.Learners(SCHOOL, status = LearnerStatus.WAITLIST) to
                "adminplus/learners/1000?status=waitlist",
            Question.Learners(SCHOOL, learnerId = 1) to "adminplus/learners/1000?learner_id=1",
            Question.Learners(SCHOOL, gradeIds = listOf(8, 9), name = "smith") to
                "adminplus/learners/1000?grade_id=8,9&name=smith",
            Question.Learners(SCHOOL, familyCode = 3) to "adminplus/learners/1000?family_code=3",
            Question.AssessmentMarks(SCHOOL, gradeId = 9, year = 2026, term = 1) to
                "currplus/learnerassessmentmarks/1000?grade_id=9&year=2026&term=1",
            Question.AssessmentMarks(SCHOOL, gradeId = 9, structure = true) to
                "currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
            Question.AssessmentMarks(
                SCHOOL,
                learnerId = 1,
                subjectId = 1,
                learningOutcomeId = 1,
                assessmentId = 1,
            ) to
                "currplus/learnerassessmentmarks/1000?learner_id=1&subject_id=1" +
                    "&learning_outcome_id=1&assessment_id=1",
            Question.SubjectsPerTerm(SCHOOL, 1) to
                "currplus/learnersubjectsperterm/1000?learner_id=1",
            Question.SubjectMarks(SCHOOL, 1) to "currplus/learnersubjectmarks/1000?learner_id=1",
            Question.LearnerSubjects(SCHOOL) to "currplus/learnersubjects/1000",
            Question.LearnerSubjects(SCHOOL, learnerId = 1) to
                "currplus/learnersubjects/1000?learner_id=1",
            Question.Schools("demo") to "finplus/debtmanagement/schools",
            Question.Schools("demo", school = 1001) to "finplus/debtmanagement/schools/1001",
            Question.Clients("demo") to "settings/clients",
            Question.Clients("demo", school = SCHOOL) to "settings/clients/1000",
            Question.Absentees(SCHOOL) to "adminplus/learnerabsentees/1000",
            Question.Absentees(
                SCHOOL,
                learnerId = 1,
                fromDate = "2026-04-14",
                toDate = "2026-05-14",
            ) to
                "adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-04-14&to_date=2026-05-14",
            Question.FinanceLearners(
                SCHOOL,
                includeParents = true,
                includeAccountablePerson = true,
            ) to
                "finplus/debtmanagement/learnerparentinfo/1000?include_parents=1" +
                    "&include_accountable_person=1",
            Question.FinanceLearners(SCHOOL, learnerId = 1, parentId = 40, allAccounts = true) to
                "finplus/debtmanagement/learnerparentinfo/1000?learner_id=1&parent_id=40&all_accounts=1",
            Question.AccountablePersons(SCHOOL, includeLearners = true) to
                "finplus/debtmanagement/schooldebtors/1000?include_learners=1",
            Question.AccountablePersons(SCHOOL, allAccounts = true) to
                "finplus/debtmanagement/schooldebtors/1000?all_accounts=1",
            Question.Parents(SCHOOL) to "adminplus/parents/1000",
            Question.Parents(SCHOOL, parentId = 40) to "adminplus/parents/1000?parent_id=40",
            Question.StaffMembers(SCHOOL) to "adminplus/staffmembers/1000",
            Question.StaffMembers(SCHOOL, staffMemberId = 22) to
                "adminplus/staffmembers/1000?staff_member_id=22",
            Question.SchoolInfo(SCHOOL) to "adminplus/school/1000",
            Question.Discipline(SCHOOL) to "adminplus/learnerdiscipline/1000",
            Question.Discipline(
                SCHOOL,
                learnerId = 1,
                fromDate = "2026-04-14",
                toDate = "2026-05-14",
            ) to
                "adminplus/learnerdiscipline/1000?learner_id=1&from_date=2026-04-14&to_date=2026-05-14",
            Question.Grades(SCHOOL) to "adminplus/lookup/grade/1000",
            Question.Grades(SCHOOL, gradeId = 9) to "adminplus/lookup/grade/1000?grade_id=9",
            Question.Lookup(LookupList.ETHNIC_GROUP) to "adminplus/lookup/ethnicgroup",
            Question.Lookup(LookupList.MARITAL_STATUS, id = 2) to
                "adminplus/lookup/maritalstatus/2",
            Question.Lookup(LookupList.GENDER) to "adminplus/lookup/gender",
            Question.Lookup(LookupList.LANGUAGE, id = 99) to "adminplus/lookup/language/99",
        )

    @Test
    fun `every question is answered as the request is`() {
        for ((question, target) in asked) {
            assertEquals(get("/api/v1/$target"), engine.ask(question), target)
        }
        // At least one question of each kind is answered with records.
        val found = asked.filter { engine.ask(it.first).status == 200 }
        assertEquals(
            asked.map { it.first.javaClass }.toSet(),
            found.map { it.first.javaClass }.toSet(),
        )
    }

    @Test
    fun `pages and single records are those of v2`() {
        val school = "HTTP-X-SCHOOLID" to "1000"
        assertEquals(
            get("/api/v2/adminplus/learners?limit=2&reverse_order=true", school),
            engine.page(Question.Learners(SCHOOL), Page(limit = 2, reverseOrder = true)),
        )
        assertEquals(
            get("/api/v2/adminplus/learners/1", school),
            engine.find(Question.Learners(SCHOOL, learnerId = 1)),
        )
        assertEquals(404, engine.find(Question.Learners(SCHOOL, learnerId = 999)).status)
    }

    @Test
    fun `a walk through pages sees every record once`() {
        val ids = ArrayList<String>()
        var cursor: String? = null
        do {
            val page = engine.page(Question.Learners(SCHOOL), Page(cursor, limit = 3)).body
            ids += Regex("""\{"id":(\d+),"first_name""").findAll(page).map { it.groupValues[1] }
            cursor = Regex(""""next_cursor":"([^"]+)"""").find(page)?.groupValues?.get(1)
        } while (cursor != null)
        val all = engine.ask(Question.Learners(SCHOOL)).body
        assertEquals(
            Regex("""\{"id":"(\d+)","first_name""").findAll(all).map { it.groupValues[1] }.toList(),
            ids,
        )
        assertTrue(ids.size > 3)
    }

    @Test
    fun `a batch is answered as each request alone`() {
        val requests = asked.map { (_, target) ->
            Request("/api/v1/$target", headers = headersOf(*SampleSchool.credentials))
        }
        assertEquals(requests.map(engine::request), engine.requests(requests))
        assertEquals(emptyList<Answer>(), engine.requests(emptyList()))
    }

    @Test
    fun `the instant of a question is its own`() {
        val later = 1_778_745_600L + 400 * 86_400
        val absentees = Question.Absentees(SCHOOL)
        assertEquals(200, engine.ask(absentees).status)
        assertEquals(404, engine.ask(absentees, later).status)
    }

    @Test
    fun `a state that is set affects requests`() {
        val learners = "/api/v1/adminplus/learners/1000"
        val target = "/api/v1/settings/clients/1000"
        val body = """{"state":0,"api_type_id":8}"""
        val twin = SampleSchool.engine()
        val patched = twin.request(target, *SampleSchool.credentials, method = "PATCH", body = body)
        assertEquals(patched, engine.setState("demo", SCHOOL, 8, active = false))
        assertEquals(204, engine.setState("demo", SCHOOL, 8, active = false).status)
        assertEquals(403, get(learners).status)
        assertEquals(200, engine.setState("demo", SCHOOL, 8, active = true).status)
        assertEquals(200, get(learners).status)
    }

    @Test
    fun `an upgraded request`() {
        val upgrade = engine.upgrade("/api/v1/adminplus/learners/1000?learner_id=1")
        assertEquals("/api/v2/adminplus/learners/1", upgrade.target)
        assertEquals(listOf(Header("HTTP-X-SCHOOLID", "1000")), upgrade.headers)
    }
}
