// The description of Glob for the model.
import { maxListedFiles } from './schema.ts';

export const globToolName = 'Glob';

export const globDescription = 'Finds files of the workspace by name, the newest first.';

export const globPrompt = `Glob finds files by their names, with ripgrep's globs.
- A pattern without a slash is looked for at every depth: "*.ts" finds src/a/b.ts. With a slash it is taken from the directory searched: "src/*.ts" finds only what is directly in src; "/*" finds what is directly in the directory searched; "src/**/*.ts" goes down.
- "?" is one character, "[a-z]" one of a class, "{a,b}" alternatives. A pattern that begins with "!" finds all files but those.
- What .gitignore, .ignore or .rgignore leave out isn't found, unless the pattern fits it by name: "*.log" finds ignored logs, but not those in an ignored directory. A pattern that fits everything, such as "**/*", therefore goes into ignored directories too: prefer one with an ending or a directory. Names that begin with a dot are found; .git and its like are not.
- You get up to ${maxListedFiles} absolute paths, the last changed first, and how many there are in all.
- To find files by what is in them use Grep.`;
