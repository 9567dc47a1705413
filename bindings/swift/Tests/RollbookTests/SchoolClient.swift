import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A client of the service as an app would write it. It does not depend on Rollbook: only its
/// session determines whether the engine or a server answers.
struct SchoolClient: Sendable {
    let session: URLSession
    let service: URL
    let username = "demo"
    let password = "demo"

    /// An answer as the app receives it.
    struct Reply: Equatable, Sendable {
        let status: Int
        let contentType: String?
        let contentLength: String?
        let allow: String?
        let body: Data
    }

    func learners(of school: Int, _ query: String = "") async throws -> Reply {
        try await get("/api/v1/adminplus/learners/\(school)\(query)")
    }

    func assessmentMarks(of school: Int, _ query: String) async throws -> Reply {
        try await get("/api/v1/currplus/learnerassessmentmarks/\(school)\(query)")
    }

    func subjectsPerTerm(of school: Int, learner: Int) async throws -> Reply {
        try await get("/api/v1/currplus/learnersubjectsperterm/\(school)?learner_id=\(learner)")
    }

    func subjectMarks(of school: Int, learner: Int) async throws -> Reply {
        try await get("/api/v1/currplus/learnersubjectmarks/\(school)?learner_id=\(learner)")
    }

    func learnerSubjects(of school: Int) async throws -> Reply {
        try await get("/api/v1/currplus/learnersubjects/\(school)")
    }

    func schools() async throws -> Reply {
        try await get("/api/v1/finplus/debtmanagement/schools")
    }

    func clients() async throws -> Reply {
        try await get("/api/v1/settings/clients")
    }

    func setState(of school: Int, apiType: Int, to state: Int) async throws -> Reply {
        let body = #"{"state":\#(state),"api_type_id":\#(apiType)}"#
        return try await send("PATCH", "/api/v1/settings/clients/\(school)", body: Data(body.utf8))
    }

    func absentees(of school: Int, _ query: String = "") async throws -> Reply {
        try await get("/api/v1/adminplus/learnerabsentees/\(school)\(query)")
    }

    func learnerParentInfo(of school: Int, _ query: String = "") async throws -> Reply {
        try await get("/api/v1/finplus/debtmanagement/learnerparentinfo/\(school)\(query)")
    }

    func schoolDebtors(of school: Int, _ query: String = "") async throws -> Reply {
        try await get("/api/v1/finplus/debtmanagement/schooldebtors/\(school)\(query)")
    }

    /// Sends a request of v2, with the id of the school in a header.
    func v2(
        _ path: String, of school: Int, method: String = "GET", body: Data? = nil
    ) async throws -> Reply {
        try await send(method, "/api/v2\(path)", body: body, headers: ["HTTP-X-SCHOOLID": String(school)])
    }

    func get(_ target: String) async throws -> Reply {
        try await send("GET", target)
    }

    func send(
        _ method: String, _ target: String, body: Data? = nil, headers: [String: String] = [:]
    ) async throws -> Reply {
        var request = try self.request(method, target)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return try await reply(to: request)
    }

    func request(_ method: String, _ target: String) throws -> URLRequest {
        guard let url = URL(string: service.absoluteString + target) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue(username, forHTTPHeaderField: "HTTP-X-USERNAME")
        request.setValue(password, forHTTPHeaderField: "HTTP-X-PASSWORD")
        return request
    }

    func reply(to request: URLRequest) async throws -> Reply {
        let (body, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return Reply(
            status: response.statusCode,
            contentType: response.value(forHTTPHeaderField: "Content-Type"),
            contentLength: response.value(forHTTPHeaderField: "Content-Length"),
            allow: response.value(forHTTPHeaderField: "Allow"),
            body: body
        )
    }
}
