// How long a request takes from Swift: `Bench DATASET`, the sample school of 1,000
// learners. Medians, in microseconds.
import Dispatch
import Rollbook

let demo: KeyValuePairs = ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"]
let engine = try Engine.memory(options: Options(fixedClock: 1_797_292_800)) // 2026-12-15
try engine.apply(.file(CommandLine.arguments[1]))

func median(rounds: Int, _ work: () throws -> Void) rethrows -> Double {
    for _ in 0..<rounds / 10 { try work() }
    var times: [UInt64] = []
    for _ in 0..<rounds {
        let start = DispatchTime.now().uptimeNanoseconds
        try work()
        times.append(DispatchTime.now().uptimeNanoseconds - start)
    }
    return Double(times.sorted()[rounds / 2]) / 1000
}

func show(_ what: String, _ bytes: Int, _ time: Double) {
    print("\(what): \(bytes) bytes, \((time * 100).rounded() / 100) µs")
}

let questions = [
    ("one learner by id", "/api/v1/adminplus/learners/1000?learner_id=1", 20_000),
    ("marks of a learner, a year", "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=1", 5_000),
    ("all current learners", "/api/v1/adminplus/learners/1000", 1_000),
]
for (what, target, rounds) in questions {
    let request = Request(target, headers: demo)
    let bytes = try engine.request(request).body.utf8.count
    show(what, bytes, try median(rounds: rounds) { _ = try engine.request(request) })
}
let one = Request(questions[0].1, headers: demo)
let batch = Array(repeating: one, count: 50)
let bytes = try engine.request(one).body.utf8.count
show("one learner by id, in a batch of 50", bytes, try median(rounds: 1_000) { _ = try engine.requests(batch) } / 50)
