// The description of Grep for the model.
import { defaultHeadLimit } from './schema.ts';

export const grepToolName = 'Grep';

export const grepDescription = 'Searches the contents of files with a regular expression.';

export const grepPrompt = `Grep searches file contents as ripgrep does, over the whole workspace or below a path.
- pattern has the syntax of Rust's regular expressions: no look-around and no backreferences. A brace that isn't a repetition must be escaped: interface\\{\\}.
- output_mode "files_with_matches" (the default) gives names, the last changed first; "content" gives lines as path:line:text; "count" gives the number of matching lines by file.
- Narrow the search with path, with glob ("*.ts", "!*.test.ts", several by commas), or with type ("ts", "py").
- A match is within one line unless multiline is set.
- You get ${defaultHeadLimit} lines or files unless head_limit says otherwise; offset gives the next ones.
- Ignored and binary files are left out, hidden ones are searched; a file that path names is searched in any case.
- To open what you found use Read; to find files by name use Glob.`;
