import CSQLite
import Foundation

/// SQLite with one pre-rendered text per row. It opens the database *SQLite rows* of `benches`.
/// Prepared statements find the texts, which are joined as bytes.
final class Rows {
    private var connection: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    enum Value {
        case number(Int64)
        case text(String)
    }

    init(_ path: String) throws {
        try check(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil))
        for setting in [
            "locking_mode = EXCLUSIVE", "cache_size = -32768", "mmap_size = 2147418112", "temp_store = MEMORY",
        ] {
            try check(sqlite3_exec(connection, "PRAGMA " + setting, nil, nil, nil))
        }
    }

    func each(_ sql: String, _ values: [Value], _ row: (OpaquePointer) -> Void) throws {
        let statement = try prepared(sql)
        defer { sqlite3_reset(statement) }
        for (place, value) in values.enumerated() {
            let at = Int32(place + 1)
            switch value {
            case .number(let number): try check(sqlite3_bind_int64(statement, at, number))
            case .text(let text):
                let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                try check(sqlite3_bind_text(statement, at, text, -1, copied))
            }
        }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW {
            row(statement)
            code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { return try check(code) }
    }

    func list(_ sql: String, _ values: Value...) throws -> Data {
        try array { out in
            try each(sql, values) { row in
                append(row, 0, to: &out)
                out.append(comma)
            }
        }
    }

    func families(_ school: Int64, _ one: Int64, _ two: Int64) throws -> Data {
        let sql = """
            SELECT learner.json, one.json, two.json FROM learner
            LEFT JOIN parent one ON one.school = learner.school AND one.id = learner.parent1
            LEFT JOIN parent two ON two.school = learner.school AND two.id = learner.parent2
            WHERE learner.school = ? AND status = 0 AND grade IN (?, ?) ORDER BY learner.id
            """
        return try array { out in
            try each(sql, [.number(school), .number(one), .number(two)]) { row in
                append(row, 0, to: &out)
                out[out.count - 1] = comma
                out.append(contentsOf: "\"parents\":[".utf8)
                for place in 1...2 where sqlite3_column_type(row, Int32(place)) != SQLITE_NULL {
                    if out.last != UInt8(ascii: "[") { out.append(comma) }
                    append(row, Int32(place), to: &out)
                }
                out.append(contentsOf: "]},".utf8)
            }
        }
    }

    func marksOfLearner(_ school: Int64, _ learner: Int64) throws -> Data {
        try marks(school) { year, out in
            var places: [(grade: Int64, term: Int64)] = []
            let sql = """
                SELECT DISTINCT grade, term FROM mark
                WHERE school = ? AND year = ? AND learner = ? ORDER BY grade, term
                """
            try each(sql, [.number(school), .number(year), .number(learner)]) { row in
                places.append((sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)))
            }
            var at = 0
            while at < places.count {
                let grade = places[at].grade
                let released = try self.released(school, year, grade)
                try heading(school, year, grade, to: &out)
                while at < places.count, places[at].grade == grade {
                    let term = places[at].term
                    at += 1
                    let start = out.count
                    Self.open(term: term, to: &out)
                    Self.open(learner: learner, to: &out)
                    let empty = out.count
                    try each(
                        Self.marks + " AND learner = ? ORDER BY subject",
                        [.number(school), .number(year), .number(grade), .number(term), .number(learner)]
                    ) { row in
                        if released.contains(Place(term: term, subject: sqlite3_column_int64(row, 1))) {
                            append(row, 2, to: &out)
                            out.append(comma)
                        }
                    }
                    if out.count == empty {
                        out.removeSubrange(start...)
                    } else {
                        close("}}", in: &out)
                        close("}}", in: &out)
                    }
                }
                close("}}}}", in: &out)
            }
        }
    }

    func marksOfGrade(_ school: Int64, _ grade: Int64, _ term: Int64) throws -> Data {
        try marks(school) { year, out in
            let released = try self.released(school, year, grade)
            try heading(school, year, grade, to: &out)
            Self.open(term: term, to: &out)
            var of: Int64?
            try each(
                Self.marks + " ORDER BY learner, subject",
                [.number(school), .number(year), .number(grade), .number(term)]
            ) { row in
                guard released.contains(Place(term: term, subject: sqlite3_column_int64(row, 1))) else { return }
                let learner = sqlite3_column_int64(row, 0)
                if learner != of {
                    if of != nil { close("}}", in: &out) }
                    of = learner
                    Self.open(learner: learner, to: &out)
                }
                append(row, 2, to: &out)
                out.append(comma)
            }
            close("}}", in: &out)
            close("}}", in: &out)
            close("}}}}", in: &out)
        }
    }

    private struct Place: Hashable {
        let term: Int64
        let subject: Int64
    }

    private static let marks =
        "SELECT learner, subject, json FROM mark WHERE school = ? AND year = ? AND grade = ? AND term = ?"

    private func marks(_ school: Int64, _ grades: (Int64, inout Data) throws -> Void) throws -> Data {
        var year: Int64 = 0
        try each("SELECT current_year FROM school WHERE id = ?", [.number(school)]) { year = sqlite3_column_int64($0, 0) }
        var out = Data("{".utf8)
        try grades(year, &out)
        out[out.count - 1] = UInt8(ascii: "}")
        return out
    }

    private func released(_ school: Int64, _ year: Int64, _ grade: Int64) throws -> Set<Place> {
        var released: Set<Place> = []
        let sql = """
            SELECT term, subject FROM programme
            WHERE school = ? AND year = ? AND grade = ? AND release_day <= 20261231
            """
        try each(sql, [.number(school), .number(year), .number(grade)]) { row in
            released.insert(Place(term: sqlite3_column_int64(row, 0), subject: sqlite3_column_int64(row, 1)))
        }
        return released
    }

    private func heading(_ school: Int64, _ year: Int64, _ grade: Int64, to out: inout Data) throws {
        let sql = "SELECT heading FROM grade WHERE school = ? AND year = ? AND grade = ?"
        try each(sql, [.number(school), .number(year), .number(grade)]) { append($0, 0, to: &out) }
    }

    private static func open(term: Int64, to out: inout Data) {
        out.append(contentsOf: "\"\(term)\":{\"term\":\"\(term)\",\"learners\":{".utf8)
    }

    private static func open(learner: Int64, to out: inout Data) {
        out.append(contentsOf: "\"\(learner)\":{\"learner_id\":\"\(learner)\",\"subjects\":{".utf8)
    }

    /// Removes the last comma, and appends the brackets and a comma.
    private func close(_ brackets: String, in out: inout Data) {
        out.removeLast()
        out.append(contentsOf: brackets.utf8)
        out.append(comma)
    }

    static func number(_ row: OpaquePointer) -> UInt64 { UInt64(sqlite3_column_int64(row, 0)) }

    private func array(_ rows: (inout Data) throws -> Void) rethrows -> Data {
        var out = Data([UInt8(ascii: "[")])
        try rows(&out)
        out[out.count - 1] = UInt8(ascii: "]")
        return out
    }

    private func append(_ row: OpaquePointer, _ column: Int32, to out: inout Data) {
        guard let text = sqlite3_column_text(row, column) else { return }
        out.append(text, count: Int(sqlite3_column_bytes(row, column)))
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
        guard let statement else { throw Failed(what: sql) }
        statements[sql] = statement
        return statement
    }

    private func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw Failed(what: String(cString: sqlite3_errmsg(connection))) }
    }

    private let comma = UInt8(ascii: ",")

    struct Failed: Error { let what: String }
}
