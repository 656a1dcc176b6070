"""What all checks assert: numbers that are near to others, and calls that are refused with a sentence."""

import numpy as np


def near(found, expected, tolerance, what):
    """Same shape, and no entry further away than `tolerance` times the largest entry expected."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, not {expected.shape}"
    error = np.abs(found - expected).max(initial=0) / max(np.abs(expected).max(initial=0), 1e-3)
    assert error <= tolerance, f"{what}: differs by {error:.1e}"


def refused(call, kind, said):
    """The call raises an error of this kind, which says this."""
    try:
        call()
    except kind as error:
        assert said in str(error), f"{error} does not say: {said}"
    else:
        raise AssertionError(f"not refused: {said}")
