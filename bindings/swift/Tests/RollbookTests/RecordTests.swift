import Foundation
import Rollbook
import XCTest

/// Checks that the types of v1 have exactly the fields of the answers.
final class RecordTests: XCTestCase {
    func testEveryEndpoint() throws {
        for engine in [try smallSchools(), try generatedSchool()] {
            func ask<T: Codable>(_ type: T.Type, _ target: String, line: UInt = #line) throws -> T {
                let answer = try engine.request(Request("/api/v1/\(target)", headers: demo))
                XCTAssertEqual(answer.status, 200, answer.body, line: line)
                let records = try answer.decode(type)
                // A field that the type lacks is missing in the encoded value. Decoding fails if
                // the answer lacks a field.
                let again = try JSONSerialization.jsonObject(with: JSONEncoder().encode(records))
                let found = try JSONSerialization.jsonObject(with: answer.data)
                XCTAssertEqual(names(in: found).subtracting(names(in: again)), [], "\(type)", line: line)
                XCTAssertEqual(again as? NSObject, found as? NSObject, "\(type)", line: line)
                return records
            }

            let learners = try ask([V1.Learner].self, "adminplus/learners/1000")
            XCTAssertTrue(learners.allSatisfy { $0.parents == nil })
            let families = try ask([V1.Learner].self, "adminplus/learners/1000?include_parents=1")
            XCTAssertTrue(families.allSatisfy { $0.parents != nil })
            XCTAssertGreaterThan(families.flatMap { $0.parents ?? [] }.count, 1)

            let id = try XCTUnwrap(learners.first?.id)
            let marks = try ask(V1.AssessmentMarks.self, "currplus/learnerassessmentmarks/1000?learner_id=\(id)")
            XCTAssertTrue(assessments(of: marks).allSatisfy { $0.mark != nil && $0.markOutOf != nil && $0.captured != nil })
            let structure = try ask(
                V1.AssessmentMarks.self, "currplus/learnerassessmentmarks/1000?learner_id=\(id)&structure=1")
            XCTAssertTrue(assessments(of: structure).allSatisfy { $0.mark == nil && $0.dtime == nil && $0.percentage == nil })
            XCTAssertGreaterThanOrEqual(assessments(of: structure).count, assessments(of: marks).count)

            let subjects = try ask([V1.SubjectPerTerm].self, "currplus/learnersubjectsperterm/1000?learner_id=\(id)")
            XCTAssertTrue(subjects.allSatisfy { !$0.terms.isEmpty })
            let termMarks = try ask([V1.SubjectMarks].self, "currplus/learnersubjectmarks/1000?learner_id=\(id)")
            XCTAssertTrue(termMarks.allSatisfy { !$0.terms.isEmpty })
            XCTAssertFalse(try ask([V1.LearnerSubject].self, "currplus/learnersubjects/1000").isEmpty)
            XCTAssertFalse(try ask([V1.School].self, "finplus/debtmanagement/schools").isEmpty)
            XCTAssertFalse(try ask([V1.Client].self, "settings/clients").isEmpty)
            XCTAssertFalse(try ask([V1.Absentee].self, "adminplus/learnerabsentees/1000").isEmpty)

            XCTAssertFalse(try ask([V1.Parent].self, "adminplus/parents/1000").isEmpty)
            XCTAssertFalse(try ask([V1.StaffMember].self, "adminplus/staffmembers/1000").isEmpty)
            XCTAssertFalse(try ask(V1.SchoolInfo.self, "adminplus/school/1000").tuitionLanguages.isEmpty)
            XCTAssertFalse(try ask([V1.Discipline].self, "adminplus/learnerdiscipline/1000").isEmpty)
            XCTAssertFalse(try ask([V1.LookupEntry].self, "adminplus/lookup/grade/1000").isEmpty)
            XCTAssertFalse(try ask([V1.LookupEntry].self, "adminplus/lookup/language").isEmpty)

            let info = "finplus/debtmanagement/learnerparentinfo/1000"
            XCTAssertTrue(try ask([V1.FinanceLearner].self, info).allSatisfy { $0.accountablePerson == nil })
            let accounts = try ask(
                [V1.FinanceLearner].self, "\(info)?include_parents=1&include_accountable_person=1")
            XCTAssertTrue(accounts.contains { $0.accountablePerson != nil && $0.parents?.isEmpty == false })

            let debtors = "finplus/debtmanagement/schooldebtors/1000"
            XCTAssertTrue(try ask([V1.AccountablePerson].self, debtors).allSatisfy { $0.learners == nil })
            let persons = try ask([V1.AccountablePerson].self, "\(debtors)?include_learners=1")
            XCTAssertTrue(persons.contains { $0.learners?.isEmpty == false })
        }
    }

    func testARefusal() throws {
        let answer = try smallSchools().request(Request("/api/v1/adminplus/learners/1000"))
        XCTAssertEqual(answer.status, 401)
        XCTAssertEqual(try answer.decode(V1.Refusal.self).error, "Unauthorized")
        XCTAssertThrowsError(try answer.decode([V1.Learner].self)) { XCTAssertTrue($0 is DecodingError) }
    }

    /// Returns the names of members at any depth.
    private func names(in value: Any) -> Set<String> {
        switch value {
        case let object as [String: Any]:
            return object.values.reduce(Set(object.keys)) { $0.union(names(in: $1)) }
        case let array as [Any]:
            return array.reduce([]) { $0.union(names(in: $1)) }
        default:
            return []
        }
    }

    private func generatedSchool() throws -> Engine {
        let engine = try Engine.memory(options: Options(fixedClock: today))
        try engine.apply(.file(try Inputs.school()))
        return engine
    }

    private func assessments(of marks: V1.AssessmentMarks) -> [V1.Assessment] {
        marks.values.flatMap(\.years.values).flatMap(\.terms.values).flatMap(\.learners.values)
            .flatMap(\.subjects.values).flatMap(\.learningOutcomes.values).flatMap(\.assessments.values)
    }
}
