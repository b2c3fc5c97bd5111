import BLEOTA
import BLEOTACore
import Testing

@testable import BLEOTAESPOTA

@Suite("The machine of Espressif's OTA")
struct MachineTests {
    @Test("An image of one packet: start, sector, stop")
    func small() throws {
        var talk = ESPConversation([0xE9, 1, 2])
        talk.linkUp()
        #expect(talk.actions() == [.command(ESPMessage.start(byteCount: 3))])
        try talk.answer(1)
        let crc = ESPMessage.bytes(CRC16.checksum(of: [0xE9, 1, 2]))
        #expect(talk.actions() == [.packet([0, 0, 0xFF, 0xE9, 1, 2] + crc, isRequest: true)])
        try talk.sector(0)
        #expect(talk.machine.deviceByteCount == 3)
        #expect(talk.actions() == [.command(ESPMessage.stop)])
        #expect(talk.machine.isFinished == false)
        try talk.answer(2)
        #expect(talk.actions() == [.finish])
        #expect(talk.machine.isFinished == true)
        #expect(talk.machine.deadline == nil)
    }

    @Test("As many sectors are in flight as the device recommends, and one if it says nothing")
    func window() throws {
        for (stated, count) in [(0, 1), (1, 1), (3, 3), (200, 64)] {
            var talk = ESPConversation(sectorCount: 100)
            try talk.start(window: UInt8(stated))
            #expect(talk.sentSectors() == Array(0..<count))
            try talk.sector(0)
            #expect(talk.sentSectors() == [count])
        }
    }

    @Test("A sector with a CRC error is sent again at once")
    func crcError() throws {
        var talk = ESPConversation(sectorCount: 3)
        try talk.start()
        #expect(talk.sentSectors() == [0])
        try talk.sector(0)
        #expect(talk.sentSectors() == [1])
        try talk.sector(1, 1)
        let actions = talk.actions()
        #expect(actions.first == .note(.repeated(fromByte: 4_096)))
        #expect(actions.count == 1 + 9)
        #expect(talk.machine.counters.repeatCount == 9)
        try talk.sector(1)
        #expect(talk.sentSectors() == [2])
    }

    @Test("With several sectors in flight, the device is asked before they are sent again")
    func errorInWindow() throws {
        var talk = ESPConversation(sectorCount: 8)
        try talk.start(window: 4)
        #expect(talk.sentSectors() == [0, 1, 2, 3])
        try talk.sector(0)
        try talk.sector(1, 1)
        #expect(talk.sentSectors() == [ESPSector.indexOfNone])
        for _ in 0..<9 { try talk.sector(2, 2, wanted: 1) }
        #expect(talk.actions() == [])
        try talk.position(1)
        #expect(
            talk.actions() == [
                .note(.repeated(fromByte: 4_096)), .packet(ESPSector.broken(1), isRequest: true),
            ]
        )
        try talk.sector(1, 1)
        // The window is half as large.
        #expect(talk.sentSectors() == [1, 2])
    }

    @Test("Write commands are given up once packets are lost, if there are write requests")
    func requestsAfterLoss() throws {
        var talk = ESPConversation(sectorCount: 2, takesCommands: true)
        try talk.start()
        func isRequest(_ action: ESPAction) -> Bool? {
            if case .packet(_, let isRequest) = action { isRequest } else { nil }
        }
        #expect(Set(talk.actions().compactMap(isRequest)) == [false])
        try talk.sector(0, 1)
        #expect(Set(talk.actions().compactMap(isRequest)) == [true])
    }

    @Test("After a lost answer, the device is asked, and nothing is sent again")
    func lostAnswer() throws {
        var talk = ESPConversation(sectorCount: 2)
        try talk.start()
        #expect(talk.sentSectors() == [0])
        try talk.expire(after: .seconds(30))
        #expect(talk.sentSectors() == [ESPSector.indexOfNone])
        try talk.position(1)
        #expect(talk.sentSectors() == [1])
        try talk.expire(after: .seconds(30))
        #expect(talk.sentSectors() == [ESPSector.indexOfNone])
        try talk.position(2)
        #expect(talk.actions() == [.command(ESPMessage.stop)])
        #expect(talk.machine.counters.repeatCount == 0)
    }

    @Test("Answers that are late or repeated change nothing")
    func staleAnswers() throws {
        var talk = ESPConversation(sectorCount: 3)
        try talk.start()
        try talk.position(7)
        try talk.answer(1, 1)
        try talk.answer(2)
        #expect(talk.sentSectors() == [0])
        try talk.sector(0)
        #expect(talk.sentSectors() == [1])
        for status in UInt8(0)...3 { try talk.sector(0, status, wanted: 1) }
        for status in UInt8(0)...3 { try talk.sector(2, status, wanted: 1) }
        #expect(talk.actions() == [])
        #expect(talk.machine.deviceByteCount == 4_096)
    }

    @Test("A start that is rejected is tried again after a stop, then it is refused")
    func startRefused() throws {
        var talk = ESPConversation(sectorCount: 1)
        #expect(talk.actions().count == 1)
        try talk.answer(1, 1)
        #expect(talk.actions() == [.command(ESPMessage.stop)])
        try talk.answer(2, 1)
        #expect(talk.actions() == [.command(ESPMessage.start(byteCount: 4_096))])
        #expect(try talk.failure { try $0.answer(1, 1) } == .startRefused)
    }

    @Test("Sectors that another push has left are not trusted", arguments: [1, 2, 9])
    func leftOver(wanted: Int) throws {
        var talk = ESPConversation(sectorCount: 3)
        try talk.start()
        _ = talk.actions()
        for _ in 0..<9 { try talk.sector(0, 2, wanted: wanted) }
        #expect(talk.actions() == [.note(.forgotten), .command(ESPMessage.stop)])
        try talk.answer(2)
        try talk.start()
        #expect(talk.sentSectors() == [0])
        #expect(try talk.failure { try $0.sector(0, 2, wanted: wanted) } == .leftOver)
    }

    @Test("Over a new link, more sectors than this push has sent are not trusted")
    func leftOverOnNewLink() throws {
        var talk = ESPConversation(sectorCount: 9)
        try talk.start()
        _ = talk.actions()
        talk.machine.linkDown(hasEnded: true)
        talk.linkUp()
        try talk.start()
        #expect(talk.sentSectors() == [ESPSector.indexOfNone])
        try talk.position(2)
        #expect(talk.actions() == [.note(.forgotten), .command(ESPMessage.stop)])
        try talk.answer(2)
        try talk.start()
        #expect(talk.sentSectors() == [0])
        try talk.sector(0)
        #expect(talk.sentSectors() == [1])
    }

    @Test("A device that takes what is broken on purpose ends the push")
    func unchecked() throws {
        var talk = ESPConversation(sectorCount: 3)
        try talk.start()
        _ = talk.actions()
        try talk.expire(after: .seconds(30))
        _ = talk.actions()
        try talk.position(1)
        #expect(talk.sentSectors() == [1])
        let failure = try talk.failure { try $0.sector(ESPSector.indexOfNone) }
        #expect(failure == .unchecked)
        talk.machine.linkDown(hasEnded: false)
        talk.linkUp()
        try talk.start()
        _ = talk.actions()
        try talk.position(1)
        _ = talk.actions()
        try talk.expire(after: .seconds(30))
        _ = talk.actions()
        try talk.position(1)
        #expect(talk.sentSectors() == [1])
        #expect(try talk.failure { try $0.sector(1) } == .unchecked)
    }

    @Test("A device that keeps sectors over a lost link goes on there, others begin anew")
    func newLink() throws {
        for kept in [0, 1, 2] {
            var talk = ESPConversation(sectorCount: 4)
            try talk.start()
            _ = talk.actions()
            try talk.sector(0)
            #expect(talk.sentSectors() == [1])
            talk.machine.linkDown(hasEnded: true)
            #expect(talk.actions() == [] && talk.machine.deadline == nil)
            talk.linkUp()
            _ = talk.actions()
            try talk.answer(1)
            _ = talk.actions()
            try talk.position(kept)
            let note = ESPNote.resumed(byteCount: kept * 4_096)
            let actions = talk.actions()
            #expect(actions.first == .note(kept == 0 ? .restarted : note))
            #expect(talk.machine.deviceByteCount == kept * 4_096)
            #expect(actions.count == 1 + 9)
        }
    }

    @Test("A sector that never arrives undamaged ends the push")
    func damaged() throws {
        var talk = ESPConversation(sectorCount: 2)
        try talk.start()
        _ = talk.actions()
        try talk.sector(0)
        for _ in 0..<ESPTransfer.repeatCountMax {
            _ = talk.actions()
            try talk.sector(1, 1)
        }
        _ = talk.actions()
        #expect(try talk.failure { try $0.sector(1, 1) } == .damaged(atByte: 4_096))
    }

    @Test("A link that ends at the stop means that the device restarts; silence does not")
    func lostStop() throws {
        for hasEnded in [true, false] {
            var talk = ESPConversation(sectorCount: 1)
            try talk.start()
            _ = talk.actions()
            try talk.sector(0)
            #expect(talk.actions() == [.command(ESPMessage.stop)])
            if !hasEnded {
                try talk.expire(after: .seconds(29))
                #expect(try talk.failure { try $0.expire(after: .seconds(1)) } == .silent)
            }
            talk.machine.linkDown(hasEnded: hasEnded)
            #expect(talk.machine.isFinished == hasEnded)
        }
    }

    @Test("A stop that is rejected is refused")
    func stopRefused() throws {
        var talk = ESPConversation(sectorCount: 1)
        try talk.start()
        _ = talk.actions()
        try talk.sector(0)
        _ = talk.actions()
        #expect(try talk.failure { try $0.answer(2, 1) } == .stopRefused)
    }

    @Test("Silence is named: at once for commands, after three questions for the position")
    func silent() throws {
        var talk = ESPConversation(sectorCount: 1)
        _ = talk.actions()
        #expect(try talk.failure { try $0.expire(after: .seconds(30)) } == .silent)
        talk.machine.linkDown(hasEnded: false)
        talk.linkUp()
        try talk.start()
        #expect(talk.sentSectors() == [0])
        try talk.expire(after: .seconds(30))
        for _ in 0..<2 {
            #expect(talk.sentSectors() == [ESPSector.indexOfNone])
            try talk.expire(after: .seconds(10))
        }
        #expect(talk.sentSectors() == [ESPSector.indexOfNone])
        #expect(try talk.failure { try $0.expire(after: .seconds(10)) } == .silent)
    }

    @Test("Answers that can't be right are named")
    func notUnderstood() throws {
        var talk = ESPConversation(sectorCount: 9)
        try talk.start()
        _ = talk.actions()
        try talk.expire(after: .seconds(30))
        _ = talk.actions()
        let failure = try talk.failure { try $0.position(5) }
        #expect(failure == .notUnderstood("a request for a sector that has not been sent yet"))
    }
}
