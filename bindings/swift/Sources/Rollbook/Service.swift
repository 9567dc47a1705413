import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What became of a call.
enum Answered: Sendable {
    case reply(Reply)
    case none(CallFailure)
}

/// Where a school is asked, and as whom, over a session of its own. No message repeats a
/// credential.
final class Service: Sendable {
    private let address: String
    private let username: String
    private let password: String
    private let session: URLSession
    private let replies: Replies

    init(
        _ configuration: URLSessionConfiguration, at base: URL, username: String, password: String,
        longestBody: Int = 64 << 20
    ) throws {
        guard let parts = URLComponents(url: base, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(parts.scheme?.lowercased()), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            throw RollbookError.BadArgument(
                message: "this is no base address: give scheme, host and path alone, such as "
                    + "https://integrate.example.org")
        }
        let text = base.absoluteString
        address = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.username = try Self.sendable(username, as: "username")
        self.password = try Self.sendable(password, as: "password")
        let own = configuration.uncached(pause: 20)
        // The machine gives a call up after two minutes.
        own.timeoutIntervalForResource = 90
        replies = Replies(longest: longestBody)
        session = URLSession(configuration: own, delegate: replies, delegateQueue: nil)
    }

    /// A session holds its delegate until it is told to end.
    func close() {
        session.finishTasksAndInvalidate()
    }

    func request(_ call: Call) throws -> URLRequest {
        guard let url = URL(string: address + call.target) else {
            throw RollbookError.BadArgument(message: "this is no base address: nothing can be put behind it")
        }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        request.setValue(username, forHTTPHeaderField: "HTTP-X-USERNAME")
        request.setValue(password, forHTTPHeaderField: "HTTP-X-PASSWORD")
        if !call.body.isEmpty {
            request.httpBody = Data(call.body.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }

    func answer(to request: URLRequest) async -> Answered {
        let task = session.dataTask(with: request)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                replies.hand(task.taskIdentifier) { continuation.resume(returning: $0) }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Checked here: what a client says of a header that cannot be sent may repeat it.
    private static func sendable(_ value: String, as what: String) throws -> String {
        let trimmed = value.trimmingCharacters(in: .whitespacesAndNewlines)
        guard value == trimmed, value.unicodeScalars.allSatisfy({ !CharacterSet.controlCharacters.contains($0) })
        else {
            throw RollbookError.BadArgument(message: "the \(what) cannot be sent as a header")
        }
        return value
    }
}

/// The replies of a session as they come. A lock guards them: a session has its own thread.
private final class Replies: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let longest: Int
    private let lock = NSLock()
    private var bodies: [Int: Data] = [:]
    private var waiting: [Int: (Answered) -> Void] = [:]
    /// Of tasks that were cancelled before somebody waited for them.
    private var early: [Int: Answered] = [:]

    init(longest: Int) {
        self.longest = longest
    }

    /// Says to whom a task's answer is handed.
    func hand(_ task: Int, _ resume: @escaping (Answered) -> Void) {
        let ended: Answered? = lock.withLock {
            if let answered = early.removeValue(forKey: task) { return answered }
            waiting[task] = resume
            return nil
        }
        if let ended { resume(ended) }
    }

    private func end(_ task: Int, _ answered: Answered) {
        let resume: ((Answered) -> Void)? = lock.withLock {
            bodies[task] = nil
            let resume = waiting.removeValue(forKey: task)
            if resume == nil { early[task] = answered }
            return resume
        }
        resume?(answered)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        // The credentials would go along: it is an answer as any other.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            bodies[dataTask.taskIdentifier, default: Data()].append(data)
            return bodies[dataTask.taskIdentifier, default: Data()].count > longest
        }
        // It ends as cancelled, which is as if it had been cut.
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let body = lock.withLock { bodies[task.taskIdentifier] } ?? Data()
        guard error == nil, body.count <= longest, let response = task.response as? HTTPURLResponse else {
            return end(task.taskIdentifier, .none(Self.failure(error)))
        }
        end(
            task.taskIdentifier,
            .reply(
                Reply(
                    status: UInt16(clamping: response.statusCode), body: body,
                    retryAfter: response.value(forHTTPHeaderField: "Retry-After"))))
    }

    private static func failure(_ error: Error?) -> CallFailure {
        switch (error as? URLError)?.code {
        case .timedOut: .timeout
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: .offline
        default: .cut
        }
    }
}

extension URLSessionConfiguration {
    /// A copy that caches nothing, for what is answered is personal data. So many seconds may pass
    /// without a byte.
    func uncached(pause: TimeInterval) -> URLSessionConfiguration {
        let own = copy() as? URLSessionConfiguration ?? self
        own.timeoutIntervalForRequest = pause
        own.urlCache = nil
        own.requestCachePolicy = .reloadIgnoringLocalCacheData
        return own
    }
}
