import Foundation
import Rollbook
import XCTest

/// Questions are answered as the requests that ask the same.
final class QuestionTests: XCTestCase {
    private static let v1: [(Question, String)] = [
        (.learners(school: 1000), "adminplus/learners/1000"),
        (.learners(school: 1000, status: .left, since: "2026-01-01", until: "2026-05-14"),
            "adminplus/learners/1000?status=left&since=2026-01-01&until=2026-05-14"),
        (.learners(school: 1000, status: .waitlist), "adminplus/learners/1000?status=waitlist"),
        (.learners(school: 1000, status: .current, learnerId: 1, gradeIds: [8, 9], includeParents: true,
            name: "smith", familyCode: 1001),
            "adminplus/learners/1000?learner_id=1&grade_id=8,9&include_parents=1&name=smith&family_code=1001"),
        (.assessmentMarks(school: 1000, learnerId: 1), "currplus/learnerassessmentmarks/1000?learner_id=1"),
        (.assessmentMarks(school: 1000), "currplus/learnerassessmentmarks/1000"),
        (.assessmentMarks(school: 1000, gradeId: 9, year: 2026, structure: true),
            "currplus/learnerassessmentmarks/1000?grade_id=9&year=2026&structure=1"),
        (.assessmentMarks(school: 1000, learnerId: 1, gradeId: 9, subjectId: 101, year: 2026, term: 1,
            learningOutcomeId: 1, assessmentId: 8001),
            "currplus/learnerassessmentmarks/1000?learner_id=1&grade_id=9&subject_id=101&year=2026&term=1"
                + "&learning_outcome_id=1&assessment_id=8001"),
        (.subjectsPerTerm(school: 1000, learnerId: 1), "currplus/learnersubjectsperterm/1000?learner_id=1"),
        (.subjectMarks(school: 1000, learnerId: 1), "currplus/learnersubjectmarks/1000?learner_id=1"),
        (.learnerSubjects(school: 1000), "currplus/learnersubjects/1000"),
        (.learnerSubjects(school: 1000, learnerId: 1), "currplus/learnersubjects/1000?learner_id=1"),
        (.schools(username: "demo"), "finplus/debtmanagement/schools"),
        (.schools(username: "demo", school: 1001), "finplus/debtmanagement/schools/1001"),
        (.clients(username: "demo"), "settings/clients"),
        (.clients(username: "demo", school: 1001), "settings/clients/1001"),
        (.absentees(school: 1000), "adminplus/learnerabsentees/1000"),
        (.absentees(school: 1000, learnerId: 1, fromDate: "2026-04-20", toDate: "2026-05-14"),
            "adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-04-20&to_date=2026-05-14"),
        (.financeLearners(school: 1000), "finplus/debtmanagement/learnerparentinfo/1000"),
        (.financeLearners(school: 1000, learnerId: 1, debtorCode: "1001", accountablePersonId: 40, parentId: 40,
            allAccounts: true, includeParents: true, includeAccountablePerson: true),
            "finplus/debtmanagement/learnerparentinfo/1000?learner_id=1&debtor_code=1001&accountable_person_id=40"
                + "&parent_id=40&all_accounts=1&include_parents=1&include_accountable_person=1"),
        (.accountablePersons(school: 1000), "finplus/debtmanagement/schooldebtors/1000"),
        (.accountablePersons(school: 1000, debtorCode: "1001", accountablePersonId: 40, allAccounts: true,
            includeLearners: true),
            "finplus/debtmanagement/schooldebtors/1000?debtor_code=1001&accountable_person_id=40"
                + "&all_accounts=1&include_learners=1"),
        (.parents(school: 1000), "adminplus/parents/1000"),
        (.parents(school: 1000, parentId: 40), "adminplus/parents/1000?parent_id=40"),
        (.staffMembers(school: 1000), "adminplus/staffmembers/1000"),
        (.staffMembers(school: 1000, staffMemberId: 22), "adminplus/staffmembers/1000?staff_member_id=22"),
        (.schoolInfo(school: 1000), "adminplus/school/1000"),
        (.discipline(school: 1000), "adminplus/learnerdiscipline/1000"),
        (.discipline(school: 1000, learnerId: 1, fromDate: "2026-04-20", toDate: "2026-05-14"),
            "adminplus/learnerdiscipline/1000?learner_id=1&from_date=2026-04-20&to_date=2026-05-14"),
        (.grades(school: 1000), "adminplus/lookup/grade/1000"),
        (.grades(school: 1000, gradeId: 9), "adminplus/lookup/grade/1000?grade_id=9"),
        (.lookup(list: .ethnicGroup), "adminplus/lookup/ethnicgroup"),
        (.lookup(list: .maritalStatus, id: 2), "adminplus/lookup/maritalstatus/2"),
        (.lookup(list: .gender), "adminplus/lookup/gender"),
        (.lookup(list: .language, id: 2), "adminplus/lookup/language/2"),
    ]

    func testEveryQuestionIsAnsweredAsItsRequest() throws {
        let engine = try smallSchools()
        var found = 0
        for (question, target) in Self.v1 {
            let answer = try engine.ask(question)
            XCTAssertEqual(answer, try engine.request(Request("/api/v1/\(target)", headers: demo)), target)
            XCTAssertEqual(try engine.ask(question: question, now: today), answer)
            if answer.status == 200 { found += 1 }
        }
        XCTAssertGreaterThanOrEqual(found, Self.v1.count - 2, "few of them find anything")
        // The answer for another year contains no records of this one.
        XCTAssertEqual(try engine.ask(.absentees(school: 1000), now: today + 400 * 86_400).status, 404)
    }

    func testPagesAreThoseOfV2() throws {
        let engine = try smallSchools()
        let v2: [(Question, String)] = [
            (.learners(school: 1000), "adminplus/learners?"),
            (.assessmentMarks(school: 1000, gradeId: 9), "currplus/learnerassessmentmarks?grade_id=9&"),
            (.subjectsPerTerm(school: 1000, learnerId: 1), "currplus/learnersubjectsperterm?learner_id=1&"),
            (.subjectMarks(school: 1000, learnerId: 1), "currplus/learnersubjectmarks?learner_id=1&"),
            (.learnerSubjects(school: 1000), "currplus/learnersubjects?"),
            (.schools(username: "demo"), "finplus/debtmanagement/schools?"),
            (.clients(username: "demo", apiTypeId: 8), "settings/clientintegrations?api_type_id=8&"),
            (.absentees(school: 1000), "adminplus/learnerabsentees?"),
            (.financeLearners(school: 1000), "finplus/debtmanagement/learners?"),
            (.accountablePersons(school: 1000), "finplus/debtmanagement/accountablepersons?"),
            (.parents(school: 1000), "adminplus/parents?"),
            (.staffMembers(school: 1000), "adminplus/staffmembers?"),
            (.discipline(school: 1000), "adminplus/learnerdiscipline?"),
            (.grades(school: 1000), "adminplus/lookup/grade?"),
            (.lookup(list: .language), "adminplus/lookup/language?"),
        ]
        let headers: KeyValuePairs = ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo", "HTTP-X-SCHOOLID": "1000"]
        for (question, target) in v2 {
            var cursor: String?
            var pages = 0
            repeat {
                let page = Page(cursor: cursor, limit: 2, reverseOrder: true)
                let answer = try engine.page(question, page)
                let place = cursor.map { "&cursor=\($0)" } ?? ""
                let request = Request("/api/v2/\(target)limit=2&reverse_order=1\(place)", headers: headers)
                XCTAssertEqual(answer, try engine.request(request), target)
                XCTAssertEqual(answer.status, 200, answer.body)
                cursor = try answer.decode(Paged.self).meta.nextCursor
                pages += 1
            } while cursor != nil && pages < 100
            XCTAssertEqual(try engine.page(question).status, 200)
        }
        let learner = try engine.find(.learners(school: 1000, learnerId: 1))
        XCTAssertEqual(learner, try engine.request(Request("/api/v2/adminplus/learners/1", headers: headers)))
        let absence = try engine.find(.absentees(school: 1000, id: 399_910))
        XCTAssertEqual(absence, try engine.request(Request("/api/v2/adminplus/learnerabsentees/399910", headers: headers)))
        XCTAssertEqual(try engine.find(.learners(school: 1000, learnerId: 77_777)).status, 404)
    }

    private struct Paged: Decodable {
        let meta: Meta
        struct Meta: Decodable {
            let nextCursor: String?
            enum CodingKeys: String, CodingKey { case nextCursor = "next_cursor" }
        }
    }

    func testABatchIsItsRequests() throws {
        let engine = try smallSchools()
        var requests = Self.v1.map { Request("/api/v1/\($0.1)", headers: demo) }
        requests.append(Request("/api/v1/settings/clients/1000", method: "PATCH", headers: demo,
            body: #"{"state":5,"api_type_id":8}"#))
        requests.append(Request("/nothing", headers: [:], now: 0))
        XCTAssertEqual(try engine.requests(requests), try requests.map { try engine.request($0) })
        XCTAssertEqual(try engine.requests([]), [])
    }

    func testSettingAState() throws {
        let engine = try smallSchools()
        func set(_ active: Bool) throws -> UInt16 {
            try engine.setState(username: "demo", school: 1000, apiTypeId: 8, active: active).status
        }
        XCTAssertEqual(try [set(false), set(false), set(true), set(true)], [200, 204, 200, 204])
        XCTAssertEqual(try engine.setState(username: "demo", school: 9, apiTypeId: 8, active: true).status, 404)
    }

    func testUpgrading() throws {
        let engine = try smallSchools()
        let v1 = "/api/v1/adminplus/learners/1000?learner_id=1"
        let upgrade = try engine.upgrade(v1)
        XCTAssertEqual(upgrade.target, "/api/v2/adminplus/learners/1")
        XCTAssertEqual(upgrade.headers, [Header(name: "HTTP-X-SCHOOLID", value: "1000")])
        let request = Request(
            target: upgrade.target, headers: Request(v1, headers: demo).headers + upgrade.headers)
        XCTAssertEqual(try engine.request(request).status, 200)
    }

    func testAHeaderIsFoundWhateverItsCase() throws {
        let answer = try smallSchools().request(Request("/api/v1/settings/clients", method: "PUT", headers: demo))
        XCTAssertEqual(answer.status, 405)
        XCTAssertEqual(answer.header("allow"), answer.header("ALLOW"))
        XCTAssertNotNil(answer.header("Allow"))
        XCTAssertNil(answer.header("Location"))
    }

    func testAnAnswerIsWhatItsPartsAre() throws {
        let answer = try smallSchools().request(Request("/api/v1/settings/clients", method: "PUT", headers: demo))
        let same = Answer(status: answer.status, headers: answer.headers, body: answer.body)
        XCTAssertEqual(same, answer)
        XCTAssertEqual(same.data, answer.data)
        XCTAssertNotEqual(Answer(status: answer.status, headers: [], body: answer.body), answer)
    }
}
