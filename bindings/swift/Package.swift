// swift-tools-version:5.9
import Foundation
import PackageDescription

// The engine, in Rust behind a C header. On a Mac, for apps: the XCFramework that
// `bindings/swift/xcframework` makes, once it lies here. Else the header alone, and
// the linker finds `librollbook_ffi` in a folder that `LIBRARY_PATH` names.
let ffi: Target
#if os(macOS)
let framework = "RollbookFFI.xcframework"
let hasFramework = FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(framework)")
#else
let framework = ""
let hasFramework = false
#endif
if hasFramework {
    ffi = .binaryTarget(name: "RollbookFFI", path: framework)
} else {
    ffi = .target(
        name: "RollbookFFI",
        publicHeadersPath: "include/RollbookFFI",
        linkerSettings: [.linkedLibrary("rollbook_ffi")]
    )
}

let package = Package(
    name: "Rollbook",
    platforms: [.iOS(.v13), .macOS(.v10_15)],
    products: [.library(name: "Rollbook", targets: ["Rollbook"])],
    targets: [
        ffi,
        .target(name: "Rollbook", dependencies: ["RollbookFFI"]),
        .testTarget(name: "RollbookTests", dependencies: ["Rollbook"]),
    ],
    swiftLanguageVersions: [.v5, .version("6")]
)
