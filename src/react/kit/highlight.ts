// A small highlighter: it recognises comments, strings, numbers and keywords by words. That is
// enough to read a diff, at a hundredth of a real grammar's size. Unknown languages stay plain.

export interface Token {
  readonly kind: 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'passed' | 'failed';
  readonly text: string;
}

/** File extensions and fence names, grouped by the look of their words. */
const languages: Readonly<Record<string, readonly string[]>> = {
  script: ['js', 'jsx', 'mjs', 'cjs', 'ts', 'tsx', 'mts', 'cts', 'javascript', 'typescript'],
  data: ['json', 'jsonc', 'json5'],
  style: ['css', 'scss'],
  hash: ['sh', 'bash', 'yaml', 'yml', 'toml', 'py', 'python'],
  diff: ['diff', 'patch'],
  // Output of test runners.
  report: ['test-report'],
};

const keywords = new Set(
  (
    'abstract as async await break case catch class const continue debugger default delete do ' +
    'else enum export extends false finally for from function get if implements import in ' +
    'instanceof interface keyof let new null of private protected public readonly return ' +
    'satisfies set static super switch this throw true try type typeof undefined var void ' +
    'while yield def elif lambda None not pass print raise True False with'
  ).split(' '),
);

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const word = String.raw`\b\d[\w.]*|[A-Za-z_$][\w$]*`;
/** The mark of a passed test, and the whole line of a failed one. */
const verdict = String.raw`(?<![^\n]) *(?:✓|[✗❯][^\n]*|[A-Z]\w*Error: [^\n]*)`;

/** Every alternative matches at least one character, and none matches in two ways. So matching takes linear time. */
const tokenizers: Readonly<Record<string, string>> = {
  script: String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|\x60(?:[^\x60\\]|\\.)*\x60?|${quoted}|${word}`,
  data: String.raw`\/\/[^\n]*|${quoted}|${word}`,
  style: String.raw`\/\*[^]*?(?:\*\/|$)|${quoted}|\b\d[\w.%]*`,
  hash: String.raw`#[^\n]*|${quoted}|${word}`,
  report: String.raw`${verdict}|\b\d+ (?:passed|failed)\b`,
};

/** The colouring for a file name or a fence's language; empty for none. */
export function languageOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const found = Object.entries(languages).find(([, names]) => names.includes(extension));
  return found?.[0] ?? '';
}

/** The tokens of each line. Joined, they are the lines again. */
export function highlightLines(lines: readonly string[], language: string): Token[][] {
  if (language === 'diff') return lines.map(toDiffTokens);
  const source = tokenizers[language];
  if (!source) return lines.map((line) => [{ kind: 'plain', text: line }]);
  const result: Token[][] = [[]];
  const push = (kind: Token['kind'], text: string) => {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) result.push([]);
      if (part !== '') result.at(-1)?.push({ kind, text: part });
    }
  };
  const text = lines.join('\n');
  let end = 0;
  for (const match of text.matchAll(new RegExp(source, 'gu'))) {
    push('plain', text.slice(end, match.index));
    push(kindOf(match[0]), match[0]);
    end = match.index + match[0].length;
  }
  push('plain', text.slice(end));
  return result;
}

/**
 * The kind of a diff's line. Its first character says it, except for the lines that name the files.
 */
export function diffLineKind(line: string): 'added' | 'removed' | 'head' | 'same' {
  if (/^(?:@@|diff |index |(?:---|\+\+\+) )/.test(line)) return 'head';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}

function toDiffTokens(line: string): Token[] {
  return [{ kind: diffLineKind(line) === 'head' ? 'comment' : 'plain', text: line }];
}

function kindOf(token: string): Token['kind'] {
  if (/^ *✓|^\d+ passed$/.test(token)) return 'passed';
  if (/^ *[✗❯]|^ *\w*Error: |^\d+ failed$/.test(token)) return 'failed';
  if (/^(?:\/\/|\/\*|#)/.test(token)) return 'comment';
  if (/^["'`]/.test(token)) return 'string';
  if (/^\d/.test(token)) return 'number';
  return keywords.has(token) ? 'keyword' : 'plain';
}
