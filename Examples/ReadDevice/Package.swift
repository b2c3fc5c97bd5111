// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "read-example",
    dependencies: [.package(name: "bleota", path: "../..")],
    targets: [
        .executableTarget(
            name: "ReadDevice",
            dependencies: [.product(name: "BlueZ", package: "bleota")],
            path: ".",
            sources: ["ReadDevice.swift"]
        )
    ]
)
