// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Bench",
    platforms: [.macOS(.v10_15)],
    dependencies: [.package(path: "..")],
    targets: [
        // The system's SQLite. On Linux it requires the package `libsqlite3-dev`.
        .systemLibrary(name: "CSQLite"),
        .executableTarget(
            name: "Bench",
            dependencies: ["CSQLite", .product(name: "Rollbook", package: "swift")]),
    ]
)
