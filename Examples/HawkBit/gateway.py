#!/usr/bin/env python3
"""A gateway for hawkBit: stands for Bluetooth LE devices, and updates them with `bleota push`.

    gateway.py gateway.json      docs/agents.md describes the file

It needs Python 3.9, bleota, and setpriv of util-linux. It may be killed at any time: the server
keeps an order until it is closed, the folder keeps downloads, and a device keeps what it stored.
"""
import fcntl, hashlib, http.client, json, os, re, shutil, subprocess, sys, threading, time
import urllib.error, urllib.parse, urllib.request

RETRYABLE = {69, 74, 75, 129, 130, 143}
EXPECTED = (OSError, http.client.HTTPException, ValueError, LookupError, TypeError)
ANSWER_SECONDS_MAX = 60
UNUSED_SECONDS_MAX = 30 * 86_400  # A download that no device has needed since then is deleted.
PROGRESS_STEP = 10  # percent: hawkBit limits how many messages an action may have.


class Refused(Exception):
    """The order can't succeed as it is. The text says why and what to do."""


class Device:
    downloads = threading.Lock()  # Devices share artifacts.

    def __init__(self, config, places, controller, target):
        self.places, self.controller, self.target = places, controller, target
        self.server, self.token = config["server"].rstrip("/"), config["gatewayToken"]
        self.folder, self.options = config["folder"], config.get("options", [])
        self.retry_seconds = config.get("retrySeconds", 30)
        name = urllib.parse.quote(controller, safe="")
        self.base = f"{self.server}/{config['tenant']}/controller/v1/{name}"
        self.action, self.percent, self.told = None, -PROGRESS_STEP, set()

    def run(self):
        while True:
            try:
                pause = self.poll()
            except EXPECTED as error:
                pause = self.retry_seconds
                self.log(f"The gateway could not do what the server wants ({error!r}) and tries "
                         "again; check the server's address, the token and the folder.")
            time.sleep(pause)

    def poll(self):
        """Does what the server wants now. Returns after how many seconds to poll again."""
        state = self.request("GET", self.base)
        links = state.get("_links", {})
        if "configData" in links:
            attributes = {"mode": "merge", "data": {"bleota": self.target}}
            self.request("PUT", links["configData"]["href"], attributes)
        if "cancelAction" in links:  # Only this thread pushes to the device, so no push is running.
            stop = self.request("GET", links["cancelAction"]["href"])["cancelAction"]["stopId"]
            self.report("closed", "success", "No push is running.", stop, "cancelAction")
            return 0
        if "deploymentBase" in links:
            return self.deploy(self.request("GET", links["deploymentBase"]["href"]))
        hours, minutes, seconds = map(int, state["config"]["polling"]["sleep"].split(":"))
        return max(1, hours * 3600 + minutes * 60 + seconds)

    def deploy(self, order):
        if self.action != order["id"]:
            self.action, self.percent, self.told = order["id"], -PROGRESS_STEP, set()
        try:
            path = self.artifact(order["deployment"]["chunks"])
        except Refused as error:
            self.report("closed", "failure", str(error))
            return 0
        # Outside of a maintenance window, a device may only be prepared.
        if order["deployment"].get("update") == "skip":
            return self.retry_seconds
        if not self.places.acquire(timeout=self.retry_seconds):
            return 0
        try:
            return self.push(path)
        finally:
            self.places.release()

    def push(self, path):
        option = "--connect" if re.match(r"unix:|serial:|smp\+", self.target) else "--device"
        # If this program is killed, its push has to end as well: nobody could cancel it any more.
        command = ["setpriv", "--pdeathsig", "TERM", "bleota", "push", path, option, self.target]
        ended, last = threading.Event(), {}
        with subprocess.Popen([*command, "--json", *self.options], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE) as process:
            watcher = threading.Thread(target=self.watch, args=(process, ended))
            watcher.start()
            try:
                for line in process.stdout:
                    last = json.loads(line) if line.endswith(b"\n") else last
                    if last["event"] == "progress":
                        self.progress(100 * last["bytes"] // max(last["total"], 1))
            finally:
                ended.set()
                watcher.join()
        code, sentence = process.returncode, last.get("message", "The push was killed.")
        if code == 0:
            if "cancelAction" in self.request("GET", self.base).get("_links", {}):
                self.report("rejected", "none", "It is too late.", self.action, "cancelAction")
            self.report("closed", "success", "The device has the image: "
                        f"{last['bytes']} bytes, {last['resumedFromByte']} of them from before.")
        elif code not in RETRYABLE and code > 0:
            self.report("closed", "failure", sentence, code=code)
        elif self.is_wanted():
            self.say("proceeding", f"{sentence} The gateway tries again.")
            return self.retry_seconds
        return 0

    def is_wanted(self):
        """Whether the server still wants the action: if not, it was canceled or replaced."""
        link = self.request("GET", self.base).get("_links", {}).get("deploymentBase", {"href": ""})
        path = urllib.parse.urlsplit(link["href"]).path
        return path.endswith(f"/deploymentBase/{self.action}")

    def watch(self, process, ended):
        while not ended.wait(self.retry_seconds):
            try:
                if not self.is_wanted():
                    process.terminate()
            except EXPECTED:
                pass  # A push needs no server.

    def progress(self, percent):
        if percent >= self.percent + PROGRESS_STEP:
            self.percent, progress = percent, {"cnt": percent, "of": 100}
            self.say("proceeding", f"{percent} % of the image is on the device.", progress=progress)

    def say(self, execution, sentence, **more):
        """Reports a sentence that nothing depends on, once for each action."""
        if sentence not in self.told:
            self.told.add(sentence)
            try:
                self.report(execution, "none", sentence, **more)
            except EXPECTED as error:
                self.log(f"The server did not get this sentence ({error!r}).")

    def report(self, execution, finished, sentence, action=None, kind="deploymentBase",
               code=None, progress=None):
        self.log(sentence)
        result = {"finished": finished} | ({"progress": progress} if progress else {})
        status = {"execution": execution, "result": result, "details": [sentence]}
        body = {"timestamp": int(time.time() * 1000),
                "status": status | ({"code": code} if code else {})}
        try:
            self.request("POST", f"{self.base}/{kind}/{action or self.action}/feedback", body)
        except urllib.error.HTTPError as error:
            if error.code not in (404, 410):  # The action is closed already.
                raise

    def log(self, sentence):
        print(f"{self.controller}: {sentence}", file=sys.stderr, flush=True)

    def artifact(self, chunks):
        """Returns the path of the only artifact, and downloads it if it is not here yet."""
        found = [artifact for chunk in chunks for artifact in chunk["artifacts"]]
        if len(found) != 1:
            raise Refused(f"There are {len(found)} artifacts; assign a set with one, the image.")
        digest = found[0]["hashes"].get("sha256", "")
        if not re.fullmatch("[0-9a-f]{64}", digest):
            raise Refused("The server states no SHA-256 of the artifact; update the server.")
        name = os.path.basename(found[0]["filename"]).lstrip(".") or "image"
        path = os.path.join(self.folder, digest, name)
        with self.downloads:
            for entry in os.scandir(self.folder):
                if entry.is_dir() and entry.stat().st_mtime < time.time() - UNUSED_SECONDS_MAX:
                    shutil.rmtree(entry)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.utime(os.path.dirname(path))
            if not os.path.exists(path):
                self.say("download", "The download begins.")
                self.download(found[0], digest, path)
        self.say("downloaded", "The artifact is on the gateway.")
        return path

    def download(self, artifact, digest, path):
        part, links, size = path + ".part", artifact["_links"], artifact["size"]
        link = links.get("download") or links["download-http"]
        have = os.path.getsize(part) if os.path.exists(part) else 0
        if have < size:
            headers = {"Range": f"bytes={have}-"} if have else {}
            with self.open("GET", link["href"], **headers) as answer, \
                    open(part, "ab" if answer.status == 206 else "wb") as file:
                while block := answer.read(min(1 << 16, size - file.tell())):
                    file.write(block)
        hashed = hashlib.sha256()
        with open(part, "rb") as file:
            while block := file.read(1 << 20):
                hashed.update(block)
            if hashed.hexdigest() == digest:
                os.fsync(file.fileno())
                return os.rename(part, path)
        if os.path.getsize(part) < size:
            raise ConnectionError("the download was cut off")
        os.remove(part)
        # What was here before may have been damaged.
        if not have:
            raise Refused("The artifact does not have its SHA-256; upload it again.")
        self.download(artifact, digest, path)

    def request(self, method, url, body=None):
        data = json.dumps(body).encode() if body else None
        more = {"Content-Type": "application/json"} if body else {}
        with self.open(method, url, data, Accept="application/hal+json", **more) as answer:
            return json.loads(answer.read() or b"{}")

    def open(self, method, url, data=None, **headers):
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"not the address of a server: {url}")
        request = urllib.request.Request(url, data, headers, method=method)
        # The token speaks for every device. No other server gets it, not even by a redirect.
        if url.startswith(self.server + "/"):
            request.add_unredirected_header("Authorization", "GatewayToken " + self.token)
        return urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX)


def main(path):
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    os.makedirs(config["folder"], 0o700, exist_ok=True)
    lock = os.open(config["folder"], os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    places = threading.Semaphore(config.get("parallel", 1))
    for pair in config["devices"].items():
        threading.Thread(target=Device(config, places, *pair).run).start()


try:
    for name in ("bleota", "setpriv"):
        if not shutil.which(name):
            sys.exit(f"gateway.py: there is no {name} on this gateway; install it.")
    main(*sys.argv[1:])
except BlockingIOError:
    sys.exit("gateway.py: another gateway uses the same folder; give each its own.")
except (*EXPECTED, AttributeError) as error:
    sys.exit(f"gateway.py: the configuration can't be used ({error!r}); docs/agents.md has one.")
