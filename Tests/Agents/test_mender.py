#!/usr/bin/env python3
"""Examples/Mender/bleota-push, called as Mender calls an update module (protocol version 3)."""
import json, os, shutil, signal, subprocess, unittest

from support import IMAGE, ROOT, SECONDS, SLOWLY, AgentTest, Lines, Receiver

MODULE = os.path.join(ROOT, "Examples", "Mender", "bleota-push")


class MenderTest(AgentTest):
    def setUp(self):
        super().setUp()
        self.deploy({"devices": []})

    def deploy(self, meta_data, files={"lamp.bin": IMAGE}):
        """Lays the file tree of a deployment."""
        shutil.rmtree(self.path("tree"), ignore_errors=True)
        os.makedirs(self.path("tree", "tmp"))
        self.write("3\n", "tree", "version")
        self.write("bleota-push", "tree", "header", "payload_type")
        self.write(json.dumps(meta_data), "tree", "header", "meta-data")
        os.mkdir(self.path("tree", "files"))
        for name, data in files.items():
            self.write(data, "tree", "files", name)

    def begin(self, state, **environment):
        process = self.start([MODULE, state, self.path("tree")], cwd=self.path("tree"),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE,
                             env=self.environment(BLEOTA_RETRY_SECONDS="1") | environment)
        return process, Lines(process.stdout), Lines(process.stderr)

    def call(self, state, **environment):
        """Returns the exit code, the output and the errors."""
        process, output, errors = self.begin(state, **environment)
        return process.wait(SECONDS), output.rest(), errors.rest()

    def test_answers_what_mender_asks(self):
        for question in ["NeedsArtifactReboot", "SupportsRollback", "ProvidePayloadFileSizes"]:
            self.assertEqual(self.call(question), (0, "No", ""), question)
        for state in ["Download", "ArtifactCommit", "Cleanup", "ArtifactFailure",
                      "SupportsAugmentedArtifacts", "PermittedAugmentedHeaders", "OfTheFuture"]:
            self.assertEqual(self.call(state), (0, "", ""), state)

    def test_does_not_pretend_to_roll_back(self):
        code, output, errors = self.call("ArtifactRollback")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("deploy its old image", errors)

    def test_updates_all_devices_in_a_whole_deployment(self):
        receivers = [Receiver(self, name) for name in ("kitchen", "hall 2")]
        self.deploy({"devices": [each.socket for each in receivers]})
        for state in ["ProvidePayloadFileSizes", "Download", "ArtifactInstall",
                      "NeedsArtifactReboot", "ArtifactCommit", "Cleanup"]:
            code, output, errors = self.call(state)
            self.assertEqual((code, errors), (0, ""), state)
            if state == "ArtifactInstall":
                self.assertEqual(output.count(" has the image."), 2)
        for receiver in receivers:
            self.assertEqual(receiver.image(), IMAGE)

    def test_a_second_deployment_sends_nothing(self):
        receiver = Receiver(self, "kitchen")
        self.deploy({"devices": [receiver.socket]})
        for _ in range(2):
            self.assertEqual(self.call("ArtifactInstall")[0], 0)
        receiver.wait_for("stored")
        receiver.wait_for("alreadyCurrent")

    def test_a_device_that_refuses_fails_the_deployment_and_the_others_are_updated(self):
        _, public = self.key()
        strict, other = Receiver(self, "strict", "--trust", public), Receiver(self, "other")
        self.deploy({"devices": [strict.socket, other.socket]})
        code, output, errors = self.call("ArtifactInstall")
        self.assertEqual(code, 1)
        self.assertIn(f"{strict.socket}: exit code 65", errors)
        self.assertIn("sign the image", errors)
        self.assertEqual(output, f"{other.socket} has the image.")
        self.assertEqual((strict.image(), other.image()), (None, IMAGE))

    def test_a_device_that_is_away_is_tried_again(self):
        self.deploy({"devices": [f"unix:{self.path('late.socket')}"]})
        process, _, errors = self.begin("ArtifactInstall")
        errors.wait_for(lambda line: "No process is listening" in line)
        receiver = Receiver(self, "late")
        self.assertEqual(process.wait(SECONDS), 0)
        self.assertEqual(receiver.image(), IMAGE)

    def test_a_device_that_stays_away_fails_the_deployment(self):
        self.deploy({"devices": [f"unix:{self.path('never.socket')}"], "minutes": 1})
        # A pause that is longer than the whole time: one try.
        code, _, errors = self.call("ArtifactInstall", BLEOTA_RETRY_SECONDS="61")
        self.assertEqual(code, 1)
        self.assertIn("never.socket: not reached in time", errors)

    def test_a_module_that_is_told_to_end_ends_its_push_which_resumes_later(self):
        receiver = Receiver(self, "slow")
        self.push_with(SLOWLY)
        self.deploy({"devices": [receiver.socket]})
        process, _, _ = self.begin("ArtifactInstall")
        while receiver.wait_for("progress")["bytes"] < len(IMAGE) // 4:
            pass
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(SECONDS), 143)
        receiver.wait_for("ended")
        self.assertIsNone(receiver.image())
        self.push_with([])
        self.assertEqual(self.call("ArtifactInstall")[0], 0)
        self.assertGreaterEqual(receiver.wait_for("started")["resumedFromByte"], len(IMAGE) // 4)
        self.assertEqual(receiver.image(), IMAGE)

    def test_waits_for_the_confirmation_if_it_is_asked_for(self):
        # This receiver has no program that installs the image, so nothing can confirm it.
        receiver = Receiver(self, "kitchen")
        self.deploy({"devices": [receiver.socket], "waitConfirmed": True})
        code, _, errors = self.call("ArtifactInstall")
        self.assertEqual(code, 1)
        self.assertIn("exit code 65", errors)
        self.assertEqual(receiver.image(), IMAGE)

    def test_wrong_meta_data_is_refused(self):
        for wrong in [{}, {"devices": []}, {"devices": "kitchen"}, {"devices": ["--force"]},
                      {"devices": ["a\nb"]}, {"devices": [1]}, {"devices": ["a"], "minutes": 201},
                      {"devices": ["a"], "waitConfirmed": "yes"}, []]:
            self.deploy(wrong)
            code, output, errors = self.call("ArtifactInstall")
            self.assertEqual((code, output), (1, ""), wrong)
            self.assertEqual(errors.count("\n"), 0, errors)
            self.assertIn("meta-data is wrong", errors)

    def test_an_artifact_has_one_file(self):
        for files in [{}, {"one": b"1", "two": b"2"}]:
            self.deploy({"devices": ["kitchen"]}, files)
            code, _, errors = self.call("ArtifactInstall")
            self.assertEqual(code, 1)
            self.assertIn("must have one file", errors)


if __name__ == "__main__":
    unittest.main()
