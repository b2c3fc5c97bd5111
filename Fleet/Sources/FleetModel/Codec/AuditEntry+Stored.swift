extension AuditEntry: Stored {
    /// The head and the version 2, the key 58, the author 259, the sentence 515.
    package static let byteCountMax = 834
    package static let itemCount = 3

    package init(from bytes: [UInt8]) throws(CodecError) {
        var reader = try Self.reader(bytes)
        let user = try reader.optional { reader throws(CodecError) in
            try reader.text(byteCountMax: Self.userByteCountMax)
        }
        let author = try reader.text(byteCountMax: Self.authorByteCountMax)
        let sentence = try reader.text(byteCountMax: Self.sentenceByteCountMax)
        try reader.end()
        self.init(user: user, author: author, sentence)
    }

    package var bytes: [UInt8] {
        var writer = Self.writer()
        writer.write(user) { writer, user in writer.write(user) }
        writer.write(author)
        writer.write(sentence)
        return writer.bytes
    }
}

extension CBORReader {
    fileprivate mutating func text(byteCountMax: Int) throws(CodecError) -> String {
        let text = try text()
        guard text.utf8.count <= byteCountMax else { throw .outOfRange }
        return text
    }
}
