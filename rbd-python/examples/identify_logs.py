#!/usr/bin/env python3
"""Identifies an arm's inertias from logs in LeRobot's layout, on one machine or on a cluster, and draws them.

    identify_logs.py DATASET --urdf ROBOT.urdf [--engine local|ray|dask|spark] [--workers N] [--picture inertias.svg]
    identify_logs.py DATASET --urdf ROBOT.urdf --make 8      # first writes eight simulated episodes

DATASET has `meta/info.json` with the frames per second, and `data/*/*.parquet` with a row for each frame: lists of angles,
velocities and torques in the columns that the options name, and `episode_index`. Each file becomes kilobytes where it is
read, so that a cluster's workers need nothing but the files and `rbd`. Needs numpy, pyarrow and, for the picture, matplotlib.

On a cluster of Ray: `ray job submit -- python identify_logs.py s3-mounted/logs --urdf arm.urdf --engine ray`.
"""

import argparse
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


def measured(arm, file, columns, step):
    """The part of one file, as bytes; seconds of this thread in all and within rbd."""
    start, inside = time.thread_time(), 0.0
    table = pq.read_table(file, columns=[*columns.values(), "episode_index"])
    episodes, parts = np.asarray(table["episode_index"]), {}
    for name, column in columns.items():
        rows = table[column].combine_chunks()
        parts[name] = np.asarray(rows.flatten()).reshape(len(rows), -1).astype(float)
    found = rbd.Identification(arm, joints=JOINTS)
    for own in np.unique(episodes):
        here = episodes == own
        if here.sum() < 5:
            continue
        q, v, tau = (parts[name][here] for name in ("position", "velocity", "torque"))
        a = derivative(v, step)
        before = time.thread_time()
        found.update(q[2:-2], v[2:-2], a, tau[2:-2])
        inside += time.thread_time() - before
    return found.to_bytes(), time.thread_time() - start, inside


def parts_of(engine, workers, arm, files, columns, step):
    """The parts of all files, in no order."""
    if engine == "local":
        if workers == 1:
            return [measured(arm, file, columns, step) for file in files]
        import concurrent.futures
        import multiprocessing

        # Threads of numpy and pyarrow do not survive a fork.
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
            n = len(files)
            return list(pool.map(measured, [arm] * n, files, [columns] * n, [step] * n, chunksize=max(n // workers // 4, 1)))
    if engine == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, ignore_reinit_error=True)

        def of(batch):
            found = [measured(arm, file, columns, step) for file in batch["file"].to_pylist()]
            return pa.table(dict(zip(("part", "all", "inside"), map(list, zip(*found)))))

        names = ray.data.from_items([{"file": file} for file in files], override_num_blocks=min(len(files), 4 * workers))
        rows = names.map_batches(of, batch_format="pyarrow", batch_size=None).take_all()
        return [(row["part"], row["all"], row["inside"]) for row in rows]
    if engine == "dask":
        import dask
        import dask.bag

        bag = dask.bag.from_sequence(files, npartitions=min(len(files), 4 * workers))
        with dask.config.set(scheduler="processes", num_workers=workers):
            return bag.map(lambda file: measured(arm, file, columns, step)).compute()
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master(f"local[{workers}]").getOrCreate()

    def batches(all_of):
        for batch in all_of:
            found = [measured(arm, file, columns, step) for file in batch["file"].to_pylist()]
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
    step = 1 / json.loads((given.dataset / "meta" / "info.json").read_text())["fps"]
    files = sorted(str(path.resolve()) for path in given.dataset.glob("data/*/*.parquet"))
    if not files:
        sys.exit(f"{given.dataset} has no data/*/*.parquet")
    start = time.perf_counter()
    parts = parts_of(given.engine, given.workers, arm, files, columns, step)
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
