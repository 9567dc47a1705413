import Rollbook

/// From the README.
func show(_ engine: Engine) async throws {
    for try await answer in engine.observe(.grades(school: 1000)) {
        print(answer.status, answer.body)
    }
}
