import Foundation

/// The number of cases and requests of the corpus.
struct CorpusSize: Decodable, Equatable {
    let cases: Int
    let requests: Int
}

/// A case of the corpus, as `rollbook_tests::corpus` describes it.
struct CorpusCase: Decodable, Sendable {
    let name: String
    let steps: [Step]

    enum Step: Decodable, Sendable {
        case apply(dataset: String, Expected)
        case replaceSchool(UInt64, dataset: String, Expected)
        case removeSchool(UInt64, Expected)
        case eraseLearner(school: UInt64, learner: UInt64, Expected)
        case check(dataset: String, limit: UInt32, faults: [Message])
        case export(lines: String)
        case request(Asked)
    }

    struct Expected: Decodable, Sendable {
        let fault: Message?
        /// The counts, as `KIND +A ~C -R .U`. It is empty if they do not matter.
        let counts: [String]
    }

    struct Asked: Decodable, Sendable {
        let now: Int64
        let method: String
        let target: String
        let headers: [[String]]
        let body: String
        let status: UInt16
        let allow: String?
        let answer: String
    }

    enum Message: Decodable, Sendable {
        case `is`(String)
        case starts(String)

        func fits(_ text: String) -> Bool {
            switch self {
            case .is(let whole): text.utf8.elementsEqual(whole.utf8)
            case .starts(let start): text.utf8.starts(with: start.utf8)
            }
        }
    }
}

extension CorpusCase.Message {
    private enum Key: CodingKey { case `is`, starts }

    init(from decoder: Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        if let whole = try fields.decodeIfPresent(String.self, forKey: .is) {
            self = .is(whole)
        } else {
            self = .starts(try fields.decode(String.self, forKey: .starts))
        }
    }
}

extension CorpusCase.Step {
    private enum Key: CodingKey { case step, dataset, expected, school, learner, limit, faults, lines }

    init(from decoder: Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        func field<T: Decodable>(_ key: Key) throws -> T { try fields.decode(T.self, forKey: key) }
        let step: String = try field(.step)
        switch step {
        case "apply":
            self = .apply(dataset: try field(.dataset), try field(.expected))
        case "replace_school":
            self = .replaceSchool(try field(.school), dataset: try field(.dataset), try field(.expected))
        case "remove_school":
            self = .removeSchool(try field(.school), try field(.expected))
        case "erase_learner":
            self = .eraseLearner(
                school: try field(.school), learner: try field(.learner), try field(.expected))
        case "check":
            self = .check(
                dataset: try field(.dataset), limit: try field(.limit), faults: try field(.faults))
        case "export":
            self = .export(lines: try field(.lines))
        case "request":
            self = .request(try CorpusCase.Asked(from: decoder))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .step, in: fields, debugDescription: "no step is called \(step)")
        }
    }
}
