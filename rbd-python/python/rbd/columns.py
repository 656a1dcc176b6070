"""Columns of Apache Arrow as arrays of numpy, and back, without copies where the layout allows it."""

import math

import numpy as np
import pyarrow as pa


def imported(value):
    """A pyarrow table, batch, reader or column of anything that exports Arrow data; None of what does not.

    Arrow's PyCapsule interface shares memory.
    """
    if isinstance(value, (pa.Array, pa.ChunkedArray, pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
        return value
    if hasattr(value, "__arrow_c_array__"):
        array = pa.array(value)
        return pa.RecordBatch.from_struct_array(array) if pa.types.is_struct(array.type) else array
    if hasattr(value, "__arrow_c_stream__"):
        column = pa.chunked_array(value)
        return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column
    return None


def scalar_type(kind):
    """The type of the numbers in a column's type."""
    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif _is_list(kind):
            kind = kind.value_type
        else:
            return kind


def type_of(shape, scalar, is_variable=False):
    """The type of a column of arrays of this shape: lists of fixed size, one in the other, or of variable size."""
    for size in reversed(shape):
        scalar = pa.list_(scalar, -1 if is_variable else size)
    return scalar


def numbers(array, shape, said):
    """The numbers of a column's chunk, of shape (states, *shape), and which states are there: None if all are.

    `said` begins the message of a refusal.
    """
    states, found, sizes, valid = len(array), array.type, [], None
    if isinstance(found, pa.FixedShapeTensorType):
        own, order = tuple(found.shape), found.permutation
        if own != shape or order and list(order) != sorted(order):
            raise ValueError(f"{said} is of type {found}; it must be {wanted(shape)}")
    if isinstance(found, pa.BaseExtensionType):
        array = array.storage
    while _is_list(array.type):
        array = _of_fixed_size(array, said, shape)
        valid = _and_valid(valid, array, states)
        size = array.type.list_size
        sizes.append(size)
        # Without what is before a slice and after it.
        array = array.values.slice(array.offset * size, len(array) * size)
    is_number = pa.types.is_floating(array.type) or pa.types.is_integer(array.type)
    is_flat = len(sizes) == 1 and sizes[0] == math.prod(shape)
    if not is_number or tuple(sizes) != shape and not (shape and is_flat):
        raise ValueError(f"{said} is of type {found}; it must be {wanted(shape)}")
    valid = _and_valid(valid, array, states)
    values = np.frombuffer(array.buffers()[1] or b"", dtype=array.type.to_pandas_dtype())
    return values[array.offset : array.offset + len(array)].reshape(states, *shape), valid


def column(values, valid, shape, scalar):
    """A chunk of arrays of this shape: those of the states that are there; others are null."""
    if valid is not None:
        full = np.zeros((len(valid), *shape))
        full[valid] = values
        values = full
    states = len(values)
    # A copy only for single precision.
    values = np.ascontiguousarray(values, dtype=scalar.to_pandas_dtype())
    bits = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    length, kind = states * math.prod(shape), scalar
    array = pa.Array.from_buffers(kind, length, [None if shape else bits, pa.py_buffer(values)])
    for depth in reversed(range(len(shape))):
        length, kind = states * math.prod(shape[:depth]), pa.list_(kind, shape[depth])
        array = pa.Array.from_buffers(kind, length, [None if depth else bits], children=[array])
    return array


def wanted(shape):
    """How a message calls the type of a column."""
    if not shape:
        return "a number for each state"
    nested = str(type_of(shape, pa.float64())).replace("item: ", "")
    return nested + (f" or fixed_size_list<double>[{math.prod(shape)}]" if len(shape) > 1 else "")


def _is_list(kind):
    is_variable = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return is_variable or pa.types.is_fixed_size_list(kind)


def _of_fixed_size(array, said, shape):
    """Lists as lists of fixed size, which share memory if there are no nulls."""
    if pa.types.is_fixed_size_list(array.type):
        return array
    offsets = np.asarray(array.offsets)
    lengths = np.diff(offsets)
    if array.null_count:
        lengths = lengths[np.asarray(array.is_valid())]
    size = int(lengths[0]) if len(lengths) else shape[0] if shape else 1
    if (lengths != size).any():
        raise ValueError(f"{said} has lists of {lengths.min()} to {lengths.max()} numbers; it must be {wanted(shape)}")
    kind = pa.list_(array.type.value_field, size)
    if array.null_count:
        return array.cast(kind)
    values = array.values.slice(int(offsets[0]), len(array) * size)
    return pa.Array.from_buffers(kind, len(array), [None], children=[values])


def _and_valid(valid, array, states):
    """The states that are there so far, but for those with a null in this array."""
    if not array.null_count:
        return valid
    own = np.asarray(array.is_valid()).reshape(states, -1).all(axis=1)
    return own if valid is None else valid & own
