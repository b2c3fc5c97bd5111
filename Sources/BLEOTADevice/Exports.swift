/// Code for a device also needs the types of the protocol and of the manifest.
@_exported public import BLEOTACore
@_exported public import BLEOTAManifest
