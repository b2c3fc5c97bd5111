#!/usr/bin/env python3
"""In the guest: controllers of Bumble for the kernel and for one more stack, which share the air.

    air.py CONTROLLERS SOCKET

btvirt's controllers are the kernel's alone, and a link of theirs never times out. These are hci0 and
following, with the addresses that btvirt's have, and one behind SOCKET, which takes a host that speaks H4,
one at a time. When that host goes away, its links end as with a supervision timeout, and it advertises no
more. The one behind SOCKET-27 has no data length extension. They run as long as the guest does.

What Bumble's controllers announce and do not do, or do in another way than a radio, is mended here.
"""
import asyncio
import os
import sys

from bumble import controller, hci, ll
from bumble.link import LocalLink
from bumble.transport.common import StreamPacketSource

# The longest payload of a link-layer packet with the data length extension, and what it takes to send.
PACKET_BYTES, PACKET_MICROSECONDS = 251, 2120
# And without it.
SHORT_PACKET_BYTES, SHORT_PACKET_MICROSECONDS = 27, 328
# How many packets the hosts may hand over ahead.
BUFFER_COUNT = 8
VENDOR, BREDR_OR_LE = 0xFF, 0
LOCAL_HOST = hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR
SUPERVISION_TIMEOUT = hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR


class Controller(controller.Controller):
    le_acl_data_packet_length = PACKET_BYTES
    total_num_le_acl_data_packets = BUFFER_COUNT
    supported_max_tx_octets = supported_max_rx_octets = suggested_max_tx_octets = PACKET_BYTES
    supported_max_tx_time = supported_max_rx_time = suggested_max_tx_time = PACKET_MICROSECONDS
    # Of extended advertising only the announcement works with the kernel, of privacy not even that.
    le_features = controller.Controller.le_features & ~(
        hci.LeFeatureMask.LL_PRIVACY
        | hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
    )

    def __init__(self, name, source, sink, link, address, lengths=(PACKET_BYTES, PACKET_MICROSECONDS)):
        super().__init__(name, source, sink, link, public_address=address)
        self.packet_bytes, self.packet_microseconds = lengths
        self.le_acl_data_packet_length = self.packet_bytes

    def on_advertising_pdu(self, pdu):
        """Bumble answers a scan with the advertisement once more, and not with its answer."""
        scans, self.le_scan_enable = self.le_scan_enable, False
        super().on_advertising_pdu(pdu)
        self.le_scan_enable = scans
        if not scans:
            return
        kinds = hci.HCI_LE_Advertising_Report_Event.EventType
        self.report(kinds.ADV_IND, pdu.advertiser_address, pdu.data)
        advertiser = self.link.find_le_controller(pdu.advertiser_address)
        if self.le_scan_type == 1 and advertiser is not None:
            answer = advertiser.le_legacy_advertiser.scan_response_data
            self.report(kinds.SCAN_RSP, pdu.advertiser_address, answer)

    def report(self, kind, address, data):
        report = hci.HCI_LE_Advertising_Report_Event.Report(
            event_type=kind,
            address_type=address.address_type,
            address=address,
            data=data,
            rssi=-50,
        )
        self.send_hci_packet(hci.HCI_LE_Advertising_Report_Event([report]))

    def other_end(self, handle):
        """The controller at the other end of a link, and the link as it has it."""
        link = self.find_le_connection_by_handle(handle)
        other = self.link.find_le_controller(link.peer_address) if link else None
        return other, other.le_connections.get(link.self_address) if other else None

    def tell_both(self, handle, event):
        self.send_hci_packet(event(handle))
        other, link = self.other_end(handle)
        if link is not None:
            other.send_hci_packet(event(link.handle))

    def on_hci_le_set_phy_command(self, command):
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.tell_both(
            command.connection_handle,
            lambda handle: hci.HCI_LE_PHY_Update_Complete_Event(
                status=0, connection_handle=handle, tx_phy=2, rx_phy=2
            ),
        )

    def on_hci_le_set_data_length_command(self, command):
        other, _ = self.other_end(command.connection_handle)
        shorter = min(self, other or self, key=lambda end: end.packet_bytes)
        self.tell_both(
            command.connection_handle,
            lambda handle: hci.HCI_LE_Data_Length_Change_Event(
                connection_handle=handle,
                max_tx_octets=shorter.packet_bytes,
                max_tx_time=shorter.packet_microseconds,
                max_rx_octets=shorter.packet_bytes,
                max_rx_time=shorter.packet_microseconds,
            ),
        )
        return hci.HCI_StatusAndConnectionHandleReturnParameters(
            status=0, connection_handle=command.connection_handle
        )

    def on_hci_read_remote_version_information_command(self, command):
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        self.send_hci_packet(
            hci.HCI_Read_Remote_Version_Information_Complete_Event(
                status=0,
                connection_handle=command.connection_handle,
                version=9,
                manufacturer_name=0xFFFF,
                subversion=0,
            )
        )

    def on_hci_disconnect_command(self, command):
        """Bumble tells its host of the end as if the other end had asked for it."""
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        link = self.find_le_connection_by_handle(command.connection_handle)
        if link is not None:
            link.send_ll_control_pdu(ll.TerminateInd(command.reason))
            self.on_le_disconnected(link, LOCAL_HOST)

    def lose_host(self):
        """Its host is gone without a word, and the radio with it."""
        self.le_legacy_advertiser.stop()
        self.le_scan_enable = False
        self.pending_le_connection = None
        for link in list(self.le_connections.values()):
            link.send_ll_control_pdu(ll.TerminateInd(SUPERVISION_TIMEOUT))
        self.le_connections.clear()


def carry(self, pdu):
    """Bumble's links know a sender by its random address only."""
    other = self.link.find_le_controller(self.peer_address)
    if other is not None:
        loop = asyncio.get_running_loop()
        loop.call_soon(other.on_link_acl_data, self.self_address, self.transport, pdu)


controller.Connection.on_acl_pdu = carry


class Descriptor:
    """A host behind a file descriptor that takes and gives whole packets: the kernel."""

    def __init__(self):
        self.descriptor = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK)
        os.write(self.descriptor, bytes([VENDOR, BREDR_OR_LE]))

    def on_packet(self, packet):
        os.write(self.descriptor, packet)

    def read_into(self, source):
        packet = os.read(self.descriptor, 4096)
        # The answer to what was written first.
        if packet[0] != VENDOR:
            source.parser.feed_data(packet)


class Visitor:
    """A host that comes and goes."""

    writer = None

    def on_packet(self, packet):
        if self.writer is not None:
            self.writer.write(packet)


def add_kernel(link, number):
    source, host = StreamPacketSource(), Descriptor()
    address = f"00:AA:01:{number:02X}:00:{number:02X}"
    Controller(f"hci{number}", source, host, link, address)
    asyncio.get_running_loop().add_reader(host.descriptor, host.read_into, source)


async def serve(link, path, address, *lengths):
    source, visitor = StreamPacketSource(), Visitor()
    device = Controller("device", source, visitor, link, address, *lengths)

    # A host that comes while another is there waits until that has gone: so a stack can begin anew at once.
    turn = asyncio.Lock()

    async def take(reader, writer):
        async with turn:
            visitor.writer = writer
            source.parser.reset()
            try:
                while data := await reader.read(65536):
                    source.data_received(data)
            except ConnectionError:
                pass
            finally:
                visitor.writer = None
                device.lose_host()
                writer.close()

    return await asyncio.start_unix_server(take, path)


async def main():
    count, path = int(sys.argv[1]), sys.argv[2]
    link = LocalLink()
    server = await serve(link, path, "00:AA:01:DE:00:DE")
    short = (SHORT_PACKET_BYTES, SHORT_PACKET_MICROSECONDS)
    others = await serve(link, f"{path}-27", "00:AA:01:DE:00:27", short)
    for number in range(count):
        add_kernel(link, number)
    await asyncio.gather(server.serve_forever(), others.serve_forever())


if __name__ == "__main__":
    asyncio.run(main())
