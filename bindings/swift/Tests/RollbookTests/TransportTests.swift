import Foundation
import Rollbook
import XCTest
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The engine answers an app's client through the `URLSession` of the app.
final class TransportTests: XCTestCase {
    private static let service = URL(string: "https://integrate.example.org")!

    /// All requests of the client, in order. The state updates affect the requests after them.
    private static let questions: [(String, @Sendable (SchoolClient) async throws -> SchoolClient.Reply)] = [
        ("learners", { try await $0.learners(of: 1000) }),
        ("left learners", { try await $0.learners(of: 1000, "?status=left&since=2026-01-01") }),
        ("by name, a plus", { try await $0.learners(of: 1000, "?name=john+smith") }),
        ("by name, escaped", { try await $0.learners(of: 1000, "?name=%6Aohn%20sm%C4%ABth&&x=%2B") }),
        ("empty query", { try await $0.learners(of: 1000, "?") }),
        ("two grades", { try await $0.learners(of: 1000, "?grade_id=8,9&include_parents=1") }),
        ("two grades, escaped", { try await $0.learners(of: 1000, "?grade_id=8%2C9") }),
        ("marks", { try await $0.assessmentMarks(of: 1000, "?learner_id=1") }),
        ("structure", { try await $0.assessmentMarks(of: 1000, "?grade_id=9&structure=1") }),
        ("marks without a filter", { try await $0.assessmentMarks(of: 1000, "") }),
        ("subjects per term", { try await $0.subjectsPerTerm(of: 1000, learner: 1) }),
        ("subject marks", { try await $0.subjectMarks(of: 1000, learner: 1) }),
        ("learner subjects", { try await $0.learnerSubjects(of: 1000) }),
        ("schools", { try await $0.schools() }),
        ("clients", { try await $0.clients() }),
        ("absentees", { try await $0.absentees(of: 1000) }),
        ("absentees, dates", { try await $0.absentees(of: 1000, "?from_date=2026-04-01&to_date=2026-04-30") }),
        ("parent info", { try await $0.learnerParentInfo(of: 1000, "?include_accountable_person=1") }),
        ("debtors", { try await $0.schoolDebtors(of: 1000, "?include_learners=1") }),
        ("state off", { try await $0.setState(of: 1000, apiType: 8, to: 0) }),
        ("state off again", { try await $0.setState(of: 1000, apiType: 8, to: 0) }),
        ("not activated", { try await $0.learners(of: 1000) }),
        ("state on", { try await $0.setState(of: 1000, apiType: 8, to: 1) }),
        ("state of two", { try await $0.setState(of: 1000, apiType: 8, to: 2) }),
        ("body that is not UTF-8", {
            try await $0.send("PATCH", "/api/v1/settings/clients/1000", body: Data(
                #"{"state":0,"api_type_id":8,"x":""#.utf8 + [0xff] + #""}"#.utf8))
        }),
        ("another school", { try await $0.learners(of: 999) }),
        ("no such path", { try await $0.get("/api/v1/nothing") }),
        ("no such version", { try await $0.get("/") }),
        ("wrong method", { try await $0.send("DELETE", "/api/v1/settings/clients/1000") }),
        ("head", { try await $0.send("HEAD", "/api/v1/adminplus/learners/1000") }),
        ("v2 learners", { try await $0.v2("/adminplus/learners?limit=50", of: 1000) }),
        ("v2 a learner", { try await $0.v2("/adminplus/learners/1", of: 1000) }),
        ("v2 marks", { try await $0.v2("/currplus/learnerassessmentmarks?grade_id=9&reverse_order=1", of: 1000) }),
        ("v2 no learner", { try await $0.v2("/adminplus/learners/77777", of: 1000) }),
        ("v2 state", {
            let body = #"{"school_id":1000,"api_type_id":8,"state":false}"#
            return try await $0.v2(
                "/settings/clientintegrations", of: 1000, method: "POST", body: Data(body.utf8))
        }),
        ("v2 learners, not activated", { try await $0.v2("/adminplus/learners", of: 1000) }),
    ]

    /// Returns an answer without its cursor, because cursors differ between stores.
    private func unsigned(_ reply: SchoolClient.Reply) -> SchoolClient.Reply {
        let body = String(decoding: reply.body, as: UTF8.self).replacingOccurrences(
            of: #""next_cursor":"[^"]+""#, with: "", options: .regularExpression)
        return SchoolClient.Reply(
            status: reply.status, contentType: reply.contentType, contentLength: reply.contentLength,
            allow: reply.allow, body: Data(body.utf8))
    }

    func testTheEngineAnswersAsTheServer() async throws {
        let server = try Server()
        defer { server.stop() }
        let overNetwork = SchoolClient(session: URLSession(configuration: .ephemeral), service: server.address)

        let engine = try smallSchools()
        let configuration = URLSessionConfiguration.rollbook(engine, at: Self.service)
        defer { RollbookURLProtocol.stopServing(at: Self.service) }
        let embedded = SchoolClient(session: URLSession(configuration: configuration), service: Self.service)

        for (name, question) in Self.questions {
            let expected = try await question(overNetwork)
            let found = try await question(embedded)
            XCTAssertEqual(unsigned(found), unsigned(expected), name)
        }
        print("transport: \(Self.questions.count) requests, over the network and embedded")
    }

    func testTheAnswerIsTheEngines() async throws {
        let engine = try smallSchools()
        let session = URLSession(configuration: .rollbook(engine, at: Self.service))
        defer { RollbookURLProtocol.stopServing(at: Self.service) }
        let client = SchoolClient(session: session, service: Self.service)
        for target in [
            "/api/v1/adminplus/learners/1000", "/api/v1/adminplus/learners/1000?name=zo%C3%AB+x&&a=b%2Fc",
            "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=1", "/api/v1/settings/clients",
            "/api/v1/finplus/debtmanagement/schools/1001", "/api/v1/none", "/",
        ] {
            let found = try await client.get(target)
            let expected = try engine.request(Request(target, headers: demo))
            XCTAssertEqual(found.status, Int(expected.status), target)
            XCTAssertEqual(found.body, expected.data, target)
            for header in expected.headers {
                let value = switch header.name {
                case "Content-Type": found.contentType
                case "Content-Length": found.contentLength
                default: found.allow
                }
                XCTAssertEqual(value, header.value, "\(target) \(header.name)")
            }
        }
    }

    func testABodyGivenAsAStream() async throws {
        let engine = try smallSchools()
        let session = URLSession(configuration: .rollbook(engine, at: Self.service))
        defer { RollbookURLProtocol.stopServing(at: Self.service) }
        let client = SchoolClient(session: session, service: Self.service)
        var request = try client.request("PATCH", "/api/v1/settings/clients/1000")
        request.httpBodyStream = InputStream(data: Data(#"{"state":0,"api_type_id":8}"#.utf8))
        let reply = try await client.reply(to: request)
        XCTAssertEqual(reply.status, 200)
        XCTAssertEqual(reply.body, Data("[]".utf8))
    }

    func testHeadersOfTheSessionCount() async throws {
        let engine = try smallSchools()
        let own = URLSessionConfiguration.ephemeral
        own.httpAdditionalHeaders = ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"]
        let session = URLSession(configuration: .rollbook(engine, at: Self.service, over: own))
        defer { RollbookURLProtocol.stopServing(at: Self.service) }
        var request = URLRequest(url: Self.service.appendingPathComponent("api/v1/settings/clients"))
        let (_, response) = try await session.data(for: request)
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
        request.setValue("another", forHTTPHeaderField: "HTTP-X-PASSWORD")
        let (_, refusal) = try await session.data(for: request)
        XCTAssertEqual((refusal as? HTTPURLResponse)?.statusCode, 401, "the request's own count")
    }

    func testOtherAddressesGoToTheNetwork() async throws {
        let server = try Server()
        defer { server.stop() }
        let engine = try Engine.memory()
        let session = URLSession(configuration: .rollbook(engine, at: Self.service))
        defer { RollbookURLProtocol.stopServing(at: Self.service) }
        let reply = try await SchoolClient(session: session, service: server.address).clients()
        XCTAssertEqual(reply.status, 200, "the engine knows no demo, the server does")
    }

    func testTheSharedSessionAndAPathInTheAddress() async throws {
        let base = URL(string: "http://Localhost:81/gateway/")!
        RollbookURLProtocol.serve(try smallSchools(), at: base)
        let client = SchoolClient(session: .shared, service: URL(string: "http://localhost:81/gateway")!)
        let served = try await client.clients()
        XCTAssertEqual(served.status, 200)
        for other in [
            "http://localhost:81/gatewayx/api", "http://localhost:81/", "http://localhost:82/gateway/",
            "https://localhost:81/gateway/", "http://other:81/gateway/",
        ] {
            XCTAssertFalse(RollbookURLProtocol.canInit(with: URLRequest(url: URL(string: other)!)), other)
        }
        RollbookURLProtocol.stopServing(at: base)
        XCTAssertFalse(RollbookURLProtocol.canInit(with: try client.request("GET", "/api")))
    }

    func testAClosedEngineAnswers500() async throws {
        let engine = try smallSchools()
        let session = URLSession(configuration: .rollbook(engine, at: Self.service))
        defer { RollbookURLProtocol.stopServing(at: Self.service) }
        try engine.close()
        let reply = try await SchoolClient(session: session, service: Self.service).clients()
        XCTAssertEqual(reply.status, 500)
        XCTAssertTrue(String(decoding: reply.body, as: UTF8.self).contains("closed"))
    }
}
