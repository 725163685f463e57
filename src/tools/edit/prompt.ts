// The description of Edit for the model.

export const editToolName = 'Edit';

export const editDescription = 'Replaces a piece of text in a file of the workspace by another.';

export const editPrompt = `Edit changes part of a file.
- Read the file first. If it has changed since then, the edit is refused: read it again.
- old_string must stand in the file exactly as you give it, with its indentation, and only once. Take in as many lines around it as make it unique, or set replace_all to change every occurrence, as for renaming.
- Leave out the line numbers that Read shows. Write line ends as "\\n": the file keeps the line ends, the encoding and the mode that it has.
- new_string is taken literally: no placeholders, no "$&".
- An empty old_string makes a new file out of new_string; the file must not be there yet, or be empty.`;
