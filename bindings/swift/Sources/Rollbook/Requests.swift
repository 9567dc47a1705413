import Foundation

extension Engine {
    /// Answers a request as the service does, rules of access included.
    ///
    /// If the store fails or the engine is suspended or closed, the answer is a
    /// 500 that says so.
    public func request(_ request: Request) throws -> Answer {
        guard isTheEngine else { return try self.request(request: request) }
        return try Direct.answer(self, .request) { FfiConverterTypeRequest.write(request, into: &$0) }
    }

    /// Answers several requests, one after the other: to cross into the engine
    /// costs more than most answers.
    public func requests(_ requests: [Request]) throws -> [Answer] {
        guard isTheEngine else { return try self.requests(requests: requests) }
        return try Direct.answers(self, requests)
    }

    /// Answers a question of an app that is trusted, with the body of v1: no
    /// credentials, no authorisation, no activation. `now` is the instant to answer
    /// for, in seconds since 1970-01-01T00:00:00Z; the engine's clock unless given.
    ///
    /// ```swift
    /// let learners = try engine.ask(.learners(school: 1000, gradeIds: [9])).decode([V1.Learner].self)
    /// ```
    ///
    /// What the API refuses or does not find is an answer. Fails as `suspended` or
    /// `closed`; as `io` or `corrupt` if the store fails; as `bad_argument` if a
    /// text is no date.
    public func ask(_ question: Question, now: Int64? = nil) throws -> Answer {
        guard isTheEngine else { return try ask(question: question, now: now) }
        return try Direct.answer(self, .ask) {
            FfiConverterTypeQuestion.write(question, into: &$0)
            Direct.append(now, to: &$0)
        }
    }

    /// Answers one page of a question as v2 does (section 9, item 3); the first one
    /// unless a cursor is given. Otherwise as ``ask(_:now:)``.
    public func page(_ question: Question, _ page: Page = Page(), now: Int64? = nil) throws -> Answer {
        guard isTheEngine else { return try self.page(question: question, page: page, now: now) }
        return try Direct.answer(self, .page) {
            FfiConverterTypeQuestion.write(question, into: &$0)
            FfiConverterTypePage.write(page, into: &$0)
            Direct.append(now, to: &$0)
        }
    }

    /// Answers the first record that a question finds as v2 answers one record
    /// (section 9, item 1): an object, or 404. Otherwise as ``ask(_:now:)``.
    public func find(_ question: Question, now: Int64? = nil) throws -> Answer {
        guard isTheEngine else { return try find(question: question, now: now) }
        return try Direct.answer(self, .find) {
            FfiConverterTypeQuestion.write(question, into: &$0)
            Direct.append(now, to: &$0)
        }
    }

    /// The v2 request for the data of a v1 one, given its path and query string
    /// (section 9).
    ///
    /// Fails as `bad_argument` if the target is not of v1, or of none of its paths,
    /// or if v1 refuses it as well.
    public func upgrade(_ target: String) throws -> Upgrade {
        try upgrade(target: target)
    }

    /// False of a stand-in in an app's tests, which overrides what is asked and has no
    /// engine behind it.
    private var isTheEngine: Bool { type(of: self) == Engine.self }
}

extension Request {
    /// A request, its headers as pairs in their order.
    ///
    /// ```swift
    /// Request("/api/v1/adminplus/learners/1000?grade_id=9",
    ///         headers: ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"])
    /// ```
    ///
    /// - Parameters:
    ///   - target: path and query string, beginning with `/api/v1/` or `/api/v2/`.
    ///   - method: in upper case.
    ///   - headers: every request needs `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`, most
    ///     of v2 `HTTP-X-SCHOOLID` as well. If a name stands several times, the last
    ///     counts.
    ///   - body: empty for all but PATCH and POST. One of more than 65,536 bytes is refused: 413.
    ///   - now: the instant to answer for, in seconds since 1970-01-01T00:00:00Z; the
    ///     engine's clock unless given.
    public init(
        _ target: String,
        method: String = "GET",
        headers: KeyValuePairs<String, String> = [:],
        body: String = "",
        now: Int64? = nil
    ) {
        let headers = headers.map { Header(name: $0.key, value: $0.value) }
        self.init(target: target, method: method, headers: headers, body: body, now: now)
    }
}
