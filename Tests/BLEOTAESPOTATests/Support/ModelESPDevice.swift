import BLEOTA
import Testing

@testable import BLEOTAESPOTA

/// A device with Espressif's OTA, as far as the machine can tell.
struct ModelESPDevice {
    enum Kind: CaseIterable {
        /// It answers each packet that it does not expect, and forgets an update when it is told to
        /// stop. Until then it accepts no start.
        case strict
        /// It forgets an update when the link is lost.
        case forgetful
        /// It keeps its place over everything, appends also what it does not expect, and restarts
        /// by itself after the last sector.
        case careless
        /// As the careless one, but it looks at no CRC.
        case unchecked

        static let checked = [strict, forgetful, careless]
        var appendsAnything: Bool { self == .careless || self == .unchecked }
    }

    typealias Answers = [(value: [UInt8], channel: ESPMessage.Channel)]

    private static let bufferByteCount = 4_098

    let kind: Kind
    var window: UInt8 = 0
    private(set) var firmware: [UInt8] = []
    private(set) var isActivated = false
    private(set) var isRestarting = false
    private var sector = 0
    private var number: UInt8 = 0
    private var buffer: [UInt8] = []
    private var byteCount: Int?

    init(_ kind: Kind, window: UInt8 = 0) {
        self.kind = kind
        self.window = window
    }

    // MARK: - Commands

    mutating func command(_ value: [UInt8]) -> Answers {
        #expect(value.count == 20)
        switch value[0] {
        case 1:
            if kind == .strict, byteCount != nil { return [Self.answer(1, 1)] }
            byteCount = value[2..<6].reversed().reduce(0) { $0 << 8 | Int($1) }
            if !kind.appendsAnything { forget() }
            return [Self.answer(1, 0, window)]
        case 2:
            if byteCount == nil { return [Self.answer(2, 1)] }
            isActivated = byteCount == firmware.count
            isRestarting = isActivated
            byteCount = nil
            return [Self.answer(2, 0)]
        default: return [Self.answer(value[0], 1)]
        }
    }

    mutating func linkLost() {
        isRestarting = false
        if kind == .forgetful { byteCount = nil }
    }

    private mutating func forget() {
        (sector, firmware) = (0, [])
        dropSector()
    }

    private mutating func dropSector() { (number, buffer) = (0, []) }

    // MARK: - Firmware

    mutating func packet(_ value: [UInt8]) -> Answers {
        guard let byteCount else { return [] }
        let index = Int(value[0]) | Int(value[1]) << 8
        let isLast = value[2] == 0xFF
        var answers: Answers = []
        if index != sector { answers.append(Self.sector(index, 2, wanted: sector)) }
        if !kind.appendsAnything {
            if index != sector { return answers }
            if !isLast, value[2] != number { return [Self.sector(index, 3, wanted: sector)] }
        }
        buffer += value[3...]
        number &+= 1
        #expect(buffer.count <= Self.bufferByteCount, "The device writes past its buffer.")
        guard isLast else { return answers }
        let content = buffer.dropLast(2)
        let isRight =
            kind == .unchecked
            || buffer.suffix(2) == ESPMessage.bytes(CRC16.checksum(of: content))[...]
        dropSector()
        guard isRight else { return answers + [Self.sector(index, 1, wanted: sector)] }
        firmware += content
        sector += 1
        if kind == .careless, firmware.count == byteCount {
            (isActivated, isRestarting) = (true, true)
        }
        return answers + [Self.sector(index, 0, wanted: 0)]
    }

    // MARK: - Answers

    static func answer(
        _ command: UInt8,
        _ status: UInt8,
        _ window: UInt8 = 0
    ) -> (value: [UInt8], channel: ESPMessage.Channel) {
        (sealed([3, 0, command, 0, status, 0, window]), .command)
    }

    static func sector(
        _ index: Int,
        _ status: UInt8,
        wanted: Int
    ) -> (value: [UInt8], channel: ESPMessage.Channel) {
        let index = ESPMessage.bytes(UInt16(index))
        return (sealed(index + [status, 0] + ESPMessage.bytes(UInt16(wanted))), .firmware)
    }

    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let padded = bytes + [UInt8](repeating: 0, count: 18 - bytes.count)
        return padded + ESPMessage.bytes(CRC16.checksum(of: padded[...]))
    }
}
