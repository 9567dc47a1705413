import Foundation

extension Engine {
    /// Opens the store in a file, and makes one where nothing is.
    ///
    /// Fails as `already_open` if an engine holds it, here or in another process; as
    /// `not_a_store`, `newer_format` or `corrupt` if it cannot be read.
    public static func open(at file: URL, options: Options? = nil) throws -> Engine {
        try open(path: file.path, options: options)
    }

    /// Writes a copy of the store to a new file, as it is now; changes and questions go
    /// on meanwhile. It holds personal data: only its owner may read the file.
    ///
    /// Fails as `exists` if there is something at the path; as `io` if it could not be
    /// written, and then nothing is left at the path.
    public func backup(to file: URL, credentials: Credentials) throws {
        try backup(path: file.path, credentials: credentials)
    }
}
