#!/usr/bin/env bash
# Machine code that is made at run time, under Valgrind: no read of what was not written, none beyond an
# array, and nothing is left over. Valgrind knows AVX2 and no AVX-512, so that it is the former's code.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v valgrind > /dev/null; then
    echo "no valgrind: machine code at run time is not run under it"
    exit 0
fi
cargo build --package rbd-jit --example each
each="${CARGO_TARGET_DIR:-target}/debug/examples/each"
for robot in "double_pendulum.urdf" "iiwa14.urdf"; do
    # Code is written to memory that had other code before.
    valgrind --quiet --smc-check=all --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=1 \
        "$each" "robots/$robot"
done
