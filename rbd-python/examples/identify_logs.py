#!/usr/bin/env python3
"""Identifies an arm's inertias from logs in LeRobot's layout or in MCAP, on one machine or on a cluster, and draws them.

    identify_logs.py DATASET --urdf ROBOT.urdf [--engine local|ray|dask|spark] [--workers N] [--picture inertias.svg]
    identify_logs.py DATASET --urdf ROBOT.urdf --make 8      # first writes eight simulated episodes

DATASET is a folder of one of two kinds:

- LeRobot's: `meta/info.json` with the frames per second, and `data/*/*.parquet` with a row for each frame: lists of angles,
  velocities and torques in the columns that the options name, and `episode_index`.
- MCAP: files `*.mcap` with messages that have the fields of `sensor_msgs/JointState`, in JSON, protobuf or ROS 2's encoding. Joints
  are found by their names in the URDF. Times are those of `header.stamp`, or else of the log.

Each file becomes kilobytes where it is read, so that a cluster's workers need nothing but the files and `rbd`. Needs numpy,
pyarrow and, for the picture, matplotlib; for MCAP `pip install mcap mcap-protobuf-support mcap-ros2-support`.

On a cluster of Ray: `ray job submit -- python identify_logs.py s3-mounted/logs --urdf arm.urdf --engine ray`.
"""

import argparse
import functools
import importlib
import json
import pathlib
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import rbd

JOINTS = ("viscous", "coulomb")


def derivative(x, h):
    """By central differences of the fourth order; two rows at each end have none."""
    return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)


def of_parquet(file, columns, step):
    """Angles, velocities, torques and the time step of each episode of a file in LeRobot's layout."""
    table = pq.read_table(file, columns=[*columns.values(), "episode_index"])
    episodes, parts = np.asarray(table["episode_index"]), []
    for column in columns.values():
        rows = table[column].combine_chunks()
        parts.append(np.asarray(rows.flatten()).reshape(len(rows), -1).astype(float))
    for own in np.unique(episodes):
        here = episodes == own
        yield *(part[here] for part in parts), step


def messages(file, topic):
    """Times in seconds and messages of a topic of an MCAP file, as objects or dictionaries."""
    from mcap.decoder import DecoderFactory
    from mcap.exceptions import DecoderNotFoundError
    from mcap.reader import make_reader

    class Json(DecoderFactory):
        def decoder_for(self, message_encoding, schema):
            return json.loads if message_encoding == "json" else None

    decoders, missing = [Json()], []
    for package in ("mcap_protobuf", "mcap_ros2"):
        try:
            decoders.append(importlib.import_module(f"{package}.decoder").DecoderFactory())
        except ImportError:
            missing.append(f"{package.replace('_', '-')}-support")
    with open(file, "rb") as stream:
        try:
            for found in make_reader(stream, decoder_factories=decoders).iter_decoded_messages(topics=[topic]):
                yield found.message.log_time * 1e-9, found.decoded_message
        except DecoderNotFoundError as error:
            raise SystemExit(f"{file}: {error}; try: pip install {' '.join(missing)}") from None


def of_mcap(arm, file, topic):
    """Angles, velocities, torques and the time step of each stretch of a file without gaps."""
    times, rows, places = [], [], {}
    for time_of_log, message in messages(file, topic):
        of = message.get if isinstance(message, dict) else lambda name: getattr(message, name, None)
        names = tuple(of("name"))
        if names not in places:
            unknown = set(arm.joint_names) - set(names)
            if unknown:
                raise SystemExit(f"{file}: messages of {topic} have no joint {', '.join(sorted(unknown))}")
            places[names] = [names.index(joint) for joint in arm.joint_names]
        values = [np.asarray(of(name) or [], dtype=float) for name in ("position", "velocity", "effort")]
        if any(len(x) != len(names) for x in values):
            raise SystemExit(f"{file}: messages of {topic} need position, velocity and effort of each joint")
        times.append(stamp(of("header")) or time_of_log)
        rows.append([x[places[names]] for x in values])
    if not rows:
        raise SystemExit(f"{file}: there is no topic {topic}; name another one by --topic")
    order = np.argsort(times, kind="stable")
    times, rows = np.array(times)[order], np.array(rows)[order]
    step = np.median(np.diff(times))
    # Between two rows that are further apart something is missing.
    cuts = np.flatnonzero(np.abs(np.diff(times) - step) > step / 2) + 1
    for part in np.split(np.arange(len(times)), cuts):
        if len(part) > 1:
            yield *np.swapaxes(rows[part], 0, 1), (times[part[-1]] - times[part[0]]) / (len(part) - 1)


def stamp(header):
    """The time of a message's header in seconds; nothing if it has none."""
    of = header.get if isinstance(header, dict) else lambda name: getattr(header, name, None)
    time_of = of("stamp")
    of = time_of.get if isinstance(time_of, dict) else lambda name: getattr(time_of, name, None)
    return (of("sec") or 0) + (of("nanosec") or 0) * 1e-9


def measured(arm, file, columns, step, topic):
    """The part of one file, as bytes; seconds of this thread in all and within rbd."""
    start, inside = time.thread_time(), 0.0
    found = rbd.Identification(arm, joints=JOINTS)
    episodes = of_mcap(arm, file, topic) if file.endswith(".mcap") else of_parquet(file, columns, step)
    for q, v, tau, h in episodes:
        if len(q) < 5:
            continue
        a = derivative(v, h)
        before = time.thread_time()
        found.update(q[2:-2], v[2:-2], a, tau[2:-2])
        inside += time.thread_time() - before
    return found.to_bytes(), time.thread_time() - start, inside


def parts_of(engine, workers, files, part):
    """The parts of all files, in no order: `part` gives that of one."""
    if engine == "local":
        if workers == 1:
            return [part(file) for file in files]
        import concurrent.futures
        import multiprocessing

        # Threads of numpy and pyarrow do not survive a fork.
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
            return list(pool.map(part, files, chunksize=max(len(files) // workers // 4, 1)))
    if engine == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, ignore_reinit_error=True)

        def of(batch):
            found = [part(file) for file in batch["file"].to_pylist()]
            return pa.table(dict(zip(("part", "all", "inside"), map(list, zip(*found)))))

        names = ray.data.from_items([{"file": file} for file in files], override_num_blocks=min(len(files), 4 * workers))
        rows = names.map_batches(of, batch_format="pyarrow", batch_size=None).take_all()
        return [(row["part"], row["all"], row["inside"]) for row in rows]
    if engine == "dask":
        import dask
        import dask.bag

        bag = dask.bag.from_sequence(files, npartitions=min(len(files), 4 * workers))
        with dask.config.set(scheduler="processes", num_workers=workers):
            return bag.map(part).compute()
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master(f"local[{workers}]").getOrCreate()

    def batches(all_of):
        for batch in all_of:
            found = [part(file) for file in batch["file"].to_pylist()]
            yield pa.RecordBatch.from_pydict(dict(zip(("part", "whole", "inside"), map(list, zip(*found)))))

    names = session.createDataFrame([(file,) for file in files], "file string").repartition(min(len(files), 4 * workers))
    rows = names.mapInArrow(batches, "part binary, whole double, inside double").collect()
    return [(bytes(row["part"]), row["whole"], row["inside"]) for row in rows]


def other_bodies(arm, rng):
    """Inertial parameters of heavier bodies, with other centres of mass, that can exist."""
    p = rbd.physical.pseudo_inertia(arm.inertial_parameters())
    move = np.eye(4) + 0.15 * np.pad(rng.normal(size=(len(p), 3, 4)), ((0, 0), (0, 1), (0, 0))) * [1, 1, 1, 0.2]
    return rbd.physical.from_pseudo_inertia(rng.uniform(0.9, 1.5, size=(len(p), 1, 1)) * move @ p @ np.swapaxes(move, 1, 2))


def make(folder, arm, true, episodes, columns, frames=4000, fps=100, noise=0.3, seed=0):
    """Writes episodes in which joints follow sums of sines, in LeRobot's layout."""
    rng, step = np.random.default_rng(seed), 1 / fps
    data = folder / "data" / "chunk-000"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "meta").mkdir(exist_ok=True)
    vector = {"dtype": "float32", "shape": [arm.NV]}
    features = {column: vector for column in columns.values()}
    info = {"codebase_version": "v2.1", "fps": fps, "total_episodes": episodes, "total_frames": episodes * frames, "features": features}
    info |= {"data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet", "chunks_size": 1000}
    (folder / "meta" / "info.json").write_text(json.dumps(info, indent=2))
    friction = rng.uniform(0.2, 1.0, size=(2, arm.NV))
    t = step * np.arange(frames)[:, None, None]
    for episode in range(episodes):
        w = 2 * np.pi * rng.uniform(0.1, 0.8, size=(5, arm.NV))
        size, phase = rng.normal(size=(5, arm.NV)) / w, rng.uniform(0, 7, size=(5, arm.NV))
        q, v, a = ((size * f).sum(axis=1) for f in (np.sin(w * t + phase), w * np.cos(w * t + phase), -(w**2) * np.sin(w * t + phase)))
        tau = arm.rnea(q, v, a, inertia=true) + friction[0] * v + friction[1] * np.sign(v) + noise * rng.normal(size=q.shape)
        rows = {}
        for name, x in (("position", q), ("velocity", v), ("torque", tau)):
            rows[columns[name]] = pa.FixedSizeListArray.from_arrays(pa.array(x.astype(np.float32).ravel()), arm.NV)
        rows["timestamp"] = pa.array((step * np.arange(frames)).astype(np.float32))
        rows["frame_index"] = pa.array(np.arange(frames))
        rows["episode_index"] = pa.array(np.full(frames, episode))
        rows["index"] = pa.array(np.arange(frames) + episode * frames)
        rows["task_index"] = pa.array(np.zeros(frames, dtype=np.int64))
        pq.write_table(pa.table(rows), data / f"episode_{episode:06d}.parquet")
    return friction


def draw(picture, arm, sets):
    """Bodies as ellipses of two standard deviations of their mass, seen from the side, in one posture."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Ellipse

    q = np.clip(np.full(arm.NQ, 0.6), arm.lower_limits(), arm.upper_limits())
    poses = arm.forward_kinematics(q)
    figure, axes = plt.subplots(1, len(sets), sharex=True, sharey=True, figsize=(4 * len(sets), 4.5))
    for ax, (name, inertia) in zip(np.atleast_1d(axes), sets.items()):
        at = np.vstack([np.zeros(3), poses[:, :3, 3]])
        ax.plot(at[:, 0], at[:, 2], "o-", color="0.75", zorder=0)
        for k, (pose, x) in enumerate(zip(poses, inertia)):
            mass, centre = x[0], x[1:4] / x[0]
            spread = rbd.physical.pseudo_inertia(x)[:3, :3] / mass - np.outer(centre, centre)
            turned = (pose[:3, :3] @ spread @ pose[:3, :3].T)[np.ix_([0, 2], [0, 2])]
            values, vectors = np.linalg.eigh(turned)
            angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
            middle = (pose[:3, :3] @ centre + pose[:3, 3])[[0, 2]]
            size = 4 * np.sqrt(np.maximum(values, 0))
            ax.add_patch(Ellipse(middle, size[1], size[0], angle=angle, facecolor=f"C{k % 10}", alpha=0.4, edgecolor=f"C{k % 10}"))
            ax.annotate(f"{mass:.1f}", middle, fontsize=7, ha="center", va="center")
        ax.set(title=name, xlabel="x, m", aspect="equal")
    np.atleast_1d(axes)[0].set_ylabel("z, m")
    figure.suptitle("Bodies as ellipses of two standard deviations of their mass; masses in kg", fontsize=9)
    figure.tight_layout()
    figure.savefig(picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=pathlib.Path)
    parser.add_argument("--urdf", required=True)
    parser.add_argument("--engine", choices=["local", "ray", "dask", "spark"], default="local")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--position", default="observation.state")
    parser.add_argument("--velocity", default="observation.velocity")
    parser.add_argument("--torque", default="observation.effort")
    parser.add_argument("--topic", default="/joint_states", help="of MCAP files")
    parser.add_argument("--make", type=int, metavar="EPISODES", help="first write so many simulated ones of another robot")
    parser.add_argument("--picture", type=pathlib.Path)
    given = parser.parse_args()
    columns = {name: getattr(given, name) for name in ("position", "velocity", "torque")}
    needed = ["rnea", "regressor", "forward_kinematics"]
    arm = rbd.load(given.urdf, functions=needed, inertia="all", allow=["damping-ignored", "inertia-triangle"])
    sets, true = {"URDF": arm.inertial_parameters()}, None
    if given.make:
        true = other_bodies(arm, np.random.default_rng(1))
        make(given.dataset, arm, true, given.make, columns)
    kind = next((kind for kind in ("*.mcap", "data/*/*.parquet") if any(given.dataset.glob(kind))), None)
    if kind is None:
        sys.exit(f"{given.dataset} has neither data/*/*.parquet nor *.mcap")
    step = None if kind == "*.mcap" else 1 / json.loads((given.dataset / "meta" / "info.json").read_text())["fps"]
    files = sorted(str(path.resolve()) for path in given.dataset.glob(kind))
    start = time.perf_counter()
    part = functools.partial(measured, arm, columns=columns, step=step, topic=given.topic)
    parts = parts_of(given.engine, given.workers, files, part)
    whole = rbd.Identification(arm, joints=JOINTS)
    for part, _, _ in parts:
        whole.merge(rbd.Identification.from_bytes(arm, part))
    wall, used, inside = time.perf_counter() - start, sum(x for _, x, _ in parts), sum(x for _, _, x in parts)
    found = whole.solve()
    print(f"{whole.states} states of {len(files)} files by {given.engine}, {given.workers} workers: {wall:.2f} s")
    print(f"{whole.states / used:.3g} states/s a core; {1 - inside / used:.0%} of that time outside of rbd; {len(parts[0][0])} bytes a part")
    print(f"torques are left to {found.residual:.3f} N m; {found.rank} combinations of {found.inertia.size} numbers are told by them")
    sets["identified"] = found.inertia
    if true is not None:
        sets["simulated"] = true
        q, v, a = np.random.default_rng(9).normal(size=(3, 1000, arm.NV))
        exact = arm.rnea(q, v, a, inertia=true)
        for name in ("URDF", "identified"):
            away = np.sqrt(((arm.rnea(q, v, a, inertia=sets[name]) - exact) ** 2).mean())
            print(f"torques at other states, {name}: {away:.3f} N m away, of {np.sqrt((exact**2).mean()):.1f}")
        if away > 0.05:
            sys.exit("the robot that was simulated is not found")
    if given.picture:
        draw(given.picture, arm, sets)


if __name__ == "__main__":
    main()
