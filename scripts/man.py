#!/usr/bin/env python3
"""Prints the man page of a tool built with swift-argument-parser.

    scripts/man.py .build/release/bleota > bleota.1

The tool itself is asked what its commands and options are, so that the page cannot say anything
else than `--help` does. All commands stand on one page. A line of a discussion that is indented is
kept as it is (a table, an example); one in capitals that ends with a colon begins a new section.
"""

import json
import re
import subprocess
import sys

SERIALIZATION_VERSION = 0  # of --experimental-dump-help


def main():
    if len(sys.argv) != 2:
        sys.exit("man.py: name the tool to describe: scripts/man.py .build/release/bleota")
    tool = sys.argv[1]
    try:
        description = json.loads(output_of(tool, "--experimental-dump-help"))
    except json.JSONDecodeError:
        sys.exit(f"man.py: {tool} is not built with swift-argument-parser")
    if description.get("serializationVersion") != SERIALIZATION_VERSION:
        sys.exit(f"man.py: {tool} describes itself in a format this script does not know")
    version = output_of(tool, "--version").strip().split()[-1]
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n".join(page(tool, description["command"], version)))


def output_of(tool, *arguments):
    try:
        run = subprocess.run([tool, *arguments], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"man.py: cannot ask {tool} to describe itself: {error}")
    return run.stdout


def page(tool, command, version):
    name = command["commandName"]
    subcommands = list(commands_within(command))
    yield f'.TH {name.upper()} 1 "" "{escaped(f"{name} {version}")}" "User Commands"'
    yield from ["'nh", "'ad l"]  # Neither hyphenate nor justify: options are to be searched for.
    yield ".SH NAME"
    yield f"{name} \\- {escaped(as_clause(command.get('abstract', '')))}"
    yield ".SH SYNOPSIS"
    for shown in subcommands or [command]:
        yield from synopsis(tool, shown)
    # Sections of the discussion (exit codes, files, …) belong after the commands.
    opening, sections = split_into_sections(command.get("discussion", ""))
    yield ".SH DESCRIPTION"
    yield from text(opening or command.get("abstract", ""))
    yield from arguments(command)
    if subcommands:
        yield ".SH COMMANDS"
    for subcommand in subcommands:
        yield f".SS {called(subcommand)}"
        yield from text(subcommand.get("abstract", ""))
        if "discussion" in subcommand:
            yield ".PP"
            yield from text(subcommand["discussion"])
        yield from arguments(subcommand, leaving_out=command.get("arguments", []))
    for heading, body in sections:
        yield f".SH {escaped(heading)}"
        yield from text(body)


def commands_within(command):
    """All commands that do something themselves, not those that only have commands of their own."""
    for subcommand in command.get("subcommands", []):
        if not subcommand["shouldDisplay"] or subcommand["commandName"] == "help":
            continue
        inner = list(commands_within(subcommand))
        yield from inner or [subcommand]


def called(command):
    return " ".join([*command.get("superCommands", []), command["commandName"]])


def split_into_sections(discussion):
    pieces = re.split(r"^([A-Z][A-Z ]+):\n", discussion, flags=re.MULTILINE)
    return pieces[0].strip("\n"), list(zip(pieces[1::2], pieces[2::2]))


def synopsis(tool, command):
    """The usage of a command, as its help has it: one paragraph for each way to call it."""
    words = called(command).split(" ")[1:]
    usage = re.search(r"^USAGE: (.*(?:\n .*)*)", output_of(tool, "help", *words), re.MULTILINE)
    if usage is None:
        sys.exit(f"man.py: {tool} has no usage for {called(command)}")
    ways = []
    for line in usage[1].split("\n"):
        # A line that does not begin with the command continues the one before.
        if line.strip().startswith(called(command)):
            ways.append(line.strip())
        else:
            ways[-1] += " " + line.strip()
    for way in ways:
        shown = escaped(way).replace(called(command), f"\\fB{called(command)}\\fR", 1)
        shown = re.sub(r"(?<![\w-])(\\-\\-[a-z](?:\w|\\-)*)", r"\\fB\1\\fR", shown)
        yield ".HP"
        yield re.sub(r"<([^>]*)>", r"\\fI\1\\fR", shown)


def arguments(command, leaving_out=()):
    for argument in visible(command):
        if argument in leaving_out:
            continue
        yield ".TP"
        yield term(argument)
        sentences = [argument.get("abstract", "")]
        if "allValues" in argument:
            sentences.append("One of: " + ", ".join(argument["allValues"]) + ".")
        if "defaultValue" in argument:
            sentences.append(f"Default: {argument['defaultValue']}.")
        yield from text(" ".join(sentence for sentence in sentences if sentence))
        if "discussion" in argument:
            yield ".IP"
            yield from text(argument["discussion"], paragraph=".IP")


def term(argument):
    value = f"\\fI{escaped(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    # Short names first, as everywhere else.
    names = sorted(argument["names"], key=lambda name: name["kind"] != "short")
    shown = ", ".join(spelled(name) for name in names)
    return shown if argument["kind"] == "flag" else f"{shown} {value}"


def visible(command):
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def spelled(name):
    dashes = "--" if name["kind"] == "long" else "-"
    return f"\\fB{escaped(dashes + name['name'])}\\fR"


def text(source, paragraph=".PP"):
    """The lines of a text as roff: paragraphs are filled, indented lines stay as they are."""
    verbatim = False
    for line in source.strip("\n").split("\n"):
        indented = line.startswith("  ")
        if indented != verbatim:
            yield ".nf" if indented else ".fi"
            verbatim = indented
        if line.strip():
            yield escaped(line.rstrip())
        else:
            yield paragraph
    if verbatim:
        yield ".fi"


def escaped(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


def as_clause(sentence):
    """A sentence as the clause that follows a name: no capital, unless of an acronym, no period."""
    first = sentence.split(" ")[0]
    if first[1:] == first[1:].lower():
        sentence = sentence[:1].lower() + sentence[1:]
    return sentence.rstrip(".")


if __name__ == "__main__":
    main()
