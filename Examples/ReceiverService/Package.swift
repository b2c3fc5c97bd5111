// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "receiver-example",
    dependencies: [
        .package(name: "bleota", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "ReceiverService",
            dependencies: [
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: ".",
            sources: ["ReceiverService.swift"]
        )
    ]
)
