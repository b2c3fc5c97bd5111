extension NATSConnection {
    /// Makes a bucket. If there is one that is just the same, that is no error.
    ///
    /// - Throws: ``NATSError/exists`` if there is one that differs.
    package func createBucket(
        _ configuration: BucketConfiguration
    ) async throws(NATSError) -> Bucket {
        let plan = configuration.plan
        try await add(plan)
        return Bucket(name: configuration.name, connection: self, reading: .leader)
    }

    /// Opens a bucket that another has made.
    ///
    /// - Throws: ``NATSError/notFound``.
    package func bucket(_ name: BucketName) async throws(NATSError) -> Bucket {
        _ = try await state(of: StreamName(of: name))
        return Bucket(name: name, connection: self, reading: .leader)
    }

    /// A bucket that another has made, which isn't looked for: for a user that may not ask what the
    /// bucket is.
    package func bucket(_ name: BucketName, reading: Bucket.Reading) -> Bucket {
        Bucket(name: name, connection: self, reading: reading)
    }

    /// Deletes a bucket with all its keys.
    ///
    /// - Throws: ``NATSError/notFound``.
    package func deleteBucket(_ name: BucketName) async throws(NATSError) {
        try await deleteStream(StreamName(of: name))
    }
}
