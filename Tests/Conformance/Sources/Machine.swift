import Platform

/// What the C of each machine gives.
enum Machine {
    /// The vectors that are linked in.
    static var vectors: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: platform_vectors(),
            count: Int(platform_vectors_byte_count())
        )
    }

    /// Memory of zeros, which whoever writes to it clears again.
    static var room: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(
            start: platform_room(),
            count: Int(platform_room_byte_count())
        )
    }
}
