// Parses an instruction file: the frontmatter of a rule, comments for people, and imports by
// `@path`. Pure; instructions.ts reads the files. The syntax is that of Claude Code's documentation
// (https://code.claude.com/docs/en/memory).

/** The parsed content of a file. */
export interface InstructionText {
  /** Without frontmatter and comments; trimmed. */
  readonly text: string;
  /** Globs of a rule, which is sent when a matching file is read. Left out: it is always sent. */
  readonly globs?: readonly string[];
  /** The paths as they are written, in order, without duplicates. */
  readonly imports: readonly string[];
}

/** `isRule`: the file may begin with frontmatter. Never throws: invalid parts are text. */
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

/**
 * Returns the lines between the first two `---`; undefined if the file doesn't begin with `---`.
 */
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

/** Splits at commas, except those in quotes and in the groups of a glob. */
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

/** Removes quotes, or a comment after the value. */
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
 * Removes HTML comments that begin a line; they are notes for people. Comments in code, and one
 * without an end, are kept.
 */
function dropComments(lines: readonly string[]): readonly Line[] {
  const kept: Line[] = [];
  /** The open fence. It is closed by at least as many of the same characters. */
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

// Requires a space before it, so an email address doesn't match. A backslash escapes a space in the
// path.
const importForm = /(?<![^\s(])@(?<path>(?:\\ |[^\s`"'])+)/gu;

// 1000: paths of files are shorter, and each is looked up.
const maxImportLength = 1_000;

/** Imports outside of code. A full stop or a bracket after a path belongs to the sentence. */
function* readImports(lines: readonly Line[]): Generator<string, void> {
  const text = lines
    .filter(({ isCode }) => !isCode)
    .map(({ line }) => line)
    .join('\n');
  for (const { groups } of dropCodeSpans(text).matchAll(importForm)) {
    const written = groups?.['path'] ?? '';
    // Security: checked before the search for its end, whose time is quadratic in its length.
    if (written.length > maxImportLength) continue;
    const path = written.replace(/[.,;:!?)\]]+$/u, '').replaceAll('\\ ', ' ');
    if (path !== '') yield path;
  }
}

/**
 * A code span ends with as many backticks as it began with. It may span several lines, but no empty
 * one.
 */
function dropCodeSpans(text: string): string {
  return text
    .split(/\n\s*\n/u)
    .map((paragraph) => {
      const parts = paragraph.split(/(`+)/u);
      let kept = '';
      for (let at = 0; at < parts.length; at += 1) {
        const part = parts[at] ?? '';
        // Matches are at odd indexes.
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
