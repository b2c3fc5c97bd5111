#!/usr/bin/env python3
"""Prints the public declarations of a module, one on each line, from its symbol graphs:

    scripts/interface.py FOLDER

A line names the place of the declaration, then has the declaration as it is written. Conformances
have lines of their own. The lines are sorted, so a declaration may move between files.
"""

import json
import pathlib
import sys


# The compiler adds these to almost every type.
IMPLICIT = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype"}


def main():
    lines = set()
    for path in pathlib.Path(sys.argv[1]).glob("*.symbols.json"):
        graph = json.loads(path.read_text(encoding="utf-8"))
        names = {}
        for symbol in graph["symbols"]:
            place = ".".join(symbol["pathComponents"])
            names[symbol["identifier"]["precise"]] = place
            words = "".join(piece["spelling"] for piece in symbol["declarationFragments"])
            lines.add(f"{place}: {' '.join(words.split())}")
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo" and relation["source"] in names:
                target = names.get(relation["target"], relation.get("targetFallback"))
                if target not in IMPLICIT:
                    lines.add(f"{names[relation['source']]}: conforms to {target}{conditions(relation)}")
    print("\n".join(sorted(lines)))


def conditions(relation):
    constraints = relation.get("swiftConstraints", [])
    words = {"conformance": ":", "superclass": ":", "sameType": "=="}
    texts = [f"{c['lhs']}{words[c['kind']]} {c['rhs']}" for c in constraints]
    return " where " + ", ".join(texts) if texts else ""


main()
