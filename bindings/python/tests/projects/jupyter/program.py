"""Executes the notebook, and prints what its cells print."""

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read("notebook.ipynb", as_version=4)
NotebookClient(notebook, timeout=60).execute()
for cell in notebook.cells:
    for output in cell.outputs:
        print(output.get("text", output), end="")
