"""Classes of several results: named tuples."""

from collections import namedtuple

from ._core import result_fields


def _made(name, fields):
    class Result(namedtuple(name, fields)):
        __slots__ = ()

        def __reduce__(self):
            return _restored, (name, tuple(fields), tuple(self))

    Result.__name__ = Result.__qualname__ = name
    Result.__module__ = __name__
    return Result


_known = {(name, tuple(fields)): _made(name, fields) for name, fields in result_fields()}
globals().update({name: made for (name, _), made in _known.items()})


def _named(name, fields):
    """The class of this name with these fields: a function's, or that of a robot's fused function."""
    key = name, tuple(fields)
    if key not in _known:
        _known[key] = _made(*key)
    return _known[key]


def _restored(name, fields, values):
    return _named(name, fields)(*values)
