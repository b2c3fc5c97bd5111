/// The end that gets the image.
protocol BaselineReceiver: BaselineEnd {
    /// What it has stored.
    var image: ReceivedImage { get }
}
