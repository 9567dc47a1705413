import Foundation
#if canImport(RollbookFFI)
import RollbookFFI
#endif

/// Direct calls of the engine, for requests and questions that are sent thousands of times a
/// second. A direct call is a single call of the library, and a large answer is not copied. The
/// generated code allocates, fills and frees several buffers for a question, with a call for each.
///
/// The generated converters encode the arguments. `ffi/src/call.rs` describes the calls, and
/// `ffi/src/direct.rs` the replies.
enum Direct {
    enum Call: UInt8 {
        case request
        case requests
        case ask
        case find
        case page
    }

    /// Makes a call that returns one answer. `write` encodes the arguments.
    static func answer(
        _ engine: Engine, _ call: Call, _ write: (inout [UInt8]) -> Void
    ) throws -> Answer {
        try makeCall(engine, call, write) { reply in
            let length = reply.length - Int(reply.head.allow)
            return Answer(
                status: reply.head.status,
                data: reply.head.capacity == 0 ? reply.data(0, length) : reply.lent(length),
                allow: reply.methods(after: length, Int(reply.head.allow)))
        }
    }

    /// Makes a call that returns the answers to a list of requests.
    static func answers(_ engine: Engine, _ requests: [Request]) throws -> [Answer] {
        let write = { (input: inout [UInt8]) in
            append(Int32(requests.count), to: &input)
            for request in requests { FfiConverterTypeRequest.write(request, into: &input) }
        }
        return try makeCall(engine, .requests, write) { reply in
            defer { reply.giveBack() }
            var at = 0
            return requests.map { _ in
                let status: UInt16 = reply.number(at)
                let allow = Int(reply.number(at + 2) as UInt16)
                let length = Int(reply.number(at + 4) as UInt64)
                let body = at + 12
                at = body + length + allow
                return Answer(
                    status: status,
                    data: reply.data(body, length),
                    allow: reply.methods(after: body + length, allow))
            }
        }
    }

    /// Appends an optional number in the encoding of the generated converters.
    static func append(_ number: Int64?, to input: inout [UInt8]) {
        input.append(number == nil ? 0 : 1)
        if let number { append(number, to: &input) }
    }

    private static func append<T: FixedWidthInteger>(_ number: T, to input: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { input.append(contentsOf: $0) }
    }

    /// Makes a call. `write` encodes the arguments, and `read` decodes the reply.
    private static func makeCall<T>(
        _ engine: Engine, _ call: Call, _ write: (inout [UInt8]) -> Void,
        _ read: (Reply) throws -> T
    ) throws -> T {
        _ = isOfOneBuild
        var input: [UInt8] = []
        input.reserveCapacity(inputBytes)
        input.append(call.rawValue)
        write(&input)
        return try withUnsafeTemporaryAllocation(byteCount: headSize + inlineBytes, alignment: 8) { output in
            output.initializeMemory(as: UInt8.self, repeating: 0)
            let start = output.baseAddress!
            // Without this, the engine could be freed during the call if it has no other
            // references.
            withExtendedLifetime(engine) {
                let address = UnsafeRawPointer(bitPattern: UInt(engine.address()))
                rollbook_call(address, input, input.count, start)
            }
            let reply = Reply(head: start.load(as: RollbookHead.self), inline: start + headSize)
            if reply.head.outcome == 0 { return try read(reply) }
            defer { reply.giveBack() }
            throw try reply.error()
        }
    }

    /// The reply to a call. Lent bytes must be given back exactly once.
    private struct Reply {
        let head: RollbookHead
        /// The bytes of a small reply.
        let inline: UnsafeRawPointer

        var length: Int { Int(head.length) }

        private var bytes: UnsafeRawPointer {
            head.capacity == 0 ? inline : UnsafeRawPointer(bitPattern: UInt(head.lent))!
        }

        func data(_ at: Int, _ length: Int) -> Data { Data(bytes: bytes + at, count: length) }

        /// Returns the first lent bytes without a copy. The memory is given back when the last copy
        /// of the data is released.
        func lent(_ length: Int) -> Data {
            let head = head
            let start = UnsafeMutableRawPointer(bitPattern: UInt(head.lent))!
            return Data(
                bytesNoCopy: start, count: length,
                deallocator: .custom { _, _ in
                    var head = head
                    rollbook_give_back(&head)
                })
        }

        func number<T: FixedWidthInteger>(_ at: Int) -> T {
            T(bigEndian: (bytes + at).loadUnaligned(as: T.self))
        }

        func methods(after at: Int, _ length: Int) -> String? {
            length == 0 ? nil : String(decoding: UnsafeRawBufferPointer(start: bytes + at, count: length), as: UTF8.self)
        }

        func giveBack() {
            var head = head
            rollbook_give_back(&head)
        }

        /// Returns the error of a call that failed.
        func error() throws -> Error {
            var input = (data: data(0, length), offset: 0)
            if head.outcome == 1 { return try FfiConverterTypeRollbookError.read(from: &input) }
            return Panicked(errorDescription: String(decoding: input.data, as: UTF8.self))
        }
    }

    /// The error of a call in which the engine panicked, because of a fault in it.
    private struct Panicked: LocalizedError {
        let errorDescription: String?
    }

    private static let headSize = MemoryLayout<RollbookHead>.size
    /// The maximum length of an answer that is written to the output, in bytes.
    private static let inlineBytes = 4096

    /// The initial capacity for arguments, in bytes. A question has fewer than 160.
    private static let inputBytes = 256

    /// Checks the version of the interface and the size of an output. A library of another build
    /// would write beyond the output.
    private static let isOfOneBuild: Bool = {
        let form = UInt64(2) << 32 | UInt64(headSize + inlineBytes)
        guard rollbook_form() == form else {
            fatalError("rollbook and its library are from different builds")
        }
        return true
    }()
}
