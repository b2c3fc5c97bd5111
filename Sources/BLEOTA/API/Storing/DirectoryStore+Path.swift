import SystemPackage

extension DirectoryStore {
    /// The same initializer, with the path as a string.
    public init(
        directory: String,
        imageByteCountLimit: Int = Int(UInt32.max)
    ) throws(StoreError) {
        try self.init(
            directory: FilePath(directory),
            imageByteCountLimit: imageByteCountLimit
        )
    }
}
