import Glibc
import Testing

@testable import DBus

/// Paths, rules and the short ways to what is in a value: no bus is needed.
@Suite
struct SmallValueTests {
    @Test(
        "A path is made of elements",
        arguments: ["/", "/a", "/org/bluez/hci0/dev_AA_BB", "/_/0", "/A/z9"]
    )
    func paths(_ text: String) throws {
        let path = try #require(ObjectPath(text))
        #expect(path.text == text && path.description == text)
    }

    @Test(
        "All else is no path",
        arguments: ["", "a", "a/b", "//", "/a/", "/a//b", "/a b", "/ü", "/a-b", "/a\0", "/a/."]
    )
    func noPaths(_ text: String) { #expect(ObjectPath(text) == nil) }

    @Test("A path knows its family")
    func family() {
        let adapter = ObjectPath.root.appending("org").appending("hci1")
        #expect(adapter.text == "/org/hci1" && adapter.lastElement == "hci1")
        #expect(adapter.parent == ObjectPath("/org") && adapter.parent?.parent == .root)
        #expect(ObjectPath.root.parent == nil && ObjectPath.root.lastElement == "")
        #expect(adapter.isBelow(.root) && adapter.isBelow(ObjectPath("/org")!))
        #expect(!adapter.isBelow(adapter) && !ObjectPath.root.isBelow(.root))
        #expect(!ObjectPath("/org/hci10")!.isBelow(adapter) && ObjectPath("/a")! < adapter)
    }

    @Test("A rule is written as the bus reads it")
    func rules() {
        let short = MatchRule(sender: "org.bluez", interface: "a.B")
        #expect(short.text == "type='signal',sender='org.bluez',interface='a.B'")
        let long = MatchRule(
            sender: "org.bluez",
            interface: "a.B",
            member: "C",
            namespace: .root,
            firstArgument: "it's"
        )
        #expect(long.text == short.text + #",member='C',path_namespace='/',arg0='it'\''s'"#)
    }

    @Test("The short ways look through variants, and find nothing in other types")
    func shortWays() {
        let number = BusValue.variant(.variant(.uint64(.max)))
        #expect(number.integer == nil && number.unwrapped == .uint64(.max))
        #expect(BusValue.variant(.int16(-3)).integer == -3 && BusValue.byte(3).text == nil)
        #expect(BusValue.variant(.path(.root)).text == "/" && BusValue.signature("s").text == "s")
        #expect(BusValue.variant(.path(.root)).objectPath == .root)
        #expect(BusValue.string("/").objectPath == nil && BusValue.string("t").flag == nil)
        #expect(BusValue.variant(.boolean(true)).flag == true)
        #expect(BusValue.bytes([1]).elements == [.byte(1)])
        #expect(BusValue.variant(.bytes([1])).byteArray == [1])
        #expect(BusValue.strings([]).byteArray == nil && BusValue.byte(0).elements == nil)
        #expect(
            BusValue.array(of: "v", [.variant(.string("a")), .variant(.byte(1))]).texts == ["a"]
        )
        let twice = BusValue.dictionary(
            of: "{sv}",
            [
                .init(.string("a"), .variant(.byte(1))), .init(.string("a"), .variant(.byte(2))),
                .init(.byte(0), .variant(.byte(3))),
            ]
        )
        #expect(twice.properties == ["a": .byte(2)])
        #expect(BusValue.byte(0).properties == nil && BusValue.byte(0).fileDescriptor == nil)
    }

    @Test("Every value says its signature")
    func signatures() {
        let value = BusValue.structure([
            .byte(0), .boolean(true), .int16(0), .uint16(0), .int32(0), .uint32(0), .int64(0),
            .uint64(0), .double(0), .string(""), .path(.root), .signature(""), .bytes([]),
            .strings([]), .options([:]), .variant(.byte(0)), .descriptor(BusDescriptor(owning: -1)),
        ])
        #expect(value.typeSignature == "(ybnqiuxtdsogayasa{sv}vh)")
    }

    @Test("A descriptor is closed once, and by the last reference")
    func descriptor() {
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        let reading = BusDescriptor(owning: ends[0])
        do {
            let writing = BusDescriptor(owning: ends[1])
            #expect(writing.withNumber { write($0, "a", 1) } == 1)
        }
        for count in [1, 0] {
            let result = reading.withNumber { number in
                var bytes: [UInt8] = [0, 0]
                return read(number, &bytes, 2)
            }
            #expect(result == count)
        }
        reading.close()
        reading.close()
        #expect(reading.isClosed && BusDescriptor(owning: -1).isClosed)
    }

    @Test("Our own mistakes trap: text with NUL, a structure without fields")
    func mistakes() async {
        await #expect(processExitsWith: .failure) { try writeCall(.string("a\0b")) }
        await #expect(processExitsWith: .failure) { try writeCall(.structure([])) }
        await #expect(processExitsWith: .success) { try writeCall(.string("ab")) }
    }
}

private func writeCall(_ value: BusValue) throws {
    let call = MethodCall("a.b", at: .root, "a.b", "C", [value])
    _ = try MessageWriter.call(call, expectsReply: true)
}
