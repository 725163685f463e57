// Takes an instruction file apart: the frontmatter of a rule, comments for people, and what it imports
// by `@path`. Pure; instructions.ts reads the files. The syntax is that of Claude Code's documentation
// (https://code.claude.com/docs/en/memory).

/** What stands in one file. */
export interface InstructionText {
  /** Without frontmatter and comments; trimmed. */
  readonly text: string;
  /** Globs of a rule: it is told when a matching file is read. Left out: always. */
  readonly globs?: readonly string[];
  /** Paths as they are written, in their order, each once. */
  readonly imports: readonly string[];
}

/** `isRule`: the file may begin with frontmatter. Never throws: what can't be understood is text. */
export function readInstructionText(source: string, isRule: boolean): InstructionText {
  const lines = source.replace(/^\ufeff/u, '').split(/\r?\n/u);
  const frontmatter = isRule ? readFrontmatter(lines) : undefined;
  const kept = dropComments(lines.slice(frontmatter?.length ?? 0));
  const globs = frontmatter && readPaths(frontmatter);
  return {
    text: kept
      .map(({ line }) => line)
      .join('\n')
      .trim(),
    ...(globs && { globs }),
    imports: [...new Set(readImports(kept))],
  };
}

/** The lines from one `---` to the next; undefined where the file doesn't begin so. */
function readFrontmatter(lines: readonly string[]): readonly string[] | undefined {
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  return end < 0 ? undefined : lines.slice(0, end + 1);
}

/** Parses the YAML forms of a list of globs: lines, brackets, commas. */
function readPaths(frontmatter: readonly string[]): readonly string[] | undefined {
  const at = frontmatter.findIndex((line) => /^paths\s*:/u.test(line));
  if (at < 0) return undefined;
  const value = toScalar((frontmatter[at] ?? '').replace(/^paths\s*:/u, ''));
  const inBrackets = /^\[(?<items>.*)\]$/su.exec(value)?.groups?.['items'];
  const items =
    value === '' ? readListItems(frontmatter.slice(at + 1)) : splitItems(inBrackets ?? value);
  const globs = items.map(toScalar).filter((item) => item !== '');
  return globs.length > 0 ? globs : undefined;
}

function readListItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (/^\s*(?:#.*)?$/u.test(line)) continue;
    const item = /^\s*-\s+(?<item>.*)$/u.exec(line)?.groups?.['item'];
    if (item === undefined) break;
    items.push(item);
  }
  return items;
}

/** At commas, but for those in quotes and in the groups of a glob. */
function splitItems(list: string): string[] {
  const items = [''];
  let depth = 0;
  let quote = '';
  for (const char of list) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    if (char === ',' && depth <= 0 && quote === '') items.push('');
    else items.push(`${items.pop() ?? ''}${char}`);
  }
  return items;
}

/** Without quotes, or without the comment behind it. */
function toScalar(value: string): string {
  const trimmed = value.trim();
  const quoted = /^(?<quote>["'])(?<text>.*?)\k<quote>\s*(?:#.*)?$/u.exec(trimmed)?.groups?.[
    'text'
  ];
  return quoted ?? trimmed.replace(/(?:^|\s)#.*$/u, '').trim();
}

interface Line {
  readonly line: string;
  readonly isCode: boolean;
}

/**
 * Leaves out HTML comments that begin a line, to their end; they are notes for people. Those in code
 * stay. One that never ends is text.
 */
function dropComments(lines: readonly string[]): readonly Line[] {
  const kept: Line[] = [];
  /** The fence that is open: only as many of the same marks, or more, close it. */
  let fence: string | undefined;
  const lastEnd = lines.findLastIndex((line) => line.includes('-->'));
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const mark = /^ {0,3}(?<mark>`{3,}|~{3,})(?<rest>.*)$/u.exec(line)?.groups;
    if (fence !== undefined) {
      kept.push({ line, isCode: true });
      const isEnd = mark?.['rest']?.trim() === '' && mark['mark']?.startsWith(fence) === true;
      if (isEnd) fence = undefined;
    } else if (mark) {
      fence = mark['mark'];
      kept.push({ line, isCode: true });
    } else if (at <= lastEnd && /^ {0,3}<!--/u.test(line)) {
      while (!lines[at]?.includes('-->')) at += 1;
      const last = lines[at] ?? '';
      const rest = last.slice(last.indexOf('-->') + '-->'.length);
      if (rest.trim() !== '') kept.push({ line: rest, isCode: false });
    } else kept.push({ line, isCode: false });
  }
  return kept;
}

// A space before it, so that no address of a person is one. A backslash takes a space into the path.
const importForm = /(?<![^\s(])@(?<path>(?:\\ |[^\s`"'])+)/gu;

// 1000: paths of files are shorter, and each is looked up.
const maxImportLength = 1_000;

/** Outside of code. A full stop or a bracket behind a path is the sentence's. */
function* readImports(lines: readonly Line[]): Generator<string, void> {
  const text = lines
    .filter(({ isCode }) => !isCode)
    .map(({ line }) => line)
    .join('\n');
  for (const { groups } of dropCodeSpans(text).matchAll(importForm)) {
    const written = groups?.['path'] ?? '';
    // Security: before its end is looked for, which takes the square of its length.
    if (written.length > maxImportLength) continue;
    const path = written.replace(/[.,;:!?)\]]+$/u, '').replaceAll('\\ ', ' ');
    if (path !== '') yield path;
  }
}

/** A span ends with as many backticks as it began with. It may go over lines, but not over an empty one. */
function dropCodeSpans(text: string): string {
  return text
    .split(/\n\s*\n/u)
    .map((paragraph) => {
      const parts = paragraph.split(/(`+)/u);
      let kept = '';
      for (let at = 0; at < parts.length; at += 1) {
        const part = parts[at] ?? '';
        // What is matched stands at the odd places.
        const end = at % 2 === 1 ? parts.indexOf(part, at + 2) : -1;
        if (end > 0) {
          kept += '``';
          at = end;
        } else kept += part;
      }
      return kept;
    })
    .join('\n\n');
}
