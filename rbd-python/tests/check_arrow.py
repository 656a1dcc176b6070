"""What `rbd.arrow` must do: `run.py` calls it where pyarrow is installed.

    check_arrow.py ROBOTS

Columns are made and read by pyarrow's own functions on lists, and compared with the robot's functions on arrays. Polars,
duckdb and datafusion are tried where they are installed.
"""

import importlib
import inspect
import pathlib
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rbd
from common import near, refused

ROBOTS = pathlib.Path(sys.argv[1])
ALLOWED = {"allow": ["damping-ignored", "inertia-triangle"]}
FUNCTIONS = ["dynamics", "bodies", "frames", "centroidal", "energy", "coriolis", "regressors"]


def robot(name="double_pendulum", **options):
    return rbd.load(ROBOTS / f"{name}.urdf", **({"functions": FUNCTIONS} | ALLOWED | options))


def kind_of(shape, scalar=None):
    kind = scalar or pa.float64()
    for n in reversed(shape):
        kind = pa.list_(kind, n)
    return kind


def column(array, scalar=None):
    """A column of arrays, by way of lists."""
    return pa.array(array.tolist(), type=kind_of(array.shape[1:], scalar))


def read(own, shape):
    """A column as an array, by way of lists."""
    return np.array(own.to_pylist(), dtype=float).reshape(-1, *shape)


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"arrow: no {name}, which is not tried", flush=True)
        return None


def random(arm, n, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n, arm.NQ))
    if arm.NQ != arm.NV:
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    more = {name: rng.normal(size=(n, arm.NV)) for name in ("v", "a", "tau", "mu", "lambda_", "dv")}
    more |= {"t": rng.random(n), "uniform": rng.random((n, arm.NV)), "fext": rng.normal(size=(n, arm.NB, 6))}
    return {"q": q, "q0": q, "q1": q[::-1].copy()} | more


def values():
    """Every function: a table, columns, and columns in chunks."""
    arm, n = robot(base="floating"), 11
    given = random(arm, n)
    table = pa.table({name: column(array) for name, array in given.items()})
    chunks = pa.concat_tables([table[:4], table[4:4], table[4:]])
    for name, function in arm.functions.items():
        names = list(inspect.signature(function).parameters)
        takes = [key for key in names if key in given]
        chosen = {"frame": arm.FRAMES[-1], "reference": "world"}
        chosen = {key: value for key, value in chosen.items() if key in names}
        expected = function(*(given[key] for key in takes), **chosen)
        of = getattr(arm.arrow, name)
        gives = [(field, tuple(shape)) for field, shape in function.outputs]
        many = list(expected) if isinstance(expected, tuple) else [expected]
        for own in (of(table, **chosen), of(chunks, **chosen), pa.Table.from_batches([of(table.to_batches()[0], **chosen)])):
            assert own.schema.names == [field for field, _ in gives] and own.num_rows == n
            for (field, shape), array in zip(gives, many, strict=True):
                assert own.schema.field(field).type == kind_of(shape), f"{name}: {own.schema.field(field)}"
                # A batch of four, and alone, may differ in the last digit from one of eleven.
                near(read(own[field], shape), array, 1e-13, f"{name} of a table")
        found = of(*(table[key].chunk(0) for key in takes), **chosen)
        assert type(found) is (type(expected) if isinstance(expected, tuple) else pa.lib.FixedSizeListArray if gives[0][1] else pa.DoubleArray)
        for own, (_, shape), array in zip(found if isinstance(found, tuple) else [found], gives, many, strict=True):
            near(read(own, shape), array, 0, f"{name} of columns")
        found = of(*(chunks[key] for key in takes), **chosen)
        for own, (_, shape), array in zip(found if isinstance(found, tuple) else [found], gives, many, strict=True):
            assert isinstance(own, pa.ChunkedArray)
            near(read(own, shape), array, 1e-13, f"{name} of columns in chunks")
        for own in of(*(table[key].chunk(0)[:0] for key in takes), **chosen) if isinstance(found, tuple) else ():
            assert len(own) == 0
    near(read(rbd.arrow.rnea(arm, table)["tau"], (8,)), arm.rnea(given["q"], given["v"], given["a"]), 0, "the robot first")
    assert rbd.arrow.rnea(arm, table[:0]).num_rows == 0 and rbd.arrow.rnea(arm, chunks[4:4]).schema.names == ["tau"]


def copies_nothing():
    """Arguments are read where they are, and results are what the function wrote."""
    from rbd import columns

    arm, n = robot(), 50_000
    q, v, a = (np.random.default_rng(k).normal(size=(n, 2)) for k in range(3))
    made = [pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 2) for x in (q, v, a)]
    lists = pa.ListArray.from_arrays(pa.array(np.arange(n + 1, dtype=np.int32) * 2), pa.array(q.ravel()))
    for own in (made[0], lists):
        for first in (0, 7):
            here, valid = columns.numbers(own[first : first + 100], (2,), "q")
            assert valid is None and (here == q[first : first + 100]).all()
            assert here.__array_interface__["data"][0] == own.values.buffers()[1].address + 16 * first
    arm.arrow.rnea(*made)
    before = pa.total_allocated_bytes()
    tau = arm.arrow.rnea(*made)
    assert pa.total_allocated_bytes() == before, "pyarrow made copies"
    near(np.asarray(tau.flatten()).reshape(n, 2), arm.rnea(q, v, a), 0, "many states")


def nulls():
    """A null in any argument, as a whole or in one place, is a null in every result, and nothing else changes."""
    arm, n = robot(base="floating"), 20
    given = random(arm, n)
    q, v, a = (given[x].tolist() for x in "qva")
    q[3], v[5], a[7] = None, None, None
    v[9] = [None, *v[9][1:]]
    there = np.array([k not in (3, 5, 7, 9) for k in range(n)])
    kinds = {"q": kind_of((9,)), "v": pa.list_(pa.float64()), "a": pa.large_list(pa.float64())}
    table = pa.table({"q": pa.array(q, kinds["q"]), "v": pa.array(v, kinds["v"]), "a": pa.array(a, kinds["a"])})
    for own in (table, pa.concat_tables([table[:6], table[6:8], table[8:]]), pa.concat_tables([table[:1], table])[1:]):
        found = arm.arrow.rnea_derivatives(own)
        expected = arm.rnea_derivatives(given["q"], given["v"], given["a"])
        for name, array in expected._asdict().items():
            rows = found[name].to_pylist()
            assert [row is not None for row in rows] == there.tolist(), name
            assert found[name].null_count == 4
            near(np.array([row for row in rows if row is not None]), array[there], 1e-13, name)
    energy = arm.arrow.kinetic_energy(table, v="v")
    assert energy["energy"].null_count == 3 and [x is None for x in energy["energy"].to_pylist()] == [k in (3, 5, 9) for k in range(n)]
    t = pa.array([None, *given["t"][1:]], pa.float64())
    between = arm.arrow.interpolate(column(given["q0"]), column(given["q1"]), t)
    assert between.null_count == 1 and between.to_pylist()[0] is None
    nothing = arm.arrow.gravity(pa.nulls(4, kinds["q"]))
    assert nothing.null_count == 4 and nothing.to_pylist() == [None] * 4
    # What stands behind a null may be anything.
    behind = np.where(there[:, None], given["q"], np.nan)
    masked = pa.FixedSizeListArray.from_arrays(pa.array(behind.ravel()), 9, mask=pa.array(~there))
    found = arm.arrow.gravity(masked)
    near(np.array(found.drop_null().to_pylist()), arm.gravity(given["q"])[there], 1e-13, "behind a null")


def kinds():
    """Single precision, whole numbers, flat matrices, tensors."""
    arm, n = robot(base="floating"), 6
    given = random(arm, n)
    single = {x: given[x].astype(np.float32) for x in "qva"}
    table = pa.table({x: column(array, pa.float32()) for x, array in single.items()})
    tau = arm.rnea(*(single[x].astype(float) for x in "qva"))
    found = arm.arrow.rnea(table)["tau"]
    assert found.type == kind_of((8,), pa.float32())
    near(read(found, (8,)), tau, 1e-6, "single precision")
    both = arm.arrow.rnea(table.set_column(1, "v", column(single["v"].astype(float))))["tau"]
    assert both.type == kind_of((8,))
    near(read(both, (8,)), tau, 1e-15, "single and double precision")
    narrow = robot(base="floating", dtype="float32")
    for own in (table, table.set_column(1, "v", column(single["v"].astype(float)))):
        found = narrow.arrow.rnea(own)["tau"]
        assert found.type == kind_of((8,), pa.float32())
        near(read(found, (8,)), narrow.rnea(*(single[x] for x in "qva")), 0, "a robot of float32")
    whole = column(np.zeros((n, 8), dtype=int), pa.int16())
    near(read(arm.arrow.bias(column(given["q"]), whole), (8,)), arm.gravity(given["q"]), 1e-12, "whole numbers")
    q, v, a, fext = (given[x] for x in ("q", "v", "a", "fext"))
    expected = arm.rnea_fext(q, v, a, fext)
    tensor = pa.FixedShapeTensorArray.from_numpy_ndarray(fext)
    for own in (column(fext), column(fext.reshape(n, -1)), tensor, pa.chunked_array([tensor])):
        found = arm.arrow.rnea_fext(column(q), column(v), column(a), own)
        near(read(found, (8,)), expected, 0, f"forces as {own.type}")
    near(read(arm.arrow.rnea_fext(column(q), column(v), column(a), fext[0]), (8,)), arm.rnea_fext(q, v, a, fext[0]), 0, "of all")


def tables():
    """Names of columns, what is kept, readers, parameters, frames, contacts."""
    arm, n = robot(inertia=["link1"], gravity="runtime"), 9
    given = random(arm, n)
    table = pa.table({"state.q": column(given["q"]), "v": column(given["v"]), "a": column(given["a"]), "tau": pa.array(range(n))})
    q, v, a = (given[x] for x in "qva")
    near(read(arm.arrow.rnea(table, q="state.q")["tau"], (2,)), arm.rnea(q, v, a), 0, "another name")
    near(read(arm.arrow.rnea(table, q="state.q", a=np.zeros(2))["tau"], (2,)), arm.rnea(q, v, 0 * a), 0, "one for all")
    kept = arm.arrow.rnea(table, q="state.q", keep=True, into={"tau": "model"})
    assert kept.schema.names == ["state.q", "v", "a", "tau", "model"] and kept["tau"] == table["tau"]
    assert arm.arrow.rnea(table, q="state.q", keep="v", into="model").schema.names == ["v", "model"]
    moon = arm.arrow.rnea(table, q="state.q", gravity=[0, 0, -1.62])
    near(read(moon["tau"], (2,)), arm.rnea(q, v, a, gravity=[0, 0, -1.62]), 0, "gravity")
    inertia = arm.default_inertia() * np.linspace(1, 2, n)[:, None, None]
    own = arm.arrow.rnea(table.append_column("inertia", column(inertia)), q="state.q", inertia="inertia")
    near(read(own["tau"], (2,)), arm.rnea(q, v, a, inertia=inertia), 0, "inertia of each")
    taken = []
    batches = (taken.append(k) or batch for k, batch in enumerate(table.to_batches(max_chunksize=3)))
    reader = arm.arrow.rnea(pa.RecordBatchReader.from_batches(table.schema, batches), q="state.q")
    assert isinstance(reader, pa.RecordBatchReader) and taken == []
    first = reader.read_next_batch()
    assert taken == [0] and first.num_rows == 3
    near(read(pa.Table.from_batches([first, *reader])["tau"], (2,)), arm.rnea(q, v, a), 1e-13, "a reader")
    listed = arm.arrow.rnea_derivatives(table, q="state.q", lists=True)
    assert listed.schema.field("dtau_dq").type == pa.list_(pa.list_(pa.float64()))
    near(read(listed["dtau_dq"], (2, 2)), arm.rnea_derivatives(q, v, a).dtau_dq, 0, "lists")
    by_frame = arm.arrow.frame_jacobian(table, "link2", "world", q="state.q")
    near(read(by_frame["jacobian"], (6, 2)), arm.frame_jacobian(q, "link2", "world"), 0, "a frame")
    legs = robot("hyq", base="floating", contacts=["lf_foot", "rf_foot"], functions=["aba"])
    x = random(legs, 4)
    held = legs.arrow.contact_dynamics(column(x["q"]), column(x["v"]), column(x["tau"]), active=["lf_foot"], mu=1e-6)
    exact = legs.contact_dynamics(x["q"], x["v"], x["tau"], active=["lf_foot"], mu=1e-6)
    near(read(held.ddq, (18,)), exact.ddq, 0, "contacts")
    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, f"{folder}/log.parquet")
        near(read(arm.arrow.rnea(pq.read_table(f"{folder}/log.parquet"), q="state.q")["tau"], (2,)), arm.rnea(q, v, a), 0, "Parquet")


def polars():
    """Frames and series in, results back."""
    pl = optional("polars")
    if not pl:
        return
    arm, n = robot("iiwa14"), 100
    given = random(arm, n)
    q, v, a = (given[x] for x in "qva")
    frame = pl.DataFrame({x: pl.Series(given[x].tolist(), dtype=pl.Array(pl.Float64, 7)) for x in "qva"})
    tau = arm.rnea(q, v, a)
    back = pl.DataFrame(arm.arrow.rnea(frame, keep=True))
    assert back.schema["tau"] == pl.Array(pl.Float64, 7) and back.columns == ["q", "v", "a", "tau"]
    near(back["tau"].to_numpy(), tau, 0, "a frame of polars")
    near(pl.Series(arm.arrow.rnea(frame["q"], frame["v"], frame["a"])).to_numpy(), tau, 0, "series of polars")
    lazy = pl.concat([frame[:30], frame[30:]], rechunk=False).lazy()
    schema = pl.Schema({"tau": pl.Array(pl.Float64, 7)})
    found = lazy.map_batches(lambda batch: pl.DataFrame(arm.arrow.rnea(batch)), schema=schema).collect()
    near(found["tau"].to_numpy(), tau, 1e-13, "a lazy frame of polars")
    lists = pl.DataFrame({x: given[x].tolist() for x in "qva"})
    assert lists.schema["q"] == pl.List(pl.Float64)
    near(read(arm.arrow.rnea(lists)["tau"], (7,)), tau, 0, "lists of polars")
    print("arrow: polars", pl.__version__, flush=True)


def duckdb():
    """Relations, and functions in SQL."""
    db = optional("duckdb")
    if not db:
        return
    arm, n = robot("iiwa14"), 5000
    given = random(arm, n)
    table = pa.table({"k": pa.array(range(n))} | {x: pa.FixedSizeListArray.from_arrays(pa.array(given[x].ravel()), 7) for x in "qva"})
    tau = arm.rnea(*(given[x] for x in "qva"))
    connection = db.connect()
    connection.register("log", table)
    found = arm.arrow.rnea(connection.sql("SELECT * FROM log ORDER BY k"))
    near(np.array(found["tau"].to_pylist()), tau, 1e-13, "a relation of duckdb")
    vector = "DOUBLE[7]"
    connection.create_function("rnea", arm.arrow.rnea, [vector] * 3, vector, type="arrow")
    found = connection.sql("SELECT rnea(q, v, a) AS tau FROM log ORDER BY k")
    near(np.array(found.fetchnumpy()["tau"].tolist()), tau, 1e-13, "a function of duckdb")
    torques = arm.arrow.rnea(table)
    ((greatest,),) = connection.sql("SELECT max(abs(tau[1])) FROM torques").fetchall()
    near(greatest, np.abs(tau[:, 0]).max(), 0, "results in duckdb")
    print("arrow: duckdb", db.__version__, flush=True)


def datafusion():
    """Frames, and functions in SQL."""
    df = optional("datafusion")
    if not df:
        return
    arm, n = robot("iiwa14"), 1000
    given = random(arm, n)
    table = pa.table({"k": pa.array(range(n))} | {x: column(given[x]) for x in "qva"})
    tau = arm.rnea(*(given[x] for x in "qva"))
    context = df.SessionContext()
    context.from_arrow(table, name="log")
    found = arm.arrow.rnea(context.sql("SELECT * FROM log ORDER BY k"))
    near(read(found["tau"], (7,)), tau, 1e-13, "a frame of datafusion")
    vector = pa.list_(pa.float64(), 7)
    context.register_udf(df.udf(lambda q, v, a: arm.arrow.rnea(q, v, a), [vector] * 3, vector, "immutable", name="rnea"))
    found = pa.table(context.sql("SELECT rnea(q, v, a) AS tau FROM log ORDER BY k"))
    near(read(found["tau"], (7,)), tau, 1e-13, "a function of datafusion")
    print("arrow: datafusion", df.__version__, flush=True)


def identification():
    """States of a table: rows with nulls are left out."""
    arm, n = robot("iiwa14", functions=["rnea", "regressor"]), 300
    given = random(arm, n)
    q, v, a, tau = (given[x] for x in ("q", "v", "a", "tau"))
    rows = tau.tolist()
    rows[17] = None
    table = pa.table({"q": column(q), "v": column(v), "a": column(a), "effort": pa.array(rows, kind_of((7,)))})
    kept = np.delete(np.arange(n), 17)
    expected = rbd.Identification(arm).update(q[kept], v[kept], a[kept], tau[kept])
    for own in (table, pa.concat_tables([table[:100], table[100:]]), table.to_batches()[0], table.to_reader()):
        found = rbd.Identification(arm).update(own, tau="effort")
        assert found.states == n - 1
        near(found._triangle.T @ found._triangle, expected._triangle.T @ expected._triangle, 1e-12, "identification")
    refused(lambda: rbd.Identification(arm).update(table), ValueError, "update: the table has no column 'tau'")
    refused(lambda: rbd.Identification(arm).update(table, tau="effort", u="q"), TypeError, "not by u")


def errors():
    """Sentences."""
    arm = robot()
    given = random(arm, 4)
    q, v, a = (column(given[x]) for x in "qva")
    table, f = pa.table({"q": q, "v": v, "a": a, "name": pa.array(list("abcd"))}), arm.arrow
    for call, kind, said in [
        (lambda: f.rnea(table.drop_columns("v")), ValueError, "rnea: the table has no column 'v'; name one by v= or give it an array"),
        (lambda: f.rnea(table, v="speed"), ValueError, "rnea: the table has no column 'speed'"),
        (lambda: f.rnea(table, v="name"), ValueError, "rnea: v is of type string; it must be fixed_size_list<double>[2]"),
        (lambda: f.rnea(q, v, column(np.zeros((4, 3)))), ValueError, "rnea: a is of type fixed_size_list<"),
        (lambda: f.rnea(q, v, a[:3]), ValueError, "rnea: columns must have equally many rows; they have: q 4, v 4, a 3"),
        (lambda: f.rnea(q, v), TypeError, "rnea() takes a table, or q, v, a; a is missing"),
        (lambda: f.rnea(q, v, np.zeros(3)), ValueError, "rnea: a has shape (3,); what is no column holds for all rows"),
        (lambda: f.rnea(*(np.zeros(2),) * 3), TypeError, "rnea: no argument is a column; call the robot's own rnea"),
        (lambda: f.rnea(table, u=v), TypeError, "it has no argument 'u'"),
        (lambda: f.rnea(table, keep="b"), ValueError, "rnea: the table has no column 'b', which keep= names"),
        (lambda: f.rnea(table, keep="q", into="q"), ValueError, "there would be two columns 'q'; rename the result by into="),
        (lambda: f.rnea(table, into={"ddq": "x"}), ValueError, "rnea gives tau, not 'ddq', which into= names"),
        (lambda: f.frame_placement(table), TypeError, "frame is missing"),
        (lambda: f.frame_placement(table, "hand"), ValueError, 'frame is "hand"; it must be one of "link2"'),
        (lambda: f.rnea(q, v, pa.array([[1.0], [1.0, 2.0], [], [2.0]])), ValueError, "rnea: a has lists of 0 to 2 numbers"),
        (lambda: f.rneo, AttributeError, "2dof_planar has no function 'rneo' for columns"),
        (lambda: rbd.arrow.rnea(table), TypeError, "rbd.arrow.rnea takes a robot first"),
    ]:
        refused(call, kind, said)
    assert "torques" in f.rnea.__doc__.lower() and list(inspect.signature(f.rnea).parameters)[:3] == ["q", "v", "a"]


if __name__ == "__main__":
    for check in (values, copies_nothing, nulls, kinds, tables, polars, duckdb, datafusion, identification, errors):
        check()
        print(f"arrow: {check.__name__}", flush=True)
