from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .joints import CoordinateOrder, Joint

__version__: str

_Real: TypeAlias = np.float64 | np.float32

class Function:
    """A function of a robot, on numpy arrays of one state or of many."""

    __name__: str
    __doc__: str
    @property
    def inputs(self) -> list[tuple[str, list[int]]]:
        """The arguments, each with its shape for one state."""
    @property
    def outputs(self) -> list[tuple[str, list[int]]]:
        """The results, each with its shape for one state."""
    @property
    def dtype(self) -> np.dtype[_Real]:
        """The type of its numbers, float64 or float32."""
    def __call__(
        self,
        *arguments: ArrayLike | str,
        leaving_zeros: bool = False,
        out: NDArray[_Real] | tuple[NDArray[_Real], ...] | None = None,
        threads: bool | int = False,
        **given: ArrayLike | tuple[Any, ...] | None,
    ) -> Any: ...

class Robot:
    """A robot, and functions of it that are machine code. `rbd.load` makes one."""

    NQ: int
    """Configuration coordinates: the size of q."""
    nq: int
    """The same as NQ."""
    NV: int
    """Velocity coordinates: the size of v, a and tau."""
    nv: int
    """The same as NV."""
    NB: int
    """Moving bodies."""
    nb: int
    """The same as NB."""
    NAME: str
    """The robot's name in the URDF."""
    JOINTS: tuple[Joint, ...]
    """The moving joints, depth first from the root, siblings in the URDF's order."""
    joint_names: tuple[str, ...]
    """The names of JOINTS."""
    FRAMES: tuple[str, ...]
    """Those that functions of frames were loaded for."""
    NU: int
    """How many controls `actuated=` of `rbd.load` makes."""
    ACTUATED: tuple[int, ...]
    """The velocity coordinate of each control."""
    NC: int
    """Contacts and closed loops."""
    CONTACTS: tuple[str, ...]
    """The names of contacts and closed loops."""
    contact_rows: dict[str, slice]
    """The rows of each in forces and Jacobians."""
    INERTIAS: tuple[str, ...]
    """Those that are given at run time, in order."""
    @property
    def functions(self) -> dict[str, Function]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def engine(self) -> str: ...
    @property
    def dtype(self) -> np.dtype[_Real]:
        """The type of its numbers, float64 or float32."""
    @property
    def arrow(self) -> Any: ...
    @property
    def jax(self) -> Any: ...
    @property
    def torch(self) -> Any: ...
    def neutral(self) -> NDArray[_Real]: ...
    def lower_limits(self) -> NDArray[_Real]: ...
    def upper_limits(self) -> NDArray[_Real]: ...
    def velocity_limits(self) -> NDArray[_Real]: ...
    def effort_limits(self) -> NDArray[_Real]: ...
    def default_inertia(self) -> NDArray[_Real]: ...
    def inertial_parameters(self) -> NDArray[_Real]: ...
    def default_gravity(self) -> NDArray[_Real]: ...
    def structure(self, function: str, output: str) -> NDArray[np.bool_]:
        """Which entries of a matrix can differ from zero. All others are zero in every state."""
    def pinocchio_order(self, names: Sequence[str] | None = None) -> CoordinateOrder: ...
    def __getattr__(self, name: str) -> Function: ...
