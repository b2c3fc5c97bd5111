"""Real receivers, and a folder for each test with a `bleota` that pushes slowly if it has to."""
import json, os, queue, shlex, shutil, signal, subprocess, tempfile, threading, unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOOL = os.path.join(ROOT, os.environ.get("BLEOTA_TOOL", ".build/release/bleota"))
# How long to wait for something that comes in a second or two on an idle machine.
SECONDS = 60
# 12 packets of 240 bytes in 100 ms: the image below takes about nine seconds.
SLOWLY = ["--burst", "12:100"]
IMAGE = os.urandom(256 * 1024)


class Lines:
    """The lines that a process prints. They can be awaited."""

    def __init__(self, stream):
        self.seen, self.queue = [], queue.Queue()
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        with stream:
            for line in stream:
                self.queue.put(line.decode().rstrip("\n"))
        self.queue.put(None)

    def wait_for(self, is_it):
        """Returns the next line that is one of these."""
        while True:
            try:
                line = self.queue.get(timeout=SECONDS)
            except queue.Empty:
                raise AssertionError(f"nothing more comes after {self.seen}") from None
            if line is None:
                raise AssertionError(f"the output ended after {self.seen}")
            self.seen.append(line)
            if is_it(line):
                return line

    def rest(self):
        while (line := self.queue.get(timeout=SECONDS)) is not None:
            self.seen.append(line)
        return "\n".join(self.seen)


class Receiver:
    """`bleota receive`, with the events that it prints."""

    def __init__(self, test, name, *options):
        self.socket = f"unix:{test.path(name + '.socket')}"
        self.store = test.path(name)
        self.process = test.start([TOOL, "receive", "--listen", self.socket, "--store", self.store,
                                   "--json", *options], stdout=subprocess.PIPE)
        self.lines = Lines(self.process.stdout)
        self.wait_for("listening")

    def wait_for(self, name):
        return json.loads(self.lines.wait_for(lambda line: json.loads(line)["event"] == name))

    def image(self):
        try:
            with open(os.path.join(self.store, "current", "image"), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None


class AgentTest(unittest.TestCase):
    def setUp(self):
        # Short, because the path of a socket has at most 107 bytes.
        self.folder = tempfile.mkdtemp(prefix="agents-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(self.path("bin"))
        self.push_with([])

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, data, *names):
        os.makedirs(os.path.dirname(self.path(*names)), exist_ok=True)
        with open(self.path(*names), "wb" if isinstance(data, bytes) else "w") as file:
            file.write(data)

    def push_with(self, options):
        """The `bleota` that an agent finds adds these options to its own."""
        words = shlex.join([TOOL]) + ' "$@" ' + shlex.join(options)
        self.write(f"#!/bin/sh\nexec {words}\n", "bin", "bleota")
        os.chmod(self.path("bin", "bleota"), 0o755)

    def environment(self, **more):
        return {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"], **more}

    def start(self, command, **more):
        process = subprocess.Popen(command, **more)

        def end():
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()

        self.addCleanup(end)
        return process

    def key(self):
        """Makes a key, and returns the paths of both halves."""
        subprocess.run([TOOL, "key", "generate", self.path("release.pem")], check=True,
                       capture_output=True)
        return self.path("release.pem"), self.path("release.pem.pub")
