// The description of Read for the model.
import { pageTokens } from './schema.ts';

export const readToolName = 'Read';

export const readDescription =
  'Reads a file of the workspace: text with line numbers, an image, a PDF, or the cells of a notebook.';

export const readPrompt = `Read shows you a file.
- Each line of text comes as its number, a tab, and the line itself. Number and tab are not part of the file.
- Without offset and limit you get the file from its start, up to about ${pageTokens} tokens. A longer file comes in pages, and the answer says with which offset to go on. When you know which part you need, ask for that part.
- PNG, JPEG, GIF and WebP files come as images, large ones made smaller; a .ipynb file comes as its cells with their output.
- A PDF comes as the text of its pages, and a page without text as a picture. Give pages for a part of it. Other binary files can't be shown.
- For the files in a directory use Glob; to find a place in a file use Grep.
- Read a file before you Edit it or Write over it. If it changes after you have read it, read it again.
- Calls may run side by side: ask for all the files that you need in one turn.`;
