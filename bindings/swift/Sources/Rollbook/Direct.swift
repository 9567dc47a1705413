import Foundation
#if canImport(RollbookFFI)
import RollbookFFI
#endif

/// The short way to the engine, for what is asked thousands of times a second: one call
/// for a question, and no copy of a large answer. The generated code makes, fills and
/// gives back several buffers, each by calls of its own.
///
/// The arguments are written by the generated converters. `ffi/src/call.rs` says which
/// calls there are, `ffi/src/direct.rs` what comes back.
enum Direct {
    enum Call: UInt8 {
        case request
        case requests
        case ask
        case find
        case page
    }

    /// Calls the engine for one answer, with the arguments that `write` appends.
    static func answer(
        _ engine: Engine, _ call: Call, _ write: (inout [UInt8]) -> Void
    ) throws -> Answer {
        try called(engine, call, write) { reply in
            let length = reply.length - Int(reply.head.allow)
            return Answer(
                status: reply.head.status,
                data: reply.head.capacity == 0 ? reply.data(0, length) : reply.lent(length),
                allow: reply.methods(after: length, Int(reply.head.allow)))
        }
    }

    /// Calls the engine for the answers to a list of requests.
    static func answers(_ engine: Engine, _ requests: [Request]) throws -> [Answer] {
        let write = { (input: inout [UInt8]) in
            append(Int32(requests.count), to: &input)
            for request in requests { FfiConverterTypeRequest.write(request, into: &input) }
        }
        return try called(engine, .requests, write) { reply in
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

    /// An optional number, as the generated converters write it.
    static func append(_ number: Int64?, to input: inout [UInt8]) {
        input.append(number == nil ? 0 : 1)
        if let number { append(number, to: &input) }
    }

    private static func append<T: FixedWidthInteger>(_ number: T, to input: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { input.append(contentsOf: $0) }
    }

    private static func called<T>(
        _ engine: Engine, _ call: Call, _ write: (inout [UInt8]) -> Void,
        _ read: (Reply) throws -> T
    ) throws -> T {
        _ = isOfOneBuild
        var input: [UInt8] = []
        input.reserveCapacity(usual)
        input.append(call.rawValue)
        write(&input)
        return try withUnsafeTemporaryAllocation(byteCount: headSize + room, alignment: 8) { output in
            output.initializeMemory(as: UInt8.self, repeating: 0)
            let start = output.baseAddress!
            // Nobody else may refer to the engine any more while it is asked.
            withExtendedLifetime(engine) {
                let address = UnsafeRawPointer(bitPattern: UInt(engine.address()))
                rollbook_call(address, input, input.count, start)
            }
            let reply = Reply(head: start.load(as: RollbookHead.self), room: start + headSize)
            if reply.head.outcome == 0 { return try read(reply) }
            defer { reply.giveBack() }
            throw try reply.error()
        }
    }

    /// What a call left. What it lent is given back once.
    private struct Reply {
        let head: RollbookHead
        /// Small answers.
        let room: UnsafeRawPointer

        var length: Int { Int(head.length) }

        private var bytes: UnsafeRawPointer {
            head.capacity == 0 ? room : UnsafeRawPointer(bitPattern: UInt(head.lent))!
        }

        func data(_ at: Int, _ length: Int) -> Data { Data(bytes: bytes + at, count: length) }

        /// The first bytes of what was lent, which is given back with the last copy of the data.
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

        /// What the call failed with.
        func error() throws -> Error {
            var said = (data: data(0, length), offset: 0)
            if head.outcome == 1 { return try FfiConverterTypeRollbookError.read(from: &said) }
            return Panicked(errorDescription: String(decoding: said.data, as: UTF8.self))
        }
    }

    /// The engine panicked, which is a mistake in it.
    private struct Panicked: LocalizedError {
        let errorDescription: String?
    }

    private static let headSize = MemoryLayout<RollbookHead>.size
    private static let room = 4096

    /// Bytes of arguments that room is made for; a question has fewer than 160.
    private static let usual = 256

    /// The version of this form, and the size of what is written: of another build, the
    /// engine would write past it.
    private static let isOfOneBuild: Bool = {
        let form = UInt64(1) << 32 | UInt64(headSize + room)
        guard rollbook_form() == form else {
            fatalError("rollbook and its library are not of one build")
        }
        return true
    }()
}
