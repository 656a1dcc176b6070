"""Runs a notebook from beginning to end: `run.py` calls it where nbclient, ipykernel, matplotlib and jax are installed.

    check_notebook.py NOTEBOOK

Cells assert what must hold. The notebook in the repository has no outputs, and is not written.
"""

import os
import pathlib
import sys

import nbclient
import nbformat

NOTEBOOK = pathlib.Path(sys.argv[1])


def main():
    os.environ["MPLBACKEND"] = "agg"
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "clear all outputs before you commit a notebook"
    # The kernel of this environment, and no other of the same name.
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": NOTEBOOK.parent}})
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    for cell in cells:
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stdout":
                print(output.text, end="")
    print(f"notebook: {NOTEBOOK.name}, {len(cells)} cells", flush=True)


if __name__ == "__main__":
    main()
