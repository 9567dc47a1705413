import Foundation
import Rollbook

/// From the README.
func refresh(_ engine: Engine, from service: URL, username: String, password: String) async throws {
    let sync = try engine.sync(school: 1000)
    do {
        let report = try await sync.run(at: service, username: username, password: password) { progress in
            print(progress.answered, "of", progress.answered + progress.left)
            return true // false: later
        }
        print(report.replies, "replies,", report.failed.count, "failed")
    } catch let stopped as SyncStopped {
        print(stopped.description) // wrong credentials, say
    }
}
