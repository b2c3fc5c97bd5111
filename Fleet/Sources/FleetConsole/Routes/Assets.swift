import HTTPTypes
import Hummingbird
import NIOCore

/// The files that pages load, which are part of the program.
enum Assets {
    private static let files: [(name: RouterPath, type: String, bytes: [UInt8])] = [
        ("console.css", "text/css; charset=utf-8", PackageResources.console_css),
        ("console.js", "text/javascript; charset=utf-8", PackageResources.console_js),
        ("icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ]

    static func add(to router: Router<ConsoleContext>) {
        for file in files {
            let body = ByteBuffer(bytes: file.bytes)
            router.get(file.name) { _, _ in
                // They have no names with versions, so a browser keeps them briefly.
                Response(
                    status: .ok,
                    headers: [.contentType: file.type, .cacheControl: "max-age=60"],
                    body: ResponseBody(byteBuffer: body)
                )
            }
        }
    }
}
