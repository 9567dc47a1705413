// swift-tools-version:5.9
import Foundation
import PackageDescription

// The engine, a Rust library with a C header. On a Mac, this is the XCFramework that
// `bindings/swift/xcframework` builds, if it exists in this folder. Otherwise it is only the
// header, and the linker finds `librollbook_ffi` in a folder that `LIBRARY_PATH` names.
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
