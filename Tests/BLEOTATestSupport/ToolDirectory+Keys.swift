/// Keys and bundles, each named by its name in the directory.
extension ToolDirectory {
    /// Makes a private key, with its public half beside it under the name with `.pub`.
    ///
    /// - Parameter algorithm: what the tool takes; `nil` for what it makes unless it is told.
    @discardableResult
    package func generateKey(
        _ name: String = "release.pem",
        sealing: Bool = false,
        algorithm: String? = nil
    ) async throws -> ToolResult {
        let kind = (sealing ? ["--sealing"] : []) + (algorithm.map { ["--algorithm", $0] } ?? [])
        return try await run(["key", "generate"] + kind + [path(name)], endingWith: 0)
    }

    /// Makes a bundle of an image, or signs one once more.
    ///
    /// - Parameters:
    ///   - image: where the image or the bundle is.
    ///   - status: what the tool has to end with.
    @discardableResult
    package func sign(
        _ image: String,
        as bundle: String,
        key: String = "release.pem",
        _ arguments: String...,
        endingWith status: Int32 = 0
    ) async throws -> ToolResult {
        try await sign(image, as: bundle, key: key, arguments, endingWith: status)
    }

    /// The same.
    @discardableResult
    package func sign(
        _ image: String,
        as bundle: String,
        key: String = "release.pem",
        _ arguments: [String],
        endingWith status: Int32 = 0
    ) async throws -> ToolResult {
        try await run(
            ["sign", image, "--key", path(key), "--output", path(bundle)] + arguments,
            endingWith: status
        )
    }

    /// What the verifier in spec/vectors makes of a bundle: a program from the text of the
    /// specification alone, which ends with 0 if all is right.
    ///
    /// - Parameter keys: the public one of who has signed it, then, if it is to be opened, the
    ///   private one for which it is sealed.
    package func verified(_ bundle: String, _ keys: String...) async throws -> ToolResult {
        try await verified(bundle, keys)
    }

    /// The same.
    package func verified(_ bundle: String, _ keys: [String]) async throws -> ToolResult {
        let verifier = Repository.path(of: "spec/vectors/verify_bundle.py")
        return try await RunningTool(
            ["python3", verifier, path(bundle)] + keys.map(path),
            in: self,
            program: "/usr/bin/env"
        ).end(within: 60)
    }

    private func run(_ arguments: [String], endingWith status: Int32) async throws -> ToolResult {
        let result = try await run(arguments)
        guard result.status == status else {
            let call = arguments.joined(separator: " ")
            throw UnexpectedStatus(
                description: "bleota \(call) ended with \(result.status): \(result.errors)"
            )
        }
        return result
    }
}
