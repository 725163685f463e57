// The description of NotebookEdit for the model.

export const notebookEditToolName = 'NotebookEdit';

export const notebookEditDescription =
  'Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb).';

export const notebookEditPrompt = `NotebookEdit changes a notebook cell by cell.
- Read the notebook first: it shows each cell with its id. If it has changed since then, the edit is refused.
- edit_mode replace puts new_source in place of the cell's whole source. The outputs of a code cell go with the source that made them.
- edit_mode insert makes a new cell after the one that cell_id names, or at the beginning without it; cell_type is then needed.
- edit_mode delete removes the cell; new_source is then ignored: give an empty one.
- A cell without an id of its own is named by its place, as Read shows it: cell-0 is the first. Such names move with every insert and delete.
- The other cells stay as they are.`;
