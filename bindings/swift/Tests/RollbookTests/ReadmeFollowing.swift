import Foundation
import Rollbook
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// From the README.
func keepInStep(_ engine: Engine, with feed: URL, token: String) async throws {
    var request = URLRequest(url: feed)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") // your app's login
    do {
        let changes = try await engine.follow(from: request, wait: 0) // seconds to wait for a change
        print(changes.map { "\($0.total)" } ?? "nothing new")
    } catch let stopped as FollowStopped {
        print(stopped.description) // the login has run out, say, or there is no network
    }
}
