package import BLEOTACore
package import BLEOTAWire

/// Encodes frames as datagrams.
package enum FrameBytes {
    /// Encodes a sender's control frame.
    package static func of(_ frame: SenderControl) -> [UInt8] {
        written { frame.encode(into: &$0) }
    }

    /// Encodes a receiver's control frame.
    package static func of(_ frame: ReceiverControl, session: SessionNumber) -> [UInt8] {
        written { frame.encode(session: session, into: &$0) }
    }

    /// Encodes a sender's transmission.
    ///
    /// - Parameter payload: returns the bytes of a chunk.
    package static func of(
        _ transmission: SenderTransmission,
        payload: (SenderTransmission.Chunk) -> [UInt8]
    ) -> [UInt8] {
        switch transmission {
        case .control(let frame): of(frame)
        case .echo(let token, let byteCount):
            of([UInt8](repeating: 0x5A, count: byteCount - 4), UInt32(token), header: .echo)
        case .data(let chunk):
            of(payload(chunk), chunk.index, isPoll: chunk.isPoll, header: chunk.header)
        }
    }

    /// Encodes a data frame.
    package static func of(
        _ payload: [UInt8],
        _ index: UInt32,
        isPoll: Bool = false,
        header: PseudoHeader
    ) -> [UInt8] {
        written {
            DataFrame.encode(
                chunkIndex: index,
                isPoll: isPoll,
                payload: payload.span.bytes,
                header: header,
                into: &$0
            )
        }
    }

    private static func written(_ encode: (inout MutableRawSpan) -> Int) -> [UInt8] {
        // The length of the longest frame.
        var datagram = [UInt8](repeating: 0, count: 512)
        var elements = datagram.mutableSpan
        var output = elements.mutableBytes
        let byteCount = encode(&output)
        return Array(datagram[..<byteCount])
    }
}
