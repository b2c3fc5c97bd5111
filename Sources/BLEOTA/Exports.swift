/// Whoever pushes and receives needs the vocabulary of the protocol.
@_exported public import BLEOTACore
