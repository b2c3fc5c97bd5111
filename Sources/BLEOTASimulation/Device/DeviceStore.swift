import BLEOTACore
import BLEOTAHost

/// What a modelled device keeps images in. It does one thing at a time, in steps; each step is
/// begun and, when its time is over, ended.
protocol DeviceStore: AnyObject {
    /// The image that is current, and the one that was when the run began.
    var current: [UInt8]? { get }
    var firstImage: [UInt8]? { get }
    /// Whether the receiver kept to the memory of the maps it was given.
    var areMapsIntact: Bool { get }
    /// Whether what is under way goes on when the receiver that asked for it is gone, and only a
    /// power cut ends it.
    var isAutonomous: Bool { get }
    /// The operation of the flash that is under way, if any, counted from 0.
    var flashOperation: (number: Int, operation: FlashModel.Operation)? { get }

    /// Puts blocks of an earlier attempt into the store.
    func preload(_ transfer: InMemoryTransfer)
    /// Whether these bytes of an object are stored.
    func holds(_ range: Range<Int>, of id: ObjectID) -> Bool
    /// Whether every block of the image that it takes for stored is that of an image.
    func holdsNothing(butBlocksOf image: [UInt8]) -> Bool
    /// How much of the beginning of an object is durable, if it is of a transfer that is known.
    func durableByteCount(of id: ObjectID) -> UInt32

    /// Begins a task or, without one, what there is to do besides.
    ///
    /// - Parameter isOld: whether the session that wanted it is over.
    /// - Returns: how long its first step takes; `nil` if there is nothing to do.
    func begin(_ task: StorageTask?, bytes: [UInt8], isOld: Bool) -> Microseconds?
    /// The time of a step is over.
    ///
    /// - Parameter isOld: as above, by now.
    func finishStep(isOld: Bool, isHealed: Bool) -> StoreProgress

    /// When what is written is made durable; `nil` for some time.
    func takeSyncWanted() -> Microseconds?
    /// Makes durable what is written, and says how far that reaches.
    func sync(_ object: ObjectID) -> StorageAnswer
    /// The power is cut.
    ///
    /// - Parameter span: how long the step that is under way has taken; `nil` if none is.
    func losePower(after span: Microseconds?)
}

/// What the end of a step led to.
enum StoreProgress {
    /// Another step, which takes so long.
    case goesOn(Microseconds)
    /// The end of the task, and the answer to it, if it has one.
    case ended(StorageAnswer?)
}
