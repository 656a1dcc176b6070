"""Classes of several results: named tuples."""

from collections import namedtuple

from ._core import result_fields

for _name, _fields in result_fields():
    globals()[_name] = namedtuple(_name, _fields, module=__name__)
