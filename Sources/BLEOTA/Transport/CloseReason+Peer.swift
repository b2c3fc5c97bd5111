extension CloseReason {
    /// The reason that the peer gets when this end closes for this reason. An overflow is reported
    /// as such, because the peer's datagrams contributed to it. All other reasons become
    /// ``remote``.
    var seenByPeer: CloseReason {
        self == .overflow ? .overflow : .remote
    }
}
