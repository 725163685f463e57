// The projects of a test config: `projects` of vitest and jest. The config
// isn't executed. Those that are objects count by the literals in them. Folders of projects need
// nothing here, because a test file has the nearest config.

/** Finds the project's literals by their names. */
export type ReadTexts = (text: string, names: string) => string[];

const begin = /\bprojects['"]?\s*:\s*\[/;
const token = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[^])*`|[{}[\]()]/g;

/** Splits a config's text into the objects of its list of projects and what is around the list. */
function split(text: string): { readonly around: string; readonly projects: string[] } {
  const head = begin.exec(text);
  if (!head) return { around: text, projects: [] };
  const start = head.index + head[0].length;
  const projects: string[] = [];
  let depth = 0;
  let from = start;
  let end = text.length;
  for (const { 0: part, index } of text.slice(start).matchAll(token)) {
    const at = start + index;
    if ('[{('.includes(part)) {
      if (depth === 0) from = at;
      depth += 1;
    } else if (']})'.includes(part)) {
      depth -= 1;
      if (depth === 0 && part === '}') projects.push(text.slice(from, at + 1));
      if (depth < 0) {
        end = at;
        break;
      }
    }
  }
  return { around: text.slice(0, head.index) + text.slice(end), projects };
}

/**
 * Returns the part of a config's text that holds for a test file. It is the first project that
 * includes the file, with what it extends, else the first that names no files.
 */
export function textForFile(
  text: string,
  readTexts: ReadTexts,
  isMatch: (glob: string, root: string) => boolean,
): string {
  const { around, projects } = split(text);
  if (projects.length === 0) return text;
  const globsOf = (project: string) => readTexts(project, 'include|testMatch');
  const holds = (project: string) => {
    const [root = '.'] = readTexts(project, 'root|rootDir');
    const matches = (glob: string) => isMatch(glob, root);
    return !readTexts(project, 'exclude').some(matches) && globsOf(project).some(matches);
  };
  const found = projects.find(holds) ?? projects.find((project) => globsOf(project).length === 0);
  if (found === undefined) return around;
  return /\bextends\s*:/.test(found) ? found + around : found;
}
