import Foundation

/// The engine's example server, with the two small schools on their day, until it is stopped.
final class Server {
    let address: URL
    private let process = Process()

    init() throws {
        let said = Pipe()
        process.executableURL = try Inputs.server()
        process.arguments = ["--dataset", Inputs.smallSchools.path, "--now", "2026-05-14T08:00:00Z"]
        process.standardOutput = said
        try process.run()
        // `listening on http://127.0.0.1:PORT`, in one piece.
        let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        let words = line.split { $0 == " " || $0 == "\n" }
        guard let word = words.last, let address = URL(string: String(word)) else {
            throw CocoaError(.executableLoad)
        }
        self.address = address
    }

    func stop() {
        // Started from a task's thread, it has inherited that SIGTERM is blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
