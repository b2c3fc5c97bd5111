/// Whoever makes a device needs the machine's options, states and numbers.
@_exported public import BLEOTACore
