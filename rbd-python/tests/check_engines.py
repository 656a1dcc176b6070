"""Engines that use several machines, and the examples for them: `run.py` calls it where numpy and pyarrow are installed.

    check_engines.py ROBOTS EXAMPLES [local] [dask] [ray] [spark]

Engines run as clusters of two processes on this machine. Without names all are tried that are installed; Spark needs Java.
"""

import importlib.util
import json
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


def mcap(folder, logs):
    """The same logs as MCAP files in each encoding that there is a package for: names of these encodings."""
    import mcap.writer

    joints = arm().joint_names
    states = []
    for file in sorted(logs.glob("data/*/*.parquet")):
        rows = pq.read_table(file)
        columns = [np.asarray(rows[f"observation.{name}"].combine_chunks().flatten()).reshape(-1, 7) for name in ("state", "velocity", "effort")]
        states.append([x.tolist() for x in columns])

    def json_messages(stream, rows, missing=()):
        writer = mcap.writer.Writer(stream)
        writer.start()
        channel = writer.register_channel("/joint_states", "json", 0)
        for k, (q, v, tau) in enumerate(rows):
            if k in missing:
                continue
            # Joints in another order, and one that the robot does not have.
            message = {"name": ["gripper", *joints[::-1]], "position": [0, *q[::-1]], "velocity": [0, *v[::-1]], "effort": [0, *tau[::-1]]}
            writer.add_message(channel, k * 10_000_000, json.dumps(message).encode(), k * 10_000_000)
        writer.finish()

    def ros_messages(stream, rows):
        from mcap_ros2.writer import Writer

        writer = Writer(stream)
        schema = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
        for k, (q, v, tau) in enumerate(rows):
            header = {"stamp": {"sec": 1000 + k // 100, "nanosec": k % 100 * 10_000_000}, "frame_id": ""}
            message = {"header": header, "name": joints, "position": q, "velocity": v, "effort": tau}
            # The log's own times are those of a disk that waits.
            writer.write_message("/joint_states", schema, message, log_time=k // 7 * 70_000_000)
        writer.finish()

    def protobuf_messages(stream, rows):
        from mcap_protobuf.writer import Writer

        JointState = protobuf_class()
        writer = Writer(stream)
        for k, (q, v, tau) in enumerate(rows):
            message = JointState(name=joints, position=q, velocity=v, effort=tau)
            writer.write_message("/joint_states", message, log_time=k * 10_000_000)
        writer.finish()

    sys.path.insert(0, str(EXAMPLES))
    import identify_logs

    folder.mkdir()
    with open(folder / "gap.mcap", "wb") as stream:
        json_messages(stream, zip(*(x[:100] for x in states[0])), missing=range(40, 50))
    found = list(identify_logs.of_mcap(arm(), folder / "gap.mcap", "/joint_states"))
    assert [len(q) for q, *_ in found] == [40, 50], "a gap"
    assert all(abs(step - 0.01) < 1e-9 for *_, step in found), "time steps"
    assert np.array_equal(found[1][2], states[0][2][50:100]), "torques after the gap"
    writers = {"json": json_messages}
    if importlib.util.find_spec("mcap_ros2"):
        writers["ros2"] = ros_messages
    if importlib.util.find_spec("mcap_protobuf"):
        writers["protobuf"] = protobuf_messages
    for name, write in writers.items():
        (folder / name).mkdir()
        for k, rows in enumerate(states):
            with open(folder / name / f"{k}.mcap", "wb") as stream:
                write(stream, zip(*rows))
    return list(writers)


JOINT_STATE = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


def protobuf_class():
    """A message of protobuf with the fields of a joint state, and without a header."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="joint_state.proto", package="test", syntax="proto3")
    message, Field = file.message_type.add(name="JointState"), descriptor_pb2.FieldDescriptorProto
    for k, (name, kind) in enumerate({"name": Field.TYPE_STRING, **dict.fromkeys(("position", "velocity", "effort"), Field.TYPE_DOUBLE)}.items()):
        message.field.add(name=name, number=k + 1, type=kind, label=Field.LABEL_REPEATED)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("test.JointState"))


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
        if importlib.util.find_spec("mcap"):
            for encoding in mcap(folder / "mcap", logs):
                found = run("identify_logs.py", folder / "mcap" / encoding, *urdf, "--workers", 2)
                assert residual in found, f"MCAP, {encoding}: {found} is not {residual}"
                print(f"engines: MCAP of {encoding}", flush=True)
            command = [sys.executable, EXAMPLES / "identify_logs.py", folder / "mcap" / "json", *urdf, "--topic", "/arm"]
            said = subprocess.run([str(x) for x in command], env=ENVIRONMENT, capture_output=True, text=True).stderr
            assert "there is no topic /arm" in said, said
        else:
            print("engines: no mcap, whose files are not read", flush=True)
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
