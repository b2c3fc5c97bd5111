"""What goes wrong at an end of bumble_end.py, and its events."""
import collections, json, threading, time

OPEN, CLOSE, RESULT = 1, 3, 11
CONTROL = 0
FRAMES_TO_IMAGE = 40
FRAMES_TO_CHANGE = 35
QUEUE_SECONDS = 0.5
INTERVALS_MS = (30, 7.5, 50, 15)

turn = threading.Lock()


def event(name, **fields):
    with turn:
        print(json.dumps({"event": name, **fields}), flush=True)


class Faults:
    """Those of all links of an end. A link is lost in the first of the phases that it reaches, and
    each phase once: connection, subscription, open, manifest, image, result, close."""

    def __init__(self, options):
        self.phases = collections.deque(options.lose_at)
        self.has_intervals, self.has_services = options.change_interval, options.change_services
        self.room, self.sent = options.queue, collections.deque()
        self.data_frames = self.interval_number = self.changes = 0
        self.lock = threading.Lock()

    def reaches(self, phase):
        with self.lock:
            if not self.phases or self.phases[0] != phase:
                return False
            self.phases.popleft()
            self.data_frames = 0
            return True

    def takes(self, channel, frame):
        """The phase in which the link is now lost, if it is; the frame is lost as well."""
        if channel == CONTROL:
            names = {OPEN: "open", RESULT: "result", CLOSE: "close"}
            phase = names.get(frame[0] & 15 if frame else 0)
        else:
            self.data_frames += 1
            phase = "manifest" if self.data_frames == 1 else \
                "image" if self.data_frames >= FRAMES_TO_IMAGE else None
        return phase if phase and self.reaches(phase) else None

    def is_time_to_change(self):
        with self.lock:
            due = self.data_frames // FRAMES_TO_CHANGE
            if due <= self.changes:
                return False
            self.changes = due
            return True

    def changes_interval(self):
        return self.has_intervals and self.is_time_to_change()

    def changes_services(self):
        if not self.has_services or not self.is_time_to_change():
            return False
        self.has_services = False
        return True

    def next_interval(self):
        self.interval_number += 1
        return INTERVALS_MS[self.interval_number % len(INTERVALS_MS)]

    def queue_is_full(self):
        if not self.room:
            return False
        now = time.monotonic()
        while self.sent and now - self.sent[0] > QUEUE_SECONDS:
            self.sent.popleft()
        if len(self.sent) >= self.room:
            return True
        self.sent.append(now)
        return False
