/// An error that a device reports.
package struct SMPError: Error, Sendable, Hashable {
    /// The group that defines the code; `nil` for a code of SMP itself.
    package let group: Int?
    package let code: Int

    package init(group: Int?, code: Int) {
        self.group = group
        self.code = code
    }

    /// Codes without a group. Source: Zephyr, "SMP Protocol Specification".
    package enum Code {
        package static let unknown = 1
        package static let noMemory = 2
        package static let invalid = 3
        package static let timeout = 4
        package static let notFound = 5
        package static let badState = 6
        package static let tooLarge = 7
        package static let notSupported = 8
        package static let corrupt = 9
        package static let busy = 10
        package static let denied = 11
    }

    /// Whether the device does not support the command.
    package var isUnsupported: Bool { group == nil && code == Code.notSupported }

    /// Whether the same request may succeed later.
    package var isTransient: Bool {
        group == nil && (code == Code.busy || code == Code.noMemory || code == Code.timeout)
    }

    /// The code in a form that a person can look up.
    package var text: String {
        group.map { "SMP group \($0), error \(code)" } ?? "SMP error \(code)"
    }

    /// What happened, as a clause after "because".
    package var cause: String {
        switch (group, code) {
        case (nil, Code.noMemory): "it is out of memory"
        case (nil, Code.invalid): "it found the request invalid"
        case (nil, Code.timeout): "it took too long"
        case (nil, Code.notFound): "it has no such entry"
        case (nil, Code.badState): "its state does not permit that"
        case (nil, Code.tooLarge): "the message was too long for it"
        case (nil, Code.notSupported): "its firmware lacks that command"
        case (nil, Code.corrupt): "it found the data damaged"
        case (nil, Code.busy): "it is busy"
        case (nil, Code.denied): "it does not permit that"
        case (1?, let code): Self.imageCauses[code] ?? "of an error unknown to this release"
        default: "of an error unknown to this release"
        }
    }

    /// Codes of the image group. Source: Zephyr, "SMP Groups", image management.
    private static let imageCauses: [Int: String] = [
        2: "it could not query its flash",
        3: "the slot has no image",
        4: "the image lacks its TLVs",
        5: "the image has a TLV that it can't use",
        6: "the image has several hashes",
        7: "a TLV of the image is invalid",
        8: "it has no image with that hash",
        9: "it has no free slot",
        10: "it could not open its flash",
        11: "it could not read its flash",
        12: "it could not write its flash",
        13: "it could not erase its flash",
        14: "it has no such slot",
        15: "its heap is full",
        16: "its flash area is already in use",
        17: "its flash area is not open",
        18: "its flash area has no flash driver",
        19: "it could not find the page in its flash",
        20: "the request lacked the offset",
        21: "the request lacked the length",
        22: "the first part is shorter than the header of an image",
        23: "the file is not an MCUboot image",
        24: "the hash has the wrong length",
        25: "the image was built for another load address",
        26: "it could not read the version of the image that it runs",
        27: "the image is not newer than the one that it runs",
        28: "an update is already pending",
        29: "the vector table of the image is invalid",
        30: "the image is larger than its slot",
        31: "more data arrived than was announced",
        32: "it does not permit the image to be confirmed",
        33: "the running image can't be marked for a test",
        34: "it could not determine the active slot",
    ]
}
