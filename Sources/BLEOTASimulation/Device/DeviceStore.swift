import BLEOTACore
import BLEOTAHost

/// The image store of a simulated device. It performs one task at a time, in steps; the caller
/// begins each step, and finishes it after the step's duration.
protocol DeviceStore: AnyObject {
    /// The current image, and the image that was current when the run began.
    var current: [UInt8]? { get }
    var firstImage: [UInt8]? { get }
    /// Whether the receiver stayed within the memory of its block maps.
    var areMapsIntact: Bool { get }
    /// Whether a task in progress continues without the receiver that requested it. If so, only a
    /// power cut ends the task.
    var isAutonomous: Bool { get }
    /// The flash operation in progress, with its number counted from 0; `nil` if there is none.
    var flashOperation: (number: Int, operation: FlashModel.Operation)? { get }

    /// Puts blocks of an earlier attempt into the store.
    func preload(_ transfer: InMemoryTransfer)
    /// Whether these bytes of an object are stored.
    func holds(_ range: Range<Int>, of id: ObjectID) -> Bool
    /// Whether every image block that the store holds equals the corresponding block of `image`.
    func holdsNothing(butBlocksOf image: [UInt8]) -> Bool
    /// The number of durable bytes at the start of an object; 0 if its transfer is unknown.
    func durableByteCount(of id: ObjectID) -> UInt32

    /// Begins a task or, without one, background work.
    ///
    /// - Parameter isOld: whether the session that requested the task is over.
    /// - Returns: the duration of the first step; `nil` if there is nothing to do.
    func begin(_ task: StorageTask?, bytes: [UInt8], isOld: Bool) -> Microseconds?
    /// Finishes a step whose duration has passed.
    ///
    /// - Parameter isOld: whether the session is over by now.
    func finishStep(isOld: Bool, isHealed: Bool) -> StoreProgress

    /// Returns the delay before the synchronization that the blocks written so far require; `nil`
    /// if they do not require one yet.
    func takeSyncWanted() -> Microseconds?
    /// Makes all written bytes durable, and returns the number of durable bytes.
    func sync(_ object: ObjectID) -> StorageAnswer
    /// Cuts the power.
    ///
    /// - Parameter span: the time that the step in progress has taken; `nil` if there is no step.
    func losePower(after span: Microseconds?)
}

/// The result of a finished step.
enum StoreProgress {
    /// Another step follows, with this duration.
    case goesOn(Microseconds)
    /// The task has ended, with its answer, if any.
    case ended(StorageAnswer?)
}
