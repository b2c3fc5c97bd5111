#!/usr/bin/env python3
"""Writes the test vectors of the bleota protocol, or checks the ones that are there.

    python3 spec/vectors/generate.py                 writes the JSON files
    python3 spec/vectors/generate.py --verify        checks them: bytes, meaning, schema, tags
    python3 spec/vectors/generate.py --check-schema  checks them against schema.json alone

Needs Python 3.9 or later and nothing else. See README.md.
"""

import argparse
import itertools
import json
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # The vectors' folder holds what is committed and no more.

from reference import (  # noqa: E402 - after the line above on purpose
    arithmetic_cases, checksum_cases, control_cases, data_cases, encoding_cases, known, manifest_cases,
    receipt_cases, schema, transfer_cases, verify, wire)

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verify", action="store_true",
                        help="write nothing; compare, decode again and check the schema")
    parser.add_argument("--check-schema", action="store_true",
                        help="write nothing; check the files against schema.json")
    options = parser.parse_args()
    if options.verify:
        return report(verify_all())
    if options.check_schema:
        return report(check_schema(read_files()))
    for name, text in generate().items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("ascii"))
    return 0


def generate():
    """Every file as {path below this folder: text}."""
    books = [checksum_cases.book(), control_cases.book(), data_cases.book(),
             manifest_cases.book(), encoding_cases.book(), receipt_cases.book(), arithmetic_cases.book()]
    files = {book.name + ".json": book.text() for book in books}
    for tape in transfer_cases.tapes():
        files["transfers/%s.json" % tape.head["id"]] = tape.text()
    return files


def read_files():
    """The committed files as {path below this folder: text}."""
    paths = [path for path in HERE.glob("*.json") if path.name != "schema.json"]
    paths += (HERE / "transfers").glob("*.json")
    return {path.relative_to(HERE).as_posix(): path.read_bytes().decode("utf-8")
            for path in sorted(paths)}


def verify_all():
    committed = read_files()
    found = compare(committed, generate())
    broken = check_json(committed)
    found += broken
    if not broken:
        found += check_schema(committed)
    if not found or all(text.startswith("---") for text in found):
        documents = {name: json.loads(text) for name, text in committed.items()}
        for name, document in documents.items():
            found += verify.problems(name[:-len(".json")], document)
        found += check_tags(documents) + check_balance(documents) + check_numbers() + known.problems()
        if not found:
            count(documents)
    return found


def compare(committed, generated):
    """The first lines in which a file is not byte for byte what this program writes."""
    found = []
    for name in sorted(set(committed) | set(generated)):
        if name not in committed or name not in generated:
            what = "is missing" if name in generated else "is not a file of this program"
            found.append("--- %s: %s" % (name, what))
            continue
        old, new = committed[name], generated[name]
        pairs = itertools.zip_longest(old.split("\n"), new.split("\n"))
        different = [(number, pair) for number, pair in enumerate(pairs, 1) if pair[0] != pair[1]]
        found += [difference(name, number, *pair) for number, pair in different[:10]]
        if len(different) > 10:
            found.append("--- %s: and %d lines more" % (name, len(different) - 10))
    return found


def difference(name, number, old, new):
    """Two lines of a file around the first character in which they differ."""
    if old is None or new is None:
        return "--- %s:%d: %s" % (name, number, "is missing" if old is None else "is too much")
    column = len(os.path.commonprefix([old, new]))
    window = slice(max(column - 40, 0), column + 40)
    label = re.match(r'\s*\{"id": "([^"]+)"', old)
    return "--- %s:%d:%d %s\n-   %s\n+   %s" % (name, number, column + 1,
                                              label.group(1) if label else "", old[window],
                                              new[window])


def check_json(files):
    found = []
    for name, text in files.items():
        try:
            json.loads(text)
        except ValueError as error:
            found.append("%s: is not JSON: %s" % (name, error))
    return found


def check_schema(files):
    root = json.loads((HERE / "schema.json").read_text("utf-8"))
    return ["%s: %s" % (name, error) for name, text in files.items()
            for error in schema.errors(json.loads(text), root, root)]


def all_vectors(documents):
    return [vector for document in documents.values()
            for vector in document.get("vectors", [document])]


def check_tags(documents):
    """Every flag is a requirement of the protocol, and no two vectors have the same id."""
    known = set(re.findall(r"\[([A-Z]+-[0-9]+)\]", (HERE.parent / "bleota.md").read_text("utf-8")))
    found, seen = [], set()
    for vector in all_vectors(documents):
        found += ["%s: bleota.md has no [%s]" % (vector["id"], flag)
                  for flag in vector["flags"] if flag not in known]
        if vector["id"] in seen:
            found.append("%s: the id occurs twice" % vector["id"])
        seen.add(vector["id"])
    return found


def check_balance(documents):
    """What must be refused is where implementations differ, so it makes up the greater part."""
    results = [vector.get("result") for vector in all_vectors(documents)]
    if results.count("invalid") > results.count("valid"):
        return []
    return ["there are more valid than invalid vectors"]


def check_numbers():
    """The check value of section 2.4, and the opcodes, states, reasons, attributes and
    compressions of registry.md."""
    text = (HERE.parent / "registry.md").read_text("utf-8")
    opcodes = {name: (int(number), end) for number, name, end in
               re.findall(r"^\| ([0-9]+) \| ([A-Z ]+) \| (sender|receiver) \|$", text, re.M)}
    states = {name: int(number) for number, name in
              re.findall(r"^\| ([0-9]+) \| (\w+) \|",
                         text.partition("## States of STATUS")[2].partition("\n## ")[0], re.M)}
    reasons = {name: int(number, 16) for number, name in
               re.findall(r"^\| (0x[0-9A-F]{4}) \| (\w+) \|", text, re.M)}
    attributes = {name: int(number, 16) for number, name in
                  re.findall(r"^\| (0x[0-9A-F]{2}) \| (\w+) \|", text, re.M)}
    compressions = {name: int(number) for number, name in
                    re.findall(r"^\| ([0-9]+) \| (\w+) \| 4\.5 \|$", text, re.M)}
    found = []
    if wire.checksum(b"123456789") != 0x906E:
        found.append("bleota.md: has another check value of the checksum")
    if opcodes != {name: entry[:2] for name, entry in wire.CONTROL_FRAMES.items()}:
        found.append("registry.md: has other opcodes")
    if states != wire.STATES:
        found.append("registry.md: has other states")
    if reasons != wire.REASONS:
        found.append("registry.md: has other reasons")
    if attributes != wire.ATTRIBUTES:
        found.append("registry.md: has other attributes")
    if compressions != wire.COMPRESSIONS:
        found.append("registry.md: has other compressions")
    return found


def count(documents):
    for name, document in documents.items():
        results = [vector["result"] for vector in document.get("vectors", [])]
        if results:
            print("%-16s %4d valid, %4d invalid" % (name, results.count("valid"),
                                                    results.count("invalid")))
        else:
            print("%s: %d frames" % (name, len(document["frames"])))


def report(found):
    for text in found:
        print(text, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
