import Foundation

/// A server on this machine, which sends the bytes that a closure returns for each request. If the
/// closure returns nil, it closes the connection. A connection has one request.
final class Loopback: @unchecked Sendable {
    /// Returns the bytes to send, given the request line and the headers of a request, and its
    /// body.
    typealias Handler = @Sendable (String, Data) -> Data?

    let address: URL
    private let listening: Int32

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        (listening, address) = try Self.bound()
    }

    /// Starts to answer requests.
    func begin(_ handler: @escaping Handler) {
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listening, nil, nil)
                if connection < 0 { return }
                Thread.detachNewThread { [self] in
                    if let (head, body) = request(from: connection), let answer = handler(head, body) {
                        Self.write(answer, to: connection)
                    }
                    close(connection)
                }
            }
        }
    }

    func stop() {
        shutdown(listening, Int32(SHUT_RDWR))
        close(listening)
    }

    static func response(
        _ status: Int, _ body: Data, _ headers: String..., length: Int? = nil
    ) -> Data {
        let length = "Content-Length: \(length ?? body.count)"
        let head = ["HTTP/1.1 \(status) Said", length, "Connection: close"] + headers
        return Data(head.joined(separator: "\r\n").utf8) + Data("\r\n\r\n".utf8) + body
    }

    private static func bound() throws -> (Int32, URL) {
        #if canImport(Darwin)
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) != 0 || listen(socket, 64) != 0 || getsockname(socket, $0, &length) != 0
            }
        }
        let port = UInt16(bigEndian: name.sin_port)
        guard !failed, let address = URL(string: "http://127.0.0.1:\(port)") else {
            throw CocoaError(.fileReadUnknown)
        }
        return (socket, address)
    }

    /// Returns the head of a request without the empty line at its end, and the body.
    private func request(from connection: Int32) -> (String, Data)? {
        var read = Data()
        var end: Range<Data.Index>?
        while end == nil {
            guard Self.read(from: connection, into: &read) else { return nil }
            end = read.range(of: Data("\r\n\r\n".utf8))
        }
        guard let end else { return nil }
        let head = String(decoding: read[..<end.lowerBound], as: UTF8.self)
        let line = head.lowercased().components(separatedBy: "\r\n").first { $0.hasPrefix("content-length: ") }
        let length = line.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        while read.count < end.upperBound + length {
            guard Self.read(from: connection, into: &read) else { return nil }
        }
        return (head, read[end.upperBound...])
    }

    private static func read(from connection: Int32, into read: inout Data) -> Bool {
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(connection, &piece, piece.count, 0)
        if count > 0 { read.append(contentsOf: piece[..<count]) }
        return count > 0
    }

    private static func write(_ data: Data, to connection: Int32) {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}
