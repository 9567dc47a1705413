import Foundation

extension Dataset {
    /// The lines, as text.
    public static func text(_ lines: String) -> Dataset { .text(text: lines) }

    /// The lines, as bytes in UTF-8.
    public static func bytes(_ lines: Data) -> Dataset { .bytes(bytes: lines) }

    /// A file, which is read during the load.
    public static func file(_ path: String) -> Dataset { .file(path: path) }

    /// A file, which is read during the load.
    public static func file(_ url: URL) -> Dataset { .file(path: url.path) }
}
