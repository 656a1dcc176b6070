"""What a robot says of its joints."""

from typing import NamedTuple


class Mimic(NamedTuple):
    """The joint's position is multiplier * that of JOINTS[joint] + offset."""

    joint: int
    multiplier: float
    offset: float


class Joint(NamedTuple):
    """A moving joint; positions in rad or m, efforts in N m or N, infinite where the URDF states no limit."""

    name: str
    kind: str
    idx_q: int
    nq: int
    idx_v: int
    nv: int
    parent: "int | None"
    mimic: "Mimic | None"
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction: float
    armature: float


class CoordinateOrder(NamedTuple):
    """Places of another library's coordinates: q_other = q[order.q], and q[order.q] = q_other for the way back."""

    q: "numpy.ndarray"  # noqa: F821
    v: "numpy.ndarray"  # noqa: F821
