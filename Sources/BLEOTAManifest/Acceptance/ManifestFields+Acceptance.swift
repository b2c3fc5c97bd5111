extension ManifestFields {
    /// Returns the reason a device refuses the image in this manifest, or `nil` if its policy
    /// accepts the image.
    ///
    /// The cost is one verification for each signature by a trusted key, up to the first valid
    /// one, and a pass over the attributes. The attributes are read again, so the call is safe
    /// whatever the bytes are.
    ///
    /// - Parameters:
    ///   - manifest: the bytes from which these fields were read.
    ///   - policy: the acceptance policy of the device.
    public func refusal(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) -> ManifestRefusal? {
        do throws(ManifestRefusal) {
            var reading = ManifestReading()
            _ = try reading.signedCounter(in: manifest, by: policy)
            return nil
        } catch { return error }
    }
}
