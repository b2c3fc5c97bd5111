"""A server with hawkBit's Direct Device Integration API, as its documentation describes it.

It serves one target, and accepts nothing that the documentation does not name: whatever breaks a
rule is in `faults`. Tests assign an artifact, cancel, and await the feedback.
"""
import hashlib, http.server, json, re, threading

TENANT, TARGET, TOKEN = "DEFAULT", "lamp 1", "3nkswAZhX81oDtktq0FF9Pn0Tc0UGXPW"
BASE = f"/{TENANT}/controller/v1/lamp%201"
EXECUTIONS = {"closed", "proceeding", "canceled", "scheduled", "rejected", "resumed", "downloaded",
              "download"}
SECONDS = 60


class Server:
    def __init__(self):
        self.changed = threading.Condition()
        self.faults, self.feedback, self.ranges, self.attributes = [], [], [], None
        self.action, self.canceling, self.closed = 0, False, True
        self.content = self.artifact = None
        self.cut_after = self.update = self.elsewhere = None
        self.order_count = 0
        self.http = self.serve(Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def serve(self, handler):
        made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        made.ddi = self
        threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True).start()
        return made

    def end(self):
        for made in filter(None, [self.http, self.elsewhere]):
            made.shutdown()
            made.server_close()

    # What a test does

    def assign(self, content, served=None, cut_after=None, update="forced"):
        """Makes an action. `served` is downloaded instead, and the first download is cut off."""
        with self.changed:
            self.action += 1
            self.closed = self.canceling = False
            self.content = content if served is None else served
            self.cut_after, self.update = cut_after, update
            href = f"{self.url}{BASE}/softwaremodules/7/artifacts/lamp.bin"
            if self.elsewhere:
                href = f"http://127.0.0.1:{self.elsewhere.server_port}/lamp.bin"
            self.artifact = {
                "filename": "lamp.bin", "size": len(content),
                "hashes": {name: hashlib.new(name, content).hexdigest()
                           for name in ("sha1", "md5", "sha256")},
                "_links": {"download-http": {"href": href},
                           "md5sum-http": {"href": href + ".MD5SUM"}}}

    def cancel(self):
        with self.changed:
            self.canceling = True

    def wait_for(self, is_it):
        """Waits for feedback: pairs of the resource and the status."""
        with self.changed:
            found = lambda: next((each for each in self.feedback if is_it(*each)), None)
            if not self.changed.wait_for(found, SECONDS):
                raise AssertionError(f"other feedback has come: {self.feedback}; {self.faults}")
            return found()[1]

    def wait_for_end(self, kind="deploymentBase"):
        return self.wait_for(lambda each, status: each == kind and status["execution"] == "closed")

    def wait_for_orders(self, count):
        """Waits until the target has read its order so often, or has closed it."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.closed or self.order_count >= count, SECONDS):
                raise AssertionError(f"the order was read {self.order_count} times")

    def wait_for_progress(self, percent):
        self.wait_for(lambda _, status: status["result"].get("progress", {"cnt": -1})["cnt"]
                      >= percent)

    # What the target sees

    def links(self):
        links, base = {}, self.url + BASE
        if self.attributes is None:
            links["configData"] = f"{base}/configData"
        if not self.closed and self.canceling:
            links["cancelAction"] = f"{base}/cancelAction/{self.action}"
        elif not self.closed:
            links["deploymentBase"] = f"{base}/deploymentBase/{self.action}?c=-2127183556"
        return {name: {"href": href} for name, href in links.items()}

    def deployment(self):
        chunk = {"part": "os", "version": "2.0", "name": "lamp", "artifacts": [self.artifact]}
        return {"id": str(self.action), "deployment": {
            "download": "forced", "update": self.update, "chunks": [chunk]}}

    def take(self, kind, body):
        status = body["status"]
        if kind == "cancelAction" and status["execution"] == "rejected":
            self.canceling = False
        elif status["execution"] == "closed":
            self.closed = True
        self.feedback.append((kind, status))
        self.changed.notify_all()


def problem_of(body):
    """Returns what the documented form of feedback does not allow, or None."""
    def is_wrong(value, required, optional=()):
        return type(value) is not dict or not set(required) <= set(value) <= {*required, *optional}

    if is_wrong(body, ["status"], ["timestamp"]) or type(body.get("timestamp", 0)) is not int:
        return "body"
    status = body["status"]
    if is_wrong(status, ["execution", "result"], ["code", "details"]):
        return "status"
    if status["execution"] not in EXECUTIONS or type(status.get("code", 0)) is not int:
        return "execution or code"
    if any(type(each) is not str for each in status.get("details", [])):
        return "details"
    result = status["result"]
    if is_wrong(result, ["finished"], ["progress"]) or \
            result["finished"] not in ("success", "failure", "none"):
        return "result"
    progress = result.get("progress", {"cnt": 0})
    if is_wrong(progress, ["cnt"], ["of"]) or any(type(n) is not int for n in progress.values()):
        return "progress"
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def refuse(self, code, why):
        self.server.ddi.faults.append(f"{self.command} {self.path}: {code}, {why}")
        self.answer(code)

    def answer(self, code, value=None, data=b"", **headers):
        if value is not None:
            data, headers["Content-Type"] = json.dumps(value).encode(), "application/hal+json"
        self.send_response(code)
        for name, each in headers.items():
            self.send_header(name.replace("_", "-"), each)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_request(self):
        ddi = self.server.ddi
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with ddi.changed:
            if self.headers.get("Authorization") != f"GatewayToken {TOKEN}":
                return self.refuse(401, "the token")
            path, _, query = self.path.partition("?")
            kind, number, rest = re.fullmatch(
                re.escape(BASE) + r"(?:/(\w+))?(?:/(\d+))?(/.*)?", path).groups("") \
                if path.startswith(BASE) else (None, "", "")
            method = self.command
            if kind == "softwaremodules" and (method, rest) == ("GET", "/artifacts/lamp.bin"):
                return self.send_artifact(ddi)
            if method == "GET" and "json" not in self.headers.get("Accept", ""):
                return self.refuse(406, "Accept")
            if method != "GET" and self.headers.get("Content-Type") != "application/json":
                return self.refuse(415, "Content-Type")
            if (method, kind, rest) == ("GET", "", ""):
                return self.answer(200, {"config": {"polling": {"sleep": "00:00:01"}},
                                         "_links": ddi.links()})
            if (method, kind, rest) == ("PUT", "configData", ""):
                ddi.attributes = json.loads(body)["data"]
                return self.answer(200)
            if kind not in ("deploymentBase", "cancelAction") or number != str(ddi.action):
                return self.refuse(404, "the resource")
            if (method, rest) == ("POST", "/feedback"):
                if why := problem_of(json.loads(body)):
                    return self.refuse(400, why)
                if ddi.closed:
                    return self.refuse(410, "the action is closed")
                ddi.take(kind, json.loads(body))
                return self.answer(200)
            if (method, rest) != ("GET", ""):
                return self.refuse(405, "the method")
            if (kind == "cancelAction") != ddi.canceling:
                # Not a fault: the action may be canceled between two requests.
                return self.answer(404)
            if kind == "cancelAction":
                number = str(ddi.action)
                return self.answer(200, {"id": number, "cancelAction": {"stopId": number}})
            ddi.order_count += 1
            ddi.changed.notify_all()
            return self.answer(200, ddi.deployment())

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_request

    def send_artifact(self, ddi):
        data, asked = ddi.content, self.headers.get("Range")
        begin = 0
        if asked:
            begin = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1))
            if begin >= len(data):
                return self.refuse(416, "the range")
        ddi.ranges.append(begin)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        end = len(data)
        if ddi.cut_after:
            end, ddi.cut_after, self.close_connection = ddi.cut_after, None, True
        self.wfile.write(data[begin:end])


class Elsewhere(Handler):
    """Another server with the artifacts, which must not see the token."""

    def do_GET(self):
        ddi = self.server.ddi
        if self.headers.get("Authorization"):
            return self.refuse(400, "the token is here")
        self.send_artifact(ddi)
