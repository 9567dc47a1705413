import Foundation

/// `rollbook serve` on the day of the small schools, until it is stopped. By default it
/// has the two small schools. With `--from` it uses their credentials.
final class Server {
    let address: URL
    private let process = Process()

    init(_ arguments: String...) throws {
        let said = Pipe()
        process.executableURL = try Inputs.server()
        let schools = arguments.isEmpty ? ["--dataset", Inputs.smallSchools.path] : arguments
        process.arguments = ["serve", "--listen", "0", "--quiet"] + schools + ["--now", "2026-05-14T08:00:00Z"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["ROLLBOOK_USERNAME": "demo", "ROLLBOOK_PASSWORD": "demo"]) { $1 }
        process.standardOutput = said
        try process.run()
        // The server writes `listening on http://127.0.0.1:PORT` at once.
        let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        let words = line.split { $0 == " " || $0 == "\n" }
        guard let word = words.first(where: { $0.hasPrefix("http") }), let address = URL(string: String(word)) else {
            throw CocoaError(.executableLoad)
        }
        self.address = address
    }

    func stop() {
        guard process.isRunning else { return }
        // A process that was started from a task's thread inherits that SIGTERM is blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
