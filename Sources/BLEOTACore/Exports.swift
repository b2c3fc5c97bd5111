/// Whoever uses the machines needs the vocabulary of the wire.
@_exported public import BLEOTAWire
