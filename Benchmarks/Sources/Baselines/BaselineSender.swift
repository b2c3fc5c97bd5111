/// The end that has the image.
protocol BaselineSender: BaselineEnd {
    /// It knows that the other end has the whole image.
    var isFinished: Bool { get }

    var counts: BaselineCounts { get }

    mutating func start(_ link: inout BaselineLink<Frame>)
}
