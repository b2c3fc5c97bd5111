extension ManifestFields {
    /// Why a device does not take what this manifest describes; `nil` if nothing of it is against
    /// its policy.
    ///
    /// Costs a signature to verify for each trusted key that signed, and a look at each attribute:
    /// they are read again, so that it is safe to ask whatever the bytes are.
    ///
    /// - Parameter manifest: the bytes these fields were read from.
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
