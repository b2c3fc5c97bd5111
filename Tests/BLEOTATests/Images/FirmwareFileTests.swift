import Glibc
import SystemPackage
import Testing

@testable import BLEOTA

@Suite("Firmware files")
struct FirmwareImageTests {
    private let scratch = ImageScratch()

    private func error(opening path: FilePath) -> FirmwareError? {
        imageError { () throws(FirmwareError) in try FirmwareFile(contentsOf: path) }
    }

    @Test("A raw file is sent as it is")
    func raw() throws {
        var random = ImageRandom()
        let bytes = [0] + random.bytes(200_000)
        let image = try FirmwareFile(contentsOf: scratch.write(bytes, to: "firmware.bin"))
        #expect(image.format == .raw)
        #expect(image.name == "firmware.bin")
        #expect(image.byteCount == bytes.count)
        #expect(try image.allBytes() == bytes)
        for _ in 0..<200 {
            let offset = Int.random(in: 0...bytes.count, using: &random)
            let byteCount = Int.random(in: 0...(bytes.count - offset), using: &random)
            let read = try image.read(at: offset, byteCount: byteCount)
            #expect(read.elementsEqual(bytes[offset..<(offset + byteCount)]))
        }
    }

    @Test("A read into a buffer fills it and touches nothing else")
    func readInto() throws {
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        let images = [
            try FirmwareFile(contentsOf: scratch.write(bytes, to: "firmware.bin")),
            try FirmwareFile(bytes: bytes, name: "firmware.bin"),
        ]
        for image in images {
            var buffer = [UInt8](repeating: 0xAA, count: 4)
            try buffer.withUnsafeMutableBytes { buffer in
                try image.read(at: 3, into: UnsafeMutableRawBufferPointer(rebasing: buffer[1..<3]))
            }
            #expect(buffer == [0xAA, 4, 5, 0xAA])
        }
    }

    @Test("Many tasks may read one image at the same time")
    func concurrentReads() async throws {
        var random = ImageRandom()
        let bytes = [0] + random.bytes(100_000)
        let image = try FirmwareFile(contentsOf: scratch.write(bytes, to: "firmware.bin"))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for start in stride(from: 0, to: bytes.count, by: 997) {
                group.addTask {
                    let byteCount = min(997, bytes.count - start)
                    let read = try image.read(at: start, byteCount: byteCount)
                    return read.elementsEqual(bytes[start..<(start + byteCount)])
                }
            }
            for try await isEqual in group { #expect(isEqual) }
        }
    }

    @Test("The descriptor closes with the last copy, and with an error")
    func descriptor() throws {
        let path = scratch.write([1, 2, 3], to: "firmware.bin")
        var image: FirmwareFile? = try FirmwareFile(contentsOf: path)
        var copy = image
        #expect(openDescriptorCount(of: path) == 1)
        image = nil
        #expect(try copy?.allBytes() == [1, 2, 3])
        copy = nil
        #expect(openDescriptorCount(of: path) == 0)
        let hex = scratch.write(HexWriter.file(HexWriter.data(at: 0, [1])), to: "firmware.hex")
        let decoded = try FirmwareFile(contentsOf: hex)
        #expect(openDescriptorCount(of: hex) == 0)
        #expect(try decoded.allBytes() == [1])
        for (name, bytes) in [("empty", []), ("broken.hex", Array(":00".utf8))] {
            let path = scratch.write(bytes, to: name)
            #expect(error(opening: path) != nil)
            #expect(openDescriptorCount(of: path) == 0)
        }
    }

    private func openDescriptorCount(of path: FilePath) -> Int {
        (0..<1_024).count { descriptor in
            var target = [CChar](repeating: 0, count: 4_096)
            let length = readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1)
            return length > 0 && FilePath(platformString: target) == path
        }
    }

    // MARK: A file that changes

    @Test("A file that is cut, grown or written in place gives an error, never a signal")
    func changes() throws {
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let changes: [(change: [UInt8], what: String)] = [
            ([UInt8](repeating: 7, count: 4_000), "it had 10000 bytes and now has 4000"),
            ([], "it had 10000 bytes and now has 0"),
            (bytes + [8], "it had 10000 bytes and now has 10001"),
            ([UInt8](repeating: 8, count: 10_000), "it was written to"),
        ]
        for (change, what) in changes {
            let path = scratch.write(bytes, to: "firmware.bin")
            let image = try FirmwareFile(contentsOf: path)
            #expect(try image.allBytes() == bytes)
            scratch.overwrite(path, with: change)
            for (offset, byteCount) in [(0, 10_000), (0, 1), (3_990, 20), (9_999, 1)] {
                let error = imageError { () throws(FirmwareError) in
                    try image.read(at: offset, byteCount: byteCount)
                }
                #expect(error?.code == .changed)
                #expect(
                    error?.description
                        == "\(path) changed while it was in use: \(what); "
                        + "wait until nothing writes to it, then start again."
                )
            }
        }
    }

    @Test("A file that is replaced under its name, renamed or removed goes on as it was")
    func replaced() throws {
        let path = scratch.write([1, 2, 3], to: "firmware.bin")
        let image = try FirmwareFile(contentsOf: path)
        let other = scratch.write([9, 9, 9, 9], to: "new.bin")
        #expect(rename(other.string, path.string) == 0)
        #expect(try image.allBytes() == [1, 2, 3])
        #expect(unlink(path.string) == 0)
        #expect(try image.allBytes() == [1, 2, 3])
    }

    // MARK: Files that are no image

    @Test("What is missing, empty or no regular file is told apart")
    func wrongKinds() throws {
        let empty = scratch.write([], to: "empty.bin")
        let pipe = scratch.path("pipe")
        #expect(mkfifo(pipe.string, 0o600) == 0)
        let socket = try boundSocket(scratch.path("socket"))
        defer { close(socket) }
        let cases: [(FilePath, FirmwareError.Code, String)] = [
            ("", .missing, "The path is empty; choose a firmware file."),
            (
                scratch.path("none"), .missing,
                "\(scratch.path("none")) does not exist; check the path."
            ),
            (
                empty.appending("below"), .missing,
                "\(empty)/below does not exist, because part of its path is not a directory; check "
                    + "the path."
            ),
            (empty, .empty, "\(empty) is empty; build it again, or choose another file."),
            (
                scratch.directory, .isDirectory,
                "\(scratch.directory) is a directory; choose the firmware file inside it."
            ),
            (
                pipe, .notRegularFile,
                "\(pipe) is a pipe, but an image must be read more than once; save it to a regular "
                    + "file and use that."
            ),
            (
                scratch.path("socket"), .notRegularFile,
                "\(scratch.path("socket")) is a socket, but an image must be read more than once; "
                    + "save it to a regular file and use that."
            ),
            (
                "/dev/zero", .notRegularFile,
                "/dev/zero is a device, but an image must be read more than once; save it to a "
                    + "regular file and use that."
            ),
        ]
        for (path, code, sentence) in cases {
            let error = error(opening: path)
            #expect(error?.code == code)
            #expect(error?.description == sentence)
            #expect(error?.line == nil)
        }
        let nothing = imageError { () throws(FirmwareError) in
            try FirmwareFile(bytes: [], name: "")
        }
        #expect(nothing?.code == .empty)
        #expect(
            nothing?.description == "The image is empty; build it again, or choose another file."
        )
    }

    private func boundSocket(_ path: FilePath) throws -> CInt {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }

    @Test("A symbolic link leads to its file, and one that leads nowhere is told")
    func links() throws {
        let path = scratch.write([1, 2], to: "target.bin")
        let link = scratch.path("latest.bin")
        #expect(symlink(path.string, link.string) == 0)
        let image = try FirmwareFile(contentsOf: link)
        #expect(image.name == "latest.bin")
        #expect(try image.allBytes() == [1, 2])
        #expect(unlink(path.string) == 0)
        #expect(error(opening: link)?.code == .missing)
        let loop = scratch.path("loop")
        #expect(symlink("loop", loop.string) == 0)
        let error = error(opening: loop)
        #expect(error?.code == .io)
        #expect(
            error?.description
                == "\(loop) can't be opened: Too many levels of symbolic links; fix the cause, "
                + "then try again."
        )
    }

    @Test("A file that may not be read is told", .enabled(if: geteuid() != 0, "root may read all"))
    func unreadable() {
        let path = scratch.write([1], to: "secret.bin")
        #expect(chmod(path.string, 0) == 0)
        #expect(error(opening: path)?.code == .unreadable)
    }

    @Test("Refusals of the system have their sentences")
    func systemErrors() {
        let sentences: [(FirmwareError, FirmwareError.Code, String)] = [
            (
                .opening("a.bin", .permissionDenied), .unreadable,
                "a.bin is not readable by this user; change its permissions, or copy it elsewhere."
            ),
            (
                .opening("a.bin", .notPermitted), .unreadable,
                "a.bin is not readable by this user; change its permissions, or copy it elsewhere."
            ),
            (
                .opening("a.bin", .tooManyOpenFiles), .io,
                "a.bin can't be opened: Too many open files; fix the cause, then try again."
            ),
            (
                .reading("a.bin", .ioError), .io,
                "a.bin can't be read: Input/output error; check its disk, then try again."
            ),
        ]
        for (error, code, sentence) in sentences {
            #expect(error.code == code)
            #expect(error.description == sentence)
        }
    }

    @Test("An image has at most 2³² − 1 bytes")
    func sizes() throws {
        let largest = scratch.writeSparse([0], byteCount: 4_294_967_295, to: "largest.bin")
        let image = try FirmwareFile(contentsOf: largest)
        #expect(image.byteCount == 4_294_967_295)
        #expect(try image.read(at: 4_294_967_294, byteCount: 1) == [0])
        let path = scratch.writeSparse([0], byteCount: 4_294_967_296, to: "larger.bin")
        let error = error(opening: path)
        #expect(error?.code == .tooLarge)
        #expect(
            error?.description
                == "\(path) is 4294967296 bytes long, but the limit is 4294967295; send a "
                + "smaller image."
        )
    }

    // MARK: Names

    @Test("A name is cut to 255 bytes between two characters")
    func longNames() throws {
        let cases: [(name: String, kept: String)] = [
            ("firmware.bin", "firmware.bin"),
            ("", ""),
            (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
            (String(repeating: "a", count: 256), String(repeating: "a", count: 255)),
            (String(repeating: "ü", count: 128), String(repeating: "ü", count: 127)),
            (String(repeating: "a", count: 254) + "é", String(repeating: "a", count: 254)),
            // The flag is one character of two scalars, of four bytes each.
            (String(repeating: "a", count: 249) + "🇸🇪x", String(repeating: "a", count: 249)),
            // One character longer than the whole name may be is cut between its scalars.
            (
                "e" + String(repeating: "\u{301}", count: 200),
                "e" + String(repeating: "\u{301}", count: 127)
            ),
        ]
        for (name, kept) in cases {
            let image = try FirmwareFile(bytes: [1], name: name)
            #expect(image.name.unicodeScalars.elementsEqual(kept.unicodeScalars))
            #expect(image.name.utf8.count <= 255)
        }
    }

    @Test("A file name that is no UTF-8 is repaired, and control characters are not printed")
    func oddNames() throws {
        let invalid = FilePath(
            platformString: scratch.directory.string.utf8CString.dropLast() + [
                0x2F, 0x61, -1, 0x62, 0,
            ]
        )
        scratch.overwrite(invalid, with: [1])
        #expect(try FirmwareFile(contentsOf: invalid).name == "a\u{FFFD}b")
        let error = error(opening: "no\u{1B}[2Jsuch\u{202E}file")
        #expect(error?.fileName == "no?[2Jsuch?file")
        #expect(error?.description == "no?[2Jsuch?file does not exist; check the path.")
    }
}
