"""Small crates, made in the target folder, that use one robot as a user would."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def folder(name):
    """Where the crate of this name goes."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / name


def manifest(name):
    """Its Cargo.toml: of no workspace, with this repository's rbd."""
    return f"""
[package]
name = "{name}"
edition = "2024"
[workspace]
[dependencies]
rbd = {{ path = "{ROOT}" }}
nalgebra = {{ version = "0.35", default-features = false, features = ["std"] }}
"""
