import Foundation

extension Engine {
    /// Answers a request as the service does, including the access checks.
    ///
    /// If the store fails, or the engine is suspended or closed, the answer is a 500 with an
    /// explanation.
    public func request(_ request: Request) throws -> Answer {
        guard isNative else { return try self.request(request: request) }
        return try Direct.answer(self, .request) { FfiConverterTypeRequest.write(request, into: &$0) }
    }

    /// Answers several requests, one after the other. This is faster than a call for each, because
    /// a call of the library takes longer than most answers.
    public func requests(_ requests: [Request]) throws -> [Answer] {
        guard isNative else { return try self.requests(requests: requests) }
        return try Direct.answers(self, requests)
    }

    /// Answers a question of a trusted app, without credentials, authorisation and activation. The
    /// body is the same as that of v1's answer to a request that passes these checks. `now` is the
    /// instant for which the question is answered, in seconds since 1970-01-01T00:00:00Z. The
    /// default is the instant of the engine's clock.
    ///
    /// ```swift
    /// let answer = try engine.ask(.learners(school: 1000, gradeIds: [9]))
    /// let learners = try answer.decode([V1.Learner].self)
    /// ```
    ///
    /// If the API refuses the question or finds nothing, this is an answer and not an error. Fails
    /// as `suspended` or `closed`; as `not_synced` if the school is synced and the data was not
    /// fetched yet; as `io` or `corrupt` if the store fails; as `bad_argument` if a text is not a
    /// date.
    public func ask(_ question: Question, now: Int64? = nil) throws -> Answer {
        guard isNative else { return try ask(question: question, now: now) }
        return try Direct.answer(self, .ask) {
            FfiConverterTypeQuestion.write(question, into: &$0)
            Direct.append(now, to: &$0)
        }
    }

    /// Answers one page of a question in the format of v2 (section 9, item 3). Without a cursor, it
    /// is the first page. In other respects it works like ``ask(_:now:)``.
    public func page(_ question: Question, _ page: Page = Page(), now: Int64? = nil) throws -> Answer {
        guard isNative else { return try self.page(question: question, page: page, now: now) }
        return try Direct.answer(self, .page) {
            FfiConverterTypeQuestion.write(question, into: &$0)
            FfiConverterTypePage.write(page, into: &$0)
            Direct.append(now, to: &$0)
        }
    }

    /// Answers with the first record that matches a question, in the format of v2 for one record
    /// (section 9, item 1): an object, or 404. In other respects it works like ``ask(_:now:)``.
    public func find(_ question: Question, now: Int64? = nil) throws -> Answer {
        guard isNative else { return try find(question: question, now: now) }
        return try Direct.answer(self, .find) {
            FfiConverterTypeQuestion.write(question, into: &$0)
            Direct.append(now, to: &$0)
        }
    }

    /// Returns the v2 request for the data of a v1 request, which is given by its path and query
    /// string (section 9).
    ///
    /// Fails as `bad_argument` if the target does not belong to v1, if v1 does not have its path,
    /// or if v1 refuses it too.
    public func upgrade(_ target: String) throws -> Upgrade {
        try upgrade(target: target)
    }

    /// Whether calls can be direct. This is false for a subclass in an app's tests, which overrides
    /// the generated methods and has no native engine.
    private var isNative: Bool { type(of: self) == Engine.self }
}

extension Request {
    /// Creates a request with its headers as pairs, in order.
    ///
    /// ```swift
    /// Request("/api/v1/adminplus/learners/1000?grade_id=9",
    ///         headers: ["HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"])
    /// ```
    ///
    /// - Parameters:
    ///   - target: The path and the query string, starting with `/api/v1/` or `/api/v2/`.
    ///   - method: The method, in upper case.
    ///   - headers: The headers. Every request needs `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`, and
    ///     most requests of v2 also need `HTTP-X-SCHOOLID`. If a name occurs several times, the last
    ///     value is used.
    ///   - body: The body, which is empty except for PATCH and POST. If it has more than 65,536
    ///     bytes, the request is refused with 413.
    ///   - now: The instant for which the request is answered, in seconds since
    ///     1970-01-01T00:00:00Z. The default is the instant of the engine's clock.
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
