#!/usr/bin/env python3
"""Derivatives of forward dynamics of many states on a GPU, from Python by CuPy.

    rbd generate --target cuda --float robots/iiwa14.urdf --functions aba_derivatives -o gpu
    examples/gpu/torques.py gpu/iiwa14.cuh

Needs an NVIDIA GPU and CuPy (`pip install cupy-cuda12x`).
"""

import pathlib
import sys

import cupy as cp
import numpy as np

N, NV, BLOCK = 4096, 7, 128
module = cp.RawModule(code=pathlib.Path(sys.argv[1]).read_text(), options=("--std=c++17",))
kernel = module.get_function("iiwa14_aba_derivatives_kernel")

# Entry k of state i is [k, i]: neighbouring threads read neighbouring numbers.
random = np.random.default_rng(0)
q, v, tau = (cp.asarray(random.uniform(-1, 1, (NV, N)), cp.float32) for _ in range(3))
ddq = cp.empty((NV, N), cp.float32)
# By columns: [c, r, i] is entry (r, c) of state i's matrix.
ddq_dq, ddq_dv, ddq_dtau = (cp.empty((NV, NV, N), cp.float32) for _ in range(3))

blocks = (N + BLOCK - 1) // BLOCK
kernel((blocks,), (BLOCK,), (np.uint32(N), q, v, tau, ddq, ddq_dq, ddq_dv, ddq_dtau))

# M^-1 is symmetric, and its diagonal positive.
assert bool(cp.allclose(ddq_dtau, ddq_dtau.transpose(1, 0, 2), rtol=1e-4))
assert bool((ddq_dtau[cp.arange(NV), cp.arange(NV)] > 0).all())
print(ddq[:, 0])
