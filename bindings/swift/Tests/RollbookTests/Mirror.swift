import Foundation
import Rollbook
import XCTest

/// The source of a school and its mirror, and the requests by which they are compared.
enum Mirror {
    /// Creates an engine in memory with only the first of the small schools.
    static func source() throws -> Engine {
        let engine = try smallSchools()
        _ = try engine.removeSchool(school: 1001)
        return engine
    }

    /// Adds the integrator and the API types to a mirror, which it needs to answer an app. No
    /// answer of the service contains them.
    static func addAccess(to mirror: Engine) throws {
        let lines = try String(contentsOf: Inputs.smallSchools, encoding: .utf8).components(separatedBy: "\n")
        let access = lines.filter { line in
            ["api_type", "integrator", "client_integration"].contains { line.hasPrefix(#"{"type":"\#($0)""#) }
                && !line.contains(#""school_id":1001"#)
        }
        try mirror.apply(.text(access.joined(separator: "\n")))
    }

    /// Checks that both have the same answers, with the exception of cursors, which differ between
    /// stores. Returns the answers of the source.
    @discardableResult
    static func assert(
        _ mirror: Engine, of source: Engine, _ more: [String] = [],
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> [String] {
        try addAccess(to: mirror)
        return try (compared + more).map { target in
            let expected = try answer(of: source, target)
            XCTAssertEqual(try answer(of: mirror, target), expected, target, file: file, line: line)
            return expected
        }
    }

    private static func answer(of engine: Engine, _ target: String) throws -> String {
        let answer = try engine.request(
            Request(
                target,
                headers: [
                    "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo", "HTTP-X-SCHOOLID": "1000",
                ]))
        let cursor = answer.body.range(of: #""next_cursor":""#)
        return "\(answer.status) \(answer.body[..<(cursor?.lowerBound ?? answer.body.endIndex)])"
    }

    /// Changes of the school, as a dataset: one for each kind of call of a pass.
    static let changes = #"""
        {"type":"learner","school_id":1000,"id":2,"first_name":"Janet","last_name":"Smith","grade_id":"7","family_code":"1001"}
        {"type":"learner","school_id":1000,"id":6,"deleted":true}
        {"type":"learner","school_id":1000,"id":77,"first_name":"Käthe","last_name":"Neu","grade_id":"9"}
        {"type":"learner_subject","school_id":1000,"learner_id":77,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":1,"subject_group_id":"118","mark":"71.00"}]}
        {"type":"mark","school_id":1000,"assessment_id":8001,"learner_id":1,"mark":17,"dtime":"2026-05-13 10:00:00"}
        {"type":"absentee","school_id":1000,"id":400001,"learner_id":1,"absent_date":"2026-05-13","absent_reason":"Illness"}
        {"type":"discipline","school_id":1000,"id":5300,"learner_id":3,"discipline_date":"2026-05-12","discipline_category":"Behaviour","discipline_points":-1}
        """#

    /// A request about the new learner, which is compared only after the changes.
    static let ofTheNewLearner = ["/api/v1/currplus/learnersubjectmarks/1000?learner_id=77"]

    /// Requests of an app by which the mirror is compared with its source. The sync itself sends
    /// other requests.
    private static let compared = [
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
    ]
}
