"""Python environments of races, one for each set of packages."""

import subprocess
import venv


def install(folder, packages):
    """An environment in this folder with these packages, made if it is not there; its interpreter."""
    python, stamp = folder / "bin" / "python", folder / "installed"
    if not stamp.exists() or stamp.read_text() != " ".join(packages):
        venv.create(folder, with_pip=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
        stamp.write_text(" ".join(packages))
    return python
