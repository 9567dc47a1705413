import Foundation

extension Engine {
    /// Opens the store in a file, or creates one if no file exists.
    ///
    /// Fails as `already_open` if another engine, in this process or another one, has the store
    /// open; as `not_a_store`, `newer_format` or `corrupt` if it cannot be read.
    public static func open(at file: URL, options: Options? = nil) throws -> Engine {
        try open(path: file.path, options: options)
    }

    /// Writes a copy of the current state of the store to a new file. Changes and questions
    /// continue meanwhile. Only the owner of the file can read it, because it contains personal
    /// data.
    ///
    /// Fails as `exists` if there is a file at the path; as `io` if the copy cannot be written. In
    /// the latter case nothing remains at the path.
    public func backup(to file: URL, credentials: Credentials) throws {
        try backup(path: file.path, credentials: credentials)
    }
}
