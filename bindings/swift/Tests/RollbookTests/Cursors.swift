import Foundation

/// The cursors of a case, which no file can know: a body names one as
/// `"next_cursor":"<NAME>"`, and `<NAME>` in a later target stands for it.
struct Cursors {
    private static let place = "\"next_cursor\":\"<"
    private var cursors: [String: String] = [:]

    /// A target with its names replaced by cursors; nil if no answer gave one of them.
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

    /// Whether an answer is the expected one; if so, its cursor is remembered.
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
