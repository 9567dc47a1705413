// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Bench",
    platforms: [.macOS(.v10_15)],
    dependencies: [.package(path: "..")],
    targets: [
        .executableTarget(name: "Bench", dependencies: [.product(name: "Rollbook", package: "swift")])
    ]
)
