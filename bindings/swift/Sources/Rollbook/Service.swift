import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The result of a call: a reply, or the reason why there is none.
enum CallResult: Sendable {
    case reply(Reply)
    case failure(CallFailure)
}

/// Sends calls to the service with the credentials, over a session of its own. No message contains
/// a credential.
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
                message: "this is not a base address: give only scheme, host and path, such as "
                    + "https://integrate.example.org")
        }
        let text = base.absoluteString
        address = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.username = try Self.sendable(username, as: "username")
        self.password = try Self.sendable(password, as: "password")
        let own = configuration.uncached(pause: 20)
        // The engine counts a call without a reply as failed after two minutes.
        own.timeoutIntervalForResource = 90
        replies = Replies(longest: longestBody)
        session = URLSession(configuration: own, delegate: replies, delegateQueue: nil)
    }

    /// Closes the session, which does not release its delegate before.
    func close() {
        session.finishTasksAndInvalidate()
    }

    func request(_ call: Call) throws -> URLRequest {
        guard let url = URL(string: address + call.target) else {
            throw RollbookError.BadArgument(message: "this is not a base address: no path can be appended to it")
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

    func send(_ request: URLRequest) async -> CallResult {
        let task = session.dataTask(with: request)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                replies.onCompletion(of: task.taskIdentifier) { continuation.resume(returning: $0) }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Checks a credential. The message of the HTTP client may contain it.
    private static func sendable(_ value: String, as what: String) throws -> String {
        let trimmed = value.trimmingCharacters(in: .whitespacesAndNewlines)
        guard value == trimmed, value.unicodeScalars.allSatisfy({ !CharacterSet.controlCharacters.contains($0) })
        else {
            throw RollbookError.BadArgument(message: "the \(what) cannot be sent as a header")
        }
        return value
    }
}

/// Collects the replies of a session. A lock guards them, because a session has its own thread.
private final class Replies: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let longest: Int
    private let lock = NSLock()
    private var bodies: [Int: Data] = [:]
    private var waiting: [Int: (CallResult) -> Void] = [:]
    /// The results of tasks that were cancelled before ``onCompletion(of:_:)`` was called.
    private var early: [Int: CallResult] = [:]

    init(longest: Int) {
        self.longest = longest
    }

    /// Sets the closure that receives the result of a task.
    func onCompletion(of task: Int, _ resume: @escaping (CallResult) -> Void) {
        let ended: CallResult? = lock.withLock {
            if let result = early.removeValue(forKey: task) { return result }
            waiting[task] = resume
            return nil
        }
        if let ended { resume(ended) }
    }

    private func end(_ task: Int, _ result: CallResult) {
        let resume: ((CallResult) -> Void)? = lock.withLock {
            bodies[task] = nil
            let resume = waiting.removeValue(forKey: task)
            if resume == nil { early[task] = result }
            return resume
        }
        resume?(result)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        // A redirect would disclose the credentials to another address, so it is not followed.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = lock.withLock {
            bodies[dataTask.taskIdentifier, default: Data()].append(data)
            return bodies[dataTask.taskIdentifier, default: Data()].count > longest
        }
        // The task fails as cancelled, which counts as an interrupted connection.
        if isTooLong { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let body = lock.withLock { bodies[task.taskIdentifier] } ?? Data()
        guard error == nil, body.count <= longest, let response = task.response as? HTTPURLResponse else {
            return end(task.taskIdentifier, .failure(Self.failure(error)))
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
    /// Returns a copy that caches nothing, because the responses are personal data. `pause` is the
    /// maximum time without a byte, in seconds.
    func uncached(pause: TimeInterval) -> URLSessionConfiguration {
        let own = copy() as? URLSessionConfiguration ?? self
        own.timeoutIntervalForRequest = pause
        own.urlCache = nil
        own.requestCachePolicy = .reloadIgnoringLocalCacheData
        return own
    }
}
