/// Whoever writes a device needs the vocabulary of the protocol, and of the manifests it judges.
@_exported public import BLEOTACore
@_exported public import BLEOTAManifest
