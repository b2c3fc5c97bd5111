"""Checks a value against the part of JSON Schema 2020-12 that ../schema.json uses.

A keyword that is not listed here is an error in the schema, so nothing passes unchecked.
"""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
IGNORED = {"$schema", "$id", "$defs", "title", "description"}


def errors(value, schema, root, path="$"):
    """All the ways in which `value` breaks `schema`, as texts that begin with a path."""
    found = []
    for keyword, rule in schema.items():
        if keyword not in IGNORED:
            check = CHECKS.get(keyword)
            if check is None:
                raise ValueError("schema.json uses the unknown keyword " + keyword)
            found += check(value, rule, schema, root, path)
    return found


def has_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check_type(value, rule, schema, root, path):
    names = rule if isinstance(rule, list) else [rule]
    if any(has_type(value, name) for name in names):
        return []
    return ["%s: is not %s" % (path, " or ".join(names))]


def check_const(value, rule, schema, root, path):
    same = value == rule and type(value) is type(rule)
    return [] if same else ["%s: is not %r" % (path, rule)]


def check_enum(value, rule, schema, root, path):
    return [] if value in rule else ["%s: %r is not one of %r" % (path, value, rule)]


def check_pattern(value, rule, schema, root, path):
    if isinstance(value, str) and not re.search(rule, value):
        return ["%s: %r does not match %s" % (path, value[:40], rule)]
    return []


def check_minimum(value, rule, schema, root, path):
    return ["%s: below %d" % (path, rule)] if has_type(value, "integer") and value < rule else []


def check_maximum(value, rule, schema, root, path):
    return ["%s: above %d" % (path, rule)] if has_type(value, "integer") and value > rule else []


def check_min_items(value, rule, schema, root, path):
    return ["%s: too few items" % path] if isinstance(value, list) and len(value) < rule else []


def check_required(value, rule, schema, root, path):
    if not isinstance(value, dict):
        return []
    return ["%s: lacks %s" % (path, name) for name in rule if name not in value]


def check_properties(value, rule, schema, root, path):
    if not isinstance(value, dict):
        return []
    return [error for name, part in rule.items() if name in value
            for error in errors(value[name], part, root, path + "." + name)]


def check_additional(value, rule, schema, root, path):
    if rule is not False:
        raise ValueError("additionalProperties can only be false here")
    if not isinstance(value, dict):
        return []
    known = schema.get("properties", {})
    return ["%s: has the unknown member %s" % (path, name) for name in value if name not in known]


def check_items(value, rule, schema, root, path):
    if not isinstance(value, list):
        return []
    return [error for place, item in enumerate(value)
            for error in errors(item, rule, root, "%s[%d]" % (path, place))]


def check_reference(value, rule, schema, root, path):
    prefix = "#/$defs/"
    if not rule.startswith(prefix):
        raise ValueError("references can only go to $defs here")
    return errors(value, root["$defs"][rule[len(prefix):]], root, path)


def check_one_of(value, rule, schema, root, path):
    results = [errors(value, part, root, path) for part in rule]
    matches = sum(1 for result in results if not result)
    if matches == 1:
        return []
    if matches:
        return ["%s: matches %d alternatives, not one" % (path, matches)]
    # The alternative whose fixed members agree is the one that was meant.
    return min(results, key=lambda found: (sum(is_fixed(error, path) for error in found),
                                           len(found)))


def is_fixed(error, path):
    """Whether `error` says that a member of the value itself is not a certain text."""
    return bool(re.match(re.escape(path) + r"\.\w+: is not '", error))


CHECKS = {"type": check_type, "const": check_const, "enum": check_enum, "pattern": check_pattern,
          "minimum": check_minimum, "maximum": check_maximum, "minItems": check_min_items,
          "required": check_required, "properties": check_properties,
          "additionalProperties": check_additional, "items": check_items,
          "$ref": check_reference, "oneOf": check_one_of}
