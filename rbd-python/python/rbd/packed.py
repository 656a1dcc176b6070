"""A few numbers as bytes that are the same on every machine: a line of JSON, then doubles, lowest byte first."""

import json
import math

import numpy as np


def pack(kind, head, arrays):
    """`head` is of JSON's types; `arrays` are real numbers by name."""
    shapes = {name: list(np.shape(array)) for name, array in arrays.items()}
    line = json.dumps({"rbd": kind, "head": head, "arrays": shapes}, separators=(",", ":")).encode()
    return b"\n".join([line, b"".join(np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays.values())])


def unpack(kind, data):
    """The head and the arrays, of bytes that `pack` made of the same kind."""
    line, _, rest = bytes(data).partition(b"\n")
    try:
        found = json.loads(line)
        is_right = found["rbd"] == kind
    except (ValueError, KeyError, TypeError):
        is_right = False
    if not is_right:
        raise ValueError(f"these bytes are no {kind}, which its to_bytes() makes")
    sizes = {name: math.prod(shape) for name, shape in found["arrays"].items()}
    if len(rest) != 8 * sum(sizes.values()):
        raise ValueError(f"a {kind} in bytes has {8 * sum(sizes.values())} of them after its first line, not {len(rest)}")
    arrays, first = {}, 0
    for name, shape in found["arrays"].items():
        own = np.frombuffer(rest, dtype="<f8", count=sizes[name], offset=first)
        arrays[name] = own.astype(np.float64).reshape(shape)
        first += 8 * sizes[name]
    return found["head"], arrays
