"""Engines that use several machines, and the examples for them: `run.py` calls it where numpy and pyarrow are installed.

    check_engines.py ROBOTS EXAMPLES [local] [dask] [ray] [spark]

Engines run as clusters of two processes on this machine. Without names all are tried that are installed; Spark needs Java.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rbd

ROBOTS, EXAMPLES = map(pathlib.Path, sys.argv[1:3])
NAMES = sys.argv[3:] or ["local", "dask", "ray", "spark"]
# LAPACK's threads take the time of one another where many processes share the cores.
ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYSPARK_PYTHON": sys.executable}
os.environ.update(ENVIRONMENT)
ROWS = 4000


def run(name, *options):
    command = [sys.executable, EXAMPLES / name, *options]
    done = subprocess.run([str(x) for x in command], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, f"{name} {' '.join(map(str, options))}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def arm():
    return rbd.load(ROBOTS / "iiwa14.urdf", functions=["rnea"])


def log(folder):
    """Two Parquet files, and their torques."""
    x = {name: np.random.default_rng(k).normal(size=(ROWS, 7)) for k, name in enumerate("qva")}
    vectors = {name: pa.FixedSizeListArray.from_arrays(pa.array(array.ravel()), 7) for name, array in x.items()}
    table = pa.table({"k": pa.array(range(ROWS)), **vectors})
    for half in range(2):
        pq.write_table(table[half * ROWS // 2 : (half + 1) * ROWS // 2], folder / f"{half}.parquet")
    return arm().rnea(*x.values())


def same(rows, expected, what):
    rows = sorted(rows, key=lambda row: row["k"])
    assert [row["k"] for row in rows] == list(range(ROWS)), what
    away = np.abs(np.array([row["tau"] for row in rows]) - expected).max()
    assert away < 1e-11, f"{what}: {away:.1e} away"


def ray(folder, expected):
    import ray

    robot = arm()
    ray.init(num_cpus=2, include_dashboard=False)
    table = ray.data.read_parquet(str(folder))
    # The line of docs/arrow.md.
    found = table.map_batches(robot.arrow.rnea, batch_format="pyarrow", batch_size=100_000, fn_kwargs={"keep": "k"})
    same(found.take_all(), expected, "ray")
    ray.shutdown()


def dask(folder, expected):
    import dask

    robot = arm()
    parts = [dask.delayed(lambda file: robot.arrow.rnea(pq.read_table(file), keep="k"))(file) for file in sorted(folder.glob("*"))]
    found = dask.compute(*parts, scheduler="processes", num_workers=2)
    same(pa.concat_tables(found).to_pylist(), expected, "dask")


def spark(folder, expected):
    from pyspark.sql import SparkSession

    robot = arm()
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    log = session.read.parquet(str(folder))
    # The line of docs/arrow.md.
    found = log.mapInArrow(lambda batches: (robot.arrow.rnea(b, keep="k", lists=True) for b in batches), "k long, tau array<double>")
    same([row.asDict() for row in found.collect()], expected, "spark")
    session.stop()


def main():
    there = {"local": True, "dask": importlib.util.find_spec("dask"), "ray": importlib.util.find_spec("ray")}
    there["spark"] = importlib.util.find_spec("pyspark") and shutil.which("java")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "columns").mkdir()
        expected = log(folder / "columns")
        urdf, logs = ["--urdf", ROBOTS / "iiwa14.urdf"], folder / "logs"
        # It compares what it finds with the robot that it simulated.
        first = run("identify_logs.py", logs, *urdf, "--make", 4)
        residual = re.search(r"left to \S+ N m; \d+", first)[0]
        mpc = [*urdf, "--flange", "iiwa_link_7", "--rollouts", 512]
        place = re.search(r"0x\S+", run("sampling_mpc.py", *mpc))[0]
        for name in NAMES:
            if not there[name]:
                print(f"engines: no {name}, which is not tried", flush=True)
                continue
            if name != "local":
                globals()[name](folder / "columns", expected)
            found = run("identify_logs.py", logs, *urdf, "--engine", name, "--workers", 2)
            assert residual in found, f"{name}: {found} is not {residual}"
            if name in ("local", "ray"):
                assert place in run("sampling_mpc.py", *mpc, "--engine", name, "--workers", 2), f"{name}: the arm moves otherwise"
            print(f"engines: {name}", flush=True)


if __name__ == "__main__":
    main()
