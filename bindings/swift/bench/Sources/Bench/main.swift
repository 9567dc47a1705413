// Measures questions from Swift and compares them with SQLite, in one process: medians in
// microseconds. `Bench FOLDER` takes the folder that `rollbook-benches --bin rows` created. Each
// answer is compared before it is timed, and each round asks all questions of both in a random
// order. The second table includes the time of `JSONSerialization`.
import Dispatch
import Foundation
import Rollbook

let school: UInt64 = 1000
let rounds = 300
let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let rows = try Rows(folder.appendingPathComponent("rows.sqlite").path)
// 2026-12-31, when all marks of the year are released.
let engine = try Engine.open(
    at: folder.appendingPathComponent("rollbook.redb"), options: Options(fixedClock: 1_798_700_400))

struct Asked {
    let name: String
    let question: () -> Question
    let peer: () throws -> Data
}

func ofYear(_ table: String) -> String {
    "SELECT json FROM school JOIN \(table) ON school = school.id AND year = current_year WHERE school.id = ?"
}

var grades: [UInt64] = []
try rows.each("SELECT grade FROM grade ORDER BY grade", []) { grades.append(Rows.number($0)) }
let (one, two) = (grades[0], grades[1])
let here = Rows.Value.number(Int64(school))
let learners = "SELECT json FROM learner WHERE school = ? AND status = 0"

let asked = [
    Asked(name: "all current learners", question: { .learners(school: school) }) {
        try rows.list(learners + " ORDER BY id", here)
    },
    Asked(
        name: "two grades with parents",
        question: { .learners(school: school, gradeIds: [one, two], includeParents: true) }
    ) {
        try rows.families(Int64(school), Int64(one), Int64(two))
    },
    Asked(name: "one learner by id", question: { .learners(school: school, learnerId: 1) }) {
        try rows.list(learners + " AND id = ?", here, .number(1))
    },
    Asked(name: "name search", question: { .learners(school: school, name: "smi") }) {
        try rows.list(learners + " AND instr(name, ?) ORDER BY id", here, .text("smi"))
    },
    Asked(name: "marks of a learner, a year", question: { .assessmentMarks(school: school, learnerId: 1) }) {
        try rows.marksOfLearner(Int64(school), 1)
    },
    Asked(name: "marks of a grade, a term", question: { .assessmentMarks(school: school, gradeId: one, term: 2) }) {
        try rows.marksOfGrade(Int64(school), Int64(one), 2)
    },
    Asked(
        name: "absentees, a month",
        question: { .absentees(school: school, fromDate: "2026-05-01", toDate: "2026-05-31") }
    ) {
        try rows.list(
            "SELECT json FROM absentee WHERE school = ? AND day BETWEEN ? AND ? ORDER BY day, id",
            here, .number(20_260_501), .number(20_260_531))
    },
    Asked(name: "learner subjects of a school", question: { .learnerSubjects(school: school) }) {
        try rows.list(ofYear("learner_subject") + " AND status = 0 ORDER BY learner, subject", here)
    },
    Asked(name: "subject marks of a learner", question: { .subjectMarks(school: school, learnerId: 1) }) {
        try rows.list(ofYear("subject_mark") + " AND learner = ? ORDER BY subject", here, .number(1))
    },
    Asked(name: "subjects per term of a learner", question: { .subjectsPerTerm(school: school, learnerId: 1) }) {
        try rows.list(ofYear("subject_per_term") + " AND learner = ? ORDER BY subject", here, .number(1))
    },
    Asked(
        name: "left, four months",
        question: { .learners(school: school, status: .left, since: "2026-08-01", until: "2026-11-30") }
    ) {
        try rows.list(
            "SELECT json FROM learner WHERE school = ? AND status = 1 AND transfer_day BETWEEN ? AND ? ORDER BY id",
            here, .number(20_260_801), .number(20_261_130))
    },
]

/// Returns the median of each call over this number of rounds in random order, after the same number
/// of rounds to warm up.
func measure(_ calls: [() throws -> Void], rounds: Int) throws -> [Double] {
    var times = calls.map { _ in [UInt64]() }
    for round in 0..<2 * rounds {
        for place in calls.indices.shuffled() {
            try calls[place]()
            let start = DispatchTime.now().uptimeNanoseconds
            try calls[place]()
            let took = DispatchTime.now().uptimeNanoseconds - start
            if round >= rounds { times[place].append(took) }
        }
    }
    return times.map { Double($0.sorted()[rounds / 2]) / 1000 }
}

func parse(_ json: Data) throws { _ = try JSONSerialization.jsonObject(with: json) }

var sizes: [Int] = []
for each in asked {
    let ours = try engine.ask(each.question()).data
    guard try ours == each.peer() else { fatalError("\(each.name): the answer of SQLite rows differs from that of Rollbook") }
    sizes.append(ours.count)
}
for parses in [false, true] {
    let calls = asked.flatMap { each -> [() throws -> Void] in
        let ours = { try engine.ask(each.question()).data }
        if parses { return [{ try parse(ours()) }, { try parse(each.peer()) }] }
        return [{ _ = try ours() }, { _ = try each.peer() }]
    }
    let times = try measure(calls, rounds: rounds)
    print("\n| question | bytes | µs | SQLite rows, × |\n|---|--:|--:|--:|")
    for (place, each) in asked.enumerated() {
        let (ours, theirs) = (times[2 * place], times[2 * place + 1])
        let ratio = String(format: "%.2f", theirs / ours)
        let shown = theirs < ours ? "**\(ratio)**" : ratio
        print("| \(each.name) | \(sizes[place]) | \(String(format: "%.1f", ours)) | \(shown) |")
    }
}

let demo: KeyValuePairs = ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"]
let request = Request("/api/v1/adminplus/learners/1000?learner_id=1", headers: demo)
let batch = Array(repeating: request, count: 50)
let whole = try measure(
    [{ _ = try engine.request(request) }, { _ = try engine.requests(batch) }], rounds: 20 * rounds)
print("\none learner, a whole request: \(whole[0]) µs; each of 50: \(whole[1] / 50) µs")
