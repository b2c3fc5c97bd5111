#!/usr/bin/env python3
"""Examples/HawkBit/gateway.py between a server with hawkBit's API and a real receiver."""
import json, os, signal, subprocess, sys, unittest

import ddi_server
from support import IMAGE, ROOT, SECONDS, SLOWLY, AgentTest, Lines, Receiver

GATEWAY = os.path.join(ROOT, "Examples", "HawkBit", "gateway.py")


class HawkBitTest(AgentTest):
    def setUp(self):
        super().setUp()
        self.server = ddi_server.Server()
        self.addCleanup(self.server.end)

    def begin(self, target, **config):
        self.write(json.dumps({
            "server": self.server.url, "tenant": ddi_server.TENANT, "retrySeconds": 0.2,
            "gatewayToken": ddi_server.TOKEN, "folder": self.path("gateway"),
            "devices": {ddi_server.TARGET: target}} | config), "gateway.json")
        gateway = self.start([sys.executable, GATEWAY, self.path("gateway.json")],
                             env=self.environment(), stderr=subprocess.PIPE)
        gateway.lines = Lines(gateway.stderr)
        return gateway

    def statuses(self, kind="deploymentBase"):
        return [status for each, status in self.server.feedback if each == kind]

    def assert_closed(self, finished, status):
        self.assertEqual((status["execution"], status["result"]["finished"]), ("closed", finished))

    def assert_no_faults(self):
        self.assertEqual(self.server.faults, [])

    def test_an_image_is_downloaded_pushed_and_reported(self):
        receiver = Receiver(self, "lamp")
        self.begin(receiver.socket)
        self.server.assign(IMAGE)
        self.assert_closed("success", self.server.wait_for_end())
        self.assertEqual(receiver.image(), IMAGE)
        executions = [status["execution"] for status in self.statuses()]
        self.assertEqual(executions[:2], ["download", "downloaded"])
        self.assertEqual(set(executions[2:-1]), {"proceeding"})
        progress = [status["result"]["progress"] for status in self.statuses()[2:-1]]
        self.assertEqual(progress[-1], {"cnt": 100, "of": 100})
        self.assertEqual(self.server.attributes, {"bleota": receiver.socket})
        self.assert_no_faults()

    def test_a_second_order_of_the_same_image_neither_downloads_nor_sends_it(self):
        receiver = Receiver(self, "lamp")
        self.begin(receiver.socket)
        for _ in range(2):
            self.server.assign(IMAGE)
            self.assert_closed("success", self.server.wait_for_end())
            self.server.feedback.clear()
        receiver.wait_for("alreadyCurrent")
        self.assertEqual(self.server.ranges, [0])
        self.assert_no_faults()

    def test_an_image_that_the_device_refuses_fails_with_its_sentence_and_code(self):
        _, public = self.key()
        receiver = Receiver(self, "lamp", "--trust", public)
        self.begin(receiver.socket)
        self.server.assign(IMAGE)
        status = self.server.wait_for_end()
        self.assert_closed("failure", status)
        self.assertEqual(status["code"], 65)
        self.assertIn("sign the image", status["details"][0])
        self.assertIsNone(receiver.image())
        self.assert_no_faults()

    def test_a_device_that_is_away_is_tried_again_and_reported_once(self):
        target = f"unix:{self.path('late.socket')}"
        gateway = self.begin(target)
        self.server.assign(IMAGE)
        for _ in range(2):
            gateway.lines.wait_for(lambda line: line.startswith("bleota: No process is listening"))
        receiver = Receiver(self, "late")
        self.assert_closed("success", self.server.wait_for_end())
        self.assertEqual(receiver.image(), IMAGE)
        away = [status for status in self.statuses() if "tries again" in status["details"][0]]
        self.assertEqual(len(away), 1)
        self.assertIn("No process is listening", away[0]["details"][0])
        self.assert_no_faults()

    def test_a_killed_gateway_takes_its_push_with_it_and_the_next_one_resumes(self):
        receiver = Receiver(self, "lamp")
        self.push_with(SLOWLY)
        gateway = self.begin(receiver.socket)
        self.server.assign(IMAGE)
        self.server.wait_for_progress(30)
        gateway.send_signal(signal.SIGKILL)
        gateway.wait(SECONDS)
        receiver.wait_for("ended")
        self.assertIsNone(receiver.image())
        self.push_with([])
        self.begin(receiver.socket)
        self.assert_closed("success", self.server.wait_for_end())
        self.assertGreaterEqual(receiver.wait_for("started")["resumedFromByte"],
                                len(IMAGE) * 3 // 10)
        self.assertEqual(receiver.image(), IMAGE)
        self.assertEqual(self.server.ranges, [0])
        self.assert_no_faults()

    def test_a_cancellation_ends_the_push(self):
        receiver = Receiver(self, "lamp")
        self.push_with(SLOWLY)
        self.begin(receiver.socket)
        self.server.assign(IMAGE)
        self.server.wait_for_progress(20)
        self.server.cancel()
        self.assert_closed("success", self.server.wait_for_end("cancelAction"))
        receiver.wait_for("ended")
        self.assertIsNone(receiver.image())
        # The next order is carried out.
        self.push_with([])
        self.server.assign(IMAGE)
        self.assert_closed("success", self.server.wait_for_end())
        self.assert_no_faults()

    def test_a_cancellation_that_comes_too_late_is_rejected(self):
        receiver = Receiver(self, "lamp")
        # So long between two looks at the server that the push ends before the second one.
        self.push_with(SLOWLY)
        self.begin(receiver.socket, retrySeconds=600)
        self.server.assign(IMAGE)
        self.server.wait_for_progress(20)
        self.server.cancel()
        self.assert_closed("success", self.server.wait_for_end())
        self.assertEqual([each["execution"] for each in self.statuses("cancelAction")],
                         ["rejected"])
        self.assertEqual(receiver.image(), IMAGE)
        self.assert_no_faults()

    def test_a_download_that_is_cut_off_resumes(self):
        receiver = Receiver(self, "lamp")
        self.begin(receiver.socket)
        self.server.assign(IMAGE, cut_after=100_000)
        self.assert_closed("success", self.server.wait_for_end())
        self.assertEqual(self.server.ranges, [0, 100_000])
        self.assertEqual(receiver.image(), IMAGE)
        self.assert_no_faults()

    def test_an_artifact_without_its_hash_is_not_pushed(self):
        receiver = Receiver(self, "lamp")
        self.begin(receiver.socket)
        self.server.assign(IMAGE, served=IMAGE[::-1])
        status = self.server.wait_for_end()
        self.assert_closed("failure", status)
        self.assertIn("does not have its SHA-256", status["details"][0])
        self.assertIsNone(receiver.image())
        self.assert_no_faults()

    def test_a_damaged_part_of_a_download_is_downloaded_again(self):
        receiver = Receiver(self, "lamp")
        self.server.assign(IMAGE)
        digest = self.server.artifact["hashes"]["sha256"]
        self.write(b"damaged", "gateway", digest, "lamp.bin.part")
        self.begin(receiver.socket)
        self.assert_closed("success", self.server.wait_for_end())
        self.assertEqual(self.server.ranges, [7, 0])
        self.assertEqual(receiver.image(), IMAGE)

    def test_the_token_stays_with_the_server(self):
        receiver = Receiver(self, "lamp")
        self.server.elsewhere = self.server.serve(ddi_server.Elsewhere)
        self.begin(receiver.socket)
        self.server.assign(IMAGE)
        self.assert_closed("success", self.server.wait_for_end())
        self.assert_no_faults()

    def test_outside_of_a_maintenance_window_the_artifact_is_only_downloaded(self):
        receiver = Receiver(self, "lamp")
        self.begin(receiver.socket)
        self.server.assign(IMAGE, update="skip")
        self.server.wait_for_orders(3)
        self.assertEqual([each["execution"] for each in self.statuses()],
                         ["download", "downloaded"])
        self.assertIsNone(receiver.image())
        self.server.update = "attempt"
        self.assert_closed("success", self.server.wait_for_end())
        self.assertEqual(receiver.image(), IMAGE)
        self.assert_no_faults()

    def test_a_wrong_token_and_a_wrong_configuration_are_told(self):
        gateway = self.begin("unix:nobody.socket", gatewayToken="wrong")
        gateway.lines.wait_for(lambda line: "401" in line and "check" in line)
        second = self.begin("unix:nobody.socket")
        self.assertEqual(second.wait(SECONDS), 1)
        self.assertIn("give each its own", second.lines.rest())
        third = self.begin("unix:nobody.socket", folder=self.path("other"), devices=["kitchen"])
        self.assertEqual(third.wait(SECONDS), 1)
        self.assertIn("configuration can't be used", third.lines.rest())


if __name__ == "__main__":
    unittest.main()
