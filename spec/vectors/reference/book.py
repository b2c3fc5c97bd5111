"""Collects the vectors of one file and writes it, one vector a line."""

import json


class Book:
    """The vectors of one file, in the order in which they were added."""

    def __init__(self, name, comment):
        self.name = name
        self.comment = comment
        self.vectors = []
        self._ids = set()

    def valid(self, identifier, comment, flags, **fields):
        self._add(identifier, comment, "valid", flags, fields)

    def invalid(self, identifier, comment, flags, reason, **fields):
        self._add(identifier, comment, "invalid", flags, dict(fields, reason=reason))

    def _add(self, identifier, comment, result, flags, fields):
        full = self.name + "." + identifier
        if full in self._ids:
            raise ValueError("two vectors are called " + full)
        self._ids.add(full)
        self.vectors.append(dict({"id": full, "comment": comment, "result": result,
                                  "flags": flags}, **fields))

    def text(self):
        head = {"file": self.name, "protocolVersion": 1, "comment": self.comment}
        return write(head, "vectors", self.vectors)


def write(head, list_name, rows):
    """JSON with one member a line for `head` and one row a line for the list."""
    lines = ["  %s: %s," % (json.dumps(name), json.dumps(value)) for name, value in head.items()]
    body = ",\n".join("    " + json.dumps(row) for row in rows)
    return "{\n%s\n  %s: [\n%s\n  ]\n}\n" % ("\n".join(lines), json.dumps(list_name), body)
