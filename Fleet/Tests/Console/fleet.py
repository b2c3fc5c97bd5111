"""The processes of the test: a NATS server, a fleet of records, and the console."""

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path


class Failure(Exception):
    """Something isn't as it must be."""


def eventually(what, condition, seconds=60):
    """Waits until another process has brought something about."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failure(f"not in time: {what}")
        time.sleep(0.02)
    return value


class Fleet:
    """A server with a fleet, which moves when it is told to."""

    def __init__(self, nats_server, tool, player):
        self.tool = tool
        self.folder = tempfile.TemporaryDirectory(prefix="bleota-console-")
        self.path = Path(self.folder.name)
        self.processes = []
        self.services = {}
        self.nats_server = nats_server
        self.start_server("-1")
        found = eventually("the server listens", lambda: next(self.path.glob("*.ports"), None))
        text = eventually("its port is known", found.read_text)
        self.address = json.loads(text)["nats"][0].removeprefix("nats://")
        self.run("init")
        self.player = self.start([player, self.address], "player", talks=True)
        self.hear("filled")

    def start_server(self, port):
        """Starts the server, with the store that is there."""
        self.server = self.start(
            [self.nats_server, "--addr", "127.0.0.1", "--port", port, "--jetstream",
             "--store_dir", self.path / "store", "--ports_file_dir", self.path],
            "server",
        )

    def kill(self, process):
        process.kill()
        process.wait()

    def start(self, command, name, talks=False):
        """Starts a process, which `end` kills."""
        log = open(self.path / f"{name}.log", "wb")
        # If this process is killed, the system kills what it has started.
        whole = ["setpriv", "--pdeathsig", "KILL", "--", *command]
        process = subprocess.Popen(
            [str(word) for word in whole],
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.PIPE if talks else log,
            stderr=log,
        )
        log.close()
        self.processes.append(process)
        return process

    def run(self, *words):
        """Runs the tool to its end, and returns what it printed."""
        command = [self.tool, *words, "--server", self.address]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if result.returncode != 0:
            raise Failure(f"{words}: {result.returncode}: {result.stderr}")
        return result.stdout

    def serve(self, name, *words):
        """Starts a service of the tool, and returns the address that it prints."""
        process = self.start([self.tool, *words, "--server", self.address], name)
        self.services[name] = process
        log = self.path / f"{name}.log"
        pattern = re.compile(r"http://[^/ ]+/")
        return eventually(
            f"{name} listens: {log.read_text()}",
            lambda: (match := pattern.search(log.read_text())) and match[0],
        )

    def tell(self, line):
        """Lets the fleet move."""
        self.player.stdin.write(f"{line}\n".encode())
        self.player.stdin.flush()
        self.hear("done")

    def hear(self, word):
        line = self.player.stdout.readline().decode().strip()
        if line != word:
            log = (self.path / "player.log").read_text()
            raise Failure(f"the fleet says {line!r}, not {word!r}: {log}")

    def phase(self, campaign):
        line = json.loads(self.run("campaign", "status", campaign, "--json"))
        return line["phase"]

    def end(self):
        for process in reversed(self.processes):
            self.kill(process)
        self.folder.cleanup()
