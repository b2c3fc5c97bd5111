/// An authority with the certificate of a server, made by openssl.
package struct TestAuthority {
    package let certificate: String
    package let serverCertificate: String
    package let serverKey: String

    /// - Parameter host: for which the server's certificate is.
    package init(
        in folder: TestFolder,
        name: String,
        host: String,
        isAddress: Bool = false
    ) throws {
        let kind = isAddress ? "IP" : "DNS"
        certificate = folder.path("\(name)-ca.pem")
        serverCertificate = folder.path("\(name).pem")
        serverKey = folder.path("\(name)-key.pem")
        let caKey = folder.path("\(name)-ca-key.pem")
        let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let request = ["openssl", "req", "-x509", "-days", "2"] + curve
        _ = try ChildProcess.output(
            of: request + ["-subj", "/CN=\(name)", "-keyout", caKey, "-out", certificate],
            in: folder
        )
        _ = try ChildProcess.output(
            of: request + [
                "-subj", "/CN=\(host)", "-addext", "subjectAltName=\(kind):\(host)",
                "-addext", "basicConstraints=critical,CA:FALSE", "-CA", certificate, "-CAkey",
                caKey, "-keyout", serverKey,
                "-out", serverCertificate,
            ],
            in: folder
        )
    }

    /// The lines of a server's configuration.
    package var configuration: String {
        "tls { cert_file: \"\(serverCertificate)\", key_file: \"\(serverKey)\" }"
    }
}
