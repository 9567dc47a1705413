import Foundation

/// The cursors of a case. They differ in each run, so a case contains names for them:
/// `"next_cursor":"<NAME>"` in an answer, and `<NAME>` in the target of a later request.
struct Cursors {
    private static let place = "\"next_cursor\":\"<"
    private var cursors: [String: String] = [:]

    /// Returns a target with its names replaced by cursors, or nil if a cursor is unknown.
    func target(_ named: String) -> String? {
        var parts = named.components(separatedBy: "<")
        var target = parts.removeFirst()
        for part in parts {
            guard let end = part.firstIndex(of: ">"), let cursor = cursors[String(part[..<end])] else {
                return nil
            }
            target += cursor + part[part.index(after: end)...]
        }
        return target
    }

    /// Returns whether an answer is the expected one, and stores its cursor if it is.
    mutating func fit(_ found: String, _ expected: String) -> Bool {
        guard let place = expected.range(of: Cursors.place),
            let end = expected[place.upperBound...].firstIndex(of: ">")
        else {
            return found.utf8.elementsEqual(expected.utf8)
        }
        let before = expected[..<place.upperBound].utf8.dropLast()
        let after = expected[expected.index(after: end)...].utf8
        let length = found.utf8.count - before.count - after.count
        guard length > 0, found.utf8.starts(with: before),
            found.utf8.suffix(after.count).elementsEqual(after)
        else {
            return false
        }
        let cursor = found.utf8.dropFirst(before.count).prefix(length)
        guard cursor.allSatisfy(Cursors.isOpaque) else { return false }
        cursors[String(expected[place.upperBound..<end])] = String(cursor)
        return true
    }

    private static func isOpaque(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}
