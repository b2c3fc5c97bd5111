extension CloseReason {
    /// What the other end is told when this end closes for this reason. It learns that its own
    /// datagrams were too many, since that is its doing as well; all else is "the peer has gone".
    var seenByPeer: CloseReason {
        self == .overflow ? .overflow : .remote
    }
}
