/// Users of the state machines also need the types of the wire format.
@_exported public import BLEOTAWire
