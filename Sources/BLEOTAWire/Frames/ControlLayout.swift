/// The byte offsets of the fields of control frames (spec/bleota.md, section 2.1). Each frame
/// ends with its checksum, which `byteCount` includes.
enum ControlLayout {
    /// The version is in the high four bits, the opcode in the low four.
    static var versionAndOpcode: Int { 0 }
    static var checksumByteCount: Int { 2 }

    enum Open {
        static var session: Int { 1 }
        static var chunkWordCount: Int { 3 }
        static var manifestByteCount: Int { 4 }
        static var tag: Int { 8 }
        static var byteCount: Int { 18 }
    }
    enum Poll {
        static var session: Int { 1 }
        static var object: Int { 3 }
        static var epoch: Int { 4 }
        static var byteCount: Int { 7 }
    }
    enum Close {
        static var session: Int { 1 }
        static var reason: Int { 3 }
        static var byteCount: Int { 7 }
    }
    enum Query {
        static var session: Int { 1 }
        static var byteCount: Int { 5 }
    }
    enum Challenge {
        static var session: Int { 1 }
        static var receiptOffset: Int { 3 }
        static var nonceLow: Int { 4 }
        static var nonceHigh: Int { 12 }
        static var byteCount: Int { 18 }
    }
    enum Request {
        static var session: Int { 1 }
        static var tag: Int { 3 }
        static var byteCount: Int { 13 }
    }
    enum Acknowledgement {
        static var flags: Int { 1 }
        static var object: Int { 2 }
        static var epoch: Int { 3 }
        static var cumulative: Int { 4 }
        static var credit: Int { 6 }
        static var durable: Int { 8 }
        static var delay: Int { 12 }
        static var bitmap: Int { 13 }
        static var bitmapByteCountMax: Int { 64 }
        static var answersPollFlag: UInt8 { 0x01 }
        static var byteCountMin: Int { 15 }
    }
    enum Busy {
        static var phase: Int { 1 }
        static var object: Int { 2 }
        static var epoch: Int { 3 }
        static var milliseconds: Int { 4 }
        static var byteCount: Int { 8 }
    }
    enum Result {
        static var reason: Int { 1 }
        static var detail: Int { 3 }
        static var byteCount: Int { 13 }
    }
    enum EchoReply {
        static var token: Int { 1 }
        static var byteCountOfProbe: Int { 3 }
        static var byteCount: Int { 7 }
    }
    enum Status {
        static var state: Int { 1 }
        static var runningTag: Int { 2 }
        static var byteCount: Int { 12 }
    }
    enum Proof {
        static var receiptOffset: Int { 1 }
        static var piece: Int { 2 }
        static var byteCountMin: Int { 4 }
    }
}
