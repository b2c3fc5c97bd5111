// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "push-example",
    dependencies: [.package(name: "bleota", path: "../..")],
    targets: [
        .executableTarget(
            name: "Push",
            dependencies: [
                .product(name: "BLEOTA", package: "bleota"),
                .product(name: "BLEOTABlueZ", package: "bleota"),
            ],
            path: ".",
            sources: ["Push.swift"]
        )
    ]
)
