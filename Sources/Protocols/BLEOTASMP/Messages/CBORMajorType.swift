/// The kind of an item, in the upper 3 bits of its first byte.
enum CBORMajorType: UInt8 {
    case unsigned
    case negative
    case bytes
    case text
    case array
    case map
    case tag
    case simple

    /// The lower 5 bits of an item whose length is unknown, and of the item that ends it.
    static let indefinite = 31
}
