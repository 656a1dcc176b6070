"""A robot's functions for columns of Apache Arrow: of pyarrow, polars, duckdb, datafusion, Ray, Spark.

    import pyarrow.parquet as pq
    import rbd
    arm = rbd.load("iiwa14.urdf")
    table = arm.arrow.rnea(pq.read_table("log.parquet"))   # columns q, v and a make the column tau
    tau = arm.arrow.rnea(table["q"], table["v"], table["a"])

A column has the array of one state in each row: `fixed_size_list<double>[7]`, matrices as lists in lists. Anything that
exports Arrow data by its PyCapsule interface is taken, and nothing is copied. Results are pyarrow's, which other
libraries take in the same way. A row with a null gives null.
"""

import weakref

import numpy as np
import pyarrow as pa

from . import columns, derivatives

__all__ = ["Functions", "functions"]

_robots = weakref.WeakKeyDictionary()
_TABLES = (pa.Table, pa.RecordBatch, pa.RecordBatchReader)


def functions(robot):
    """The functions of a robot that `rbd.load` gave; also its attribute `arrow`."""
    if robot not in _robots:
        _robots[robot] = Functions(robot)
    return _robots[robot]


def __getattr__(name):
    return derivatives.robot_first(__name__, name, functions)


class Functions:
    """A robot's functions for columns, by the names of the robot's own.

    Each takes a table, or a column for each argument. Of a table it takes the columns that have the arguments' names, or
    those that keywords name: `q="observation.state"`. A column may also be a numpy array that holds for all states.
    It gives a table of results. With `keep=True`, or the names of some, columns of the table come before them, and
    `into={"tau": "torque"}` renames results. `lists=True` makes lists of variable size, as Spark wants them. A batch gives a batch, and a reader gives a reader, which computes as it is read.
    Of columns it gives a column, or a named tuple of columns. `threads` is as for numpy.

    Results are of double precision. If all columns are of single precision, or the robot is, they are too.
    """

    def __init__(self, robot):
        # Not the robot: it is a key of `_robots`.
        self._name = robot.NAME
        for name, function in derivatives.shared(robot).items():
            setattr(self, name, _wrapped(robot.NAME, name, function))

    def __getattr__(self, name):
        raise derivatives.missing(self._name, name, "columns")


def _wrapped(robot, name, function):
    form = derivatives.Form(name, function)

    def wrapped(*arguments, **keywords):
        first = columns.imported(arguments[0]) if arguments else None
        call = _Call(robot, form, function, keywords)
        if isinstance(first, _TABLES):
            return call.of_table(first, arguments[1:])
        return call.of_columns(arguments)

    return form.describe(wrapped)


class _Call:
    """A call: what is the same for all states, and columns by the names of arguments."""

    def __init__(self, robot, form, function, keywords):
        self.form, self.function, self.keywords = form, function, dict(keywords)
        self.same = {"threads": self.keywords.pop("threads", False)}
        self.keep, self.into = self.keywords.pop("keep", ()), self.keywords.pop("into", {})
        self.is_variable = self.keywords.pop("lists", False)
        self.shapes = dict(form.takes)
        self.robot = robot

    def of_table(self, table, chosen):
        """Results of a table's rows."""
        form, schema = self.form, table.schema
        names = list(form.chosen)
        if len(chosen) > len(names):
            raise TypeError(f"{form.name}() takes a table{''.join(', ' + name for name in names)}")
        self._settings(dict(zip(names, chosen)))
        sources = {}
        for argument, shape in form.takes:
            source = self.keywords.get(argument, argument if argument in form.required else None)
            if isinstance(source, str):
                if source not in schema.names:
                    raise ValueError(
                        f"{form.name}: the table has no column {source!r}; name one by {argument}= or give it an array for all rows"
                    )
                sources[argument] = source
            elif source is not None:
                self.same[argument] = self._constant(argument, source, shape)
        self._any(sources)
        scalar = self._scalar({argument: schema.field(source).type for argument, source in sources.items()})
        kept = schema.names if self.keep is True else [self.keep] if isinstance(self.keep, str) else list(self.keep)
        if unknown := [name for name in kept if name not in schema.names]:
            raise ValueError(f"{form.name}: the table has no column {unknown[0]!r}, which keep= names")
        fields = [schema.field(name) for name in kept] + self._fields(scalar)
        names = [field.name for field in fields]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{form.name}: there would be two columns {twice[0]!r}; rename the result by into=")
        gives = pa.schema(fields)

        def of(batch):
            found = self._chunk({argument: batch.column(source) for argument, source in sources.items()}, scalar)
            return pa.RecordBatch.from_arrays([*(batch.column(name) for name in kept), *found], schema=gives)

        if isinstance(table, pa.RecordBatch):
            return of(table)
        if isinstance(table, pa.RecordBatchReader):
            return pa.RecordBatchReader.from_batches(gives, map(of, table))
        # Without columns that nobody reads, whose chunks may be others.
        needed = table.select(list(dict.fromkeys([*sources.values(), *kept])))
        return pa.Table.from_batches(map(of, needed.to_batches()), schema=gives)

    def of_columns(self, arguments):
        """Results of columns: chunks where there is one in chunks."""
        form, positions = self.form, self.form.required + self.form.chosen
        given = dict(zip(positions, arguments))
        if len(arguments) > len(positions) or given.keys() & self.keywords.keys() or self.keep or self.into:
            raise TypeError(f"{form.name}() takes a table, or {', '.join(positions)}")
        self.keywords |= given
        self._settings({})
        found = {}
        for argument, shape in form.takes:
            if argument not in self.keywords:
                if argument in form.required:
                    raise TypeError(f"{form.name}() takes a table, or {', '.join(positions)}; {argument} is missing")
                continue
            value = self.keywords[argument]
            own = columns.imported(value)
            if isinstance(own, (pa.Array, pa.ChunkedArray)):
                found[argument] = own
            else:
                self.same[argument] = self._constant(argument, value, shape)
        self._any(found)
        lengths = {argument: len(own) for argument, own in found.items()}
        if len(set(lengths.values())) > 1:
            said = ", ".join(f"{argument} {n}" for argument, n in lengths.items())
            raise ValueError(f"{form.name}: columns must have equally many rows; they have: {said}")
        scalar = self._scalar({argument: own.type for argument, own in found.items()})
        if all(isinstance(own, pa.Array) for own in found.values()):
            results = self._chunk(found, scalar)
        else:
            chunks = pa.table(found).to_batches()
            parts = [self._chunk(dict(zip(batch.schema.names, batch.columns)), scalar) for batch in chunks]
            kinds = [field.type for field in self._fields(scalar)]
            results = [pa.chunked_array([part[k] for part in parts], type=kind) for k, kind in enumerate(kinds)]
        return form.result(*results) if form.result else results[0]

    def _settings(self, chosen):
        """Takes what is no array: a frame, and how contacts hold."""
        form, faults = self.form, []
        for name, value in [*chosen.items(), *self.keywords.items()]:
            if name in form.chosen or name in form.settings:
                self.same[name] = value
            elif name not in self.shapes:
                faults.append(f"it has no argument {name!r}")
        faults += [f"{name} is missing" for name in form.chosen if name not in self.same]
        if faults:
            raise TypeError(f"{form.name}() takes a table or columns, then by name {_listed(form)}; {faults[0]}")

    def _any(self, found):
        name = self.form.name
        if not found:
            raise TypeError(f"{name}: no argument is a column; call the robot's own {name} with arrays")

    def _constant(self, argument, value, shape):
        value = np.asarray(value)
        if value.shape != shape:
            of = f"{self.form.name}: {argument} has shape {value.shape}"
            raise ValueError(f"{of}; what is no column holds for all rows and must be of shape {shape}")
        return value

    def _scalar(self, kinds):
        """The precision of the results."""
        is_single = self.function.dtype == np.float32 or kinds and all(columns.scalar_type(kind) == pa.float32() for kind in kinds.values())
        return pa.float32() if is_single else pa.float64()

    def _fields(self, scalar):
        names = [name for name, _ in self.function.outputs]
        into = {names[0]: self.into} if isinstance(self.into, str) else dict(self.into)
        if unknown := into.keys() - set(names):
            raise ValueError(f"{self.form.name} gives {', '.join(names)}, not {sorted(unknown)[0]!r}, which into= names")
        kinds = [columns.type_of(shape, scalar, self.is_variable) for shape in self.form.gives]
        return [pa.field(into.get(name, name), kind) for name, kind in zip(names, kinds, strict=True)]

    def _chunk(self, arrays, scalar):
        """Results of columns of one chunk each."""
        name, values, valid = self.form.name, {}, None
        states = len(next(iter(arrays.values())))
        for argument, array in arrays.items():
            values[argument], own = columns.numbers(array, self.shapes[argument], f"{name}: {argument}")
            valid = own if valid is None else valid if own is None else valid & own
        if valid is not None:
            # What is behind a null never reaches the function.
            values = {argument: own[valid] for argument, own in values.items()}
            states = int(valid.sum())
        results = self.function(**values, **self.same)
        results = results if self.form.result else (results,)
        shaped = zip(results, self.form.gives, strict=True)
        made = [columns.column(own.reshape(states, *shape), valid, shape, scalar) for own, shape in shaped]
        if self.is_variable:
            return [own.cast(columns.type_of(shape, scalar, True)) for own, shape in zip(made, self.form.gives)]
        return made


def _listed(form):
    names = [*form.chosen, *(name for name, _ in form.takes), *form.settings, "threads", "keep", "into", "lists"]
    return ", ".join(names)
