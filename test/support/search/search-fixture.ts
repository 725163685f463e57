// A small tree of everything that makes searching hard, and the queries that are asked of it. The
// answers of ripgrep 15.1 stand in test/fixtures/search/ripgrep.json.

const bytes = (...parts: (string | readonly number[])[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) =>
      typeof part === 'string' ? [...new TextEncoder().encode(part)] : part,
    ),
  );

const utf16 = (text: string, isBigEndian: boolean): Uint8Array => {
  const units = [...`\uFEFF${text}`].map((char) => char.charCodeAt(0));
  return bytes(
    units.flatMap((unit) => (isBigEndian ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8])),
  );
};

const fixtureContents: Readonly<Record<string, string | Uint8Array>> = {
  '.gitignore': 'build/\n*.log\n!kept.log\n/only-here.txt\n',
  '.hidden/note.txt': 'apple hidden\n',
  'app.ts':
    'import { apple } from "./lib/apple";\n\nexport function run(): void {\n  apple(1);\n}\n',
  'app-two.ts': 'class Two extends One {\n  apple = 2; // TODO\n}\n',
  'lib/apple.ts': 'export const apple = (n: number) => n + 1;\nconst Apple = { apple };\n',
  'lib/.gitignore': 'local.txt\n',
  'lib/local.txt': 'apple local\n',
  'lib/view.tsx': 'export const View = () => <b>apple</b>;\n',
  'build/out.js': 'apple built\n',
  'trace.log': 'apple log\n',
  'kept.log': 'apple kept\n',
  'only-here.txt': 'apple at the root\n',
  'lib/only-here.txt': 'apple in lib\n',
  'windows.txt': 'apple\r\nbanana apple\r\ncherry\r\n',
  'no-end.txt': 'banana apple',
  'blank.txt': 'apple\n\n\n',
  'empty.txt': '',
  'old-mac.txt': 'apple\rbanana\rcherry',
  'utf16-le.txt': utf16('apple\nbanana\n', false),
  'utf16-be.txt': utf16('apple be\nbanana\n', true),
  'bom.txt': '\uFEFFapple bom\nbanana\n',
  'latin1.txt': bytes('caf', [0xe9], ' apple\nnext apple\n'),
  'broken.txt': bytes('apple ', [0xe2, 0x82], ' end\n', [0xf0, 0x9f], '\n'),
  'binary.dat': bytes('apple ', [0], '\napple after\n'),
  'unicode.txt': 'stra\u00dfe \u017fafe \u212aelvin \u00e9\napple\u2028banana\nnext\u0085line\n',
  'scripts.txt':
    'x\u00a0y apple\n\u0663 digits 42\n\u03b1\u03b2\u03b3_word \u0391\u0392\n\u65e5\u672c caf\u00e9 \u{1f469}\n',
  'control.txt': 'a\vapple\fb\n\u001b[31mred apple\u001b[0m\n',
  'code.go':
    'type T interface{}\nfunc (t *T) Apple(a int) map[string]interface{} {\n\treturn nil\n}\n',
  'struct.ts': 'interface A {\n  apple?: string;\n  b: number;\n}\n\ninterface B { apple: 1 }\n',
  'dates.md': '# Apple\n\n- apple 2024-01-31\n- 10.0.0.1 v1.2.3 #ff00AA\n',
  'name with blank.txt': 'apple in a name\n',
  'colon:name.txt': 'apple in a colon\n',
  '-dash.txt': 'apple in a dash\n',
  'near.txt': 'apple\none\ntwo\nthree\napple\nfour\nfive\napple\n',
};

/** A tree to search. */
export interface SearchFiles {
  readonly contents: Readonly<Record<string, string | Uint8Array>>;
  /** When a file was written, in seconds. */
  mtimeOf(name: string): number;
}

/** They are given three moments in turn, so that some share one. */
export function toSearchFiles(contents: SearchFiles['contents']): SearchFiles {
  const mtimes = new Map(Object.keys(contents).map((name, at) => [name, 1000 + (at % 3)]));
  return { contents, mtimeOf: (name) => mtimes.get(name) ?? 0 };
}

export const searchFixture: SearchFiles = toSearchFiles(fixtureContents);

const content = { output_mode: 'content' };
const contentPatterns = [
  ...['apple', 'Apple', 'nothing-like-it', '', '.', 'x*', '^', '$', '^$', '^apple', 'apple$'],
  ...['^\\s*$', '\\Aapple', 'apple\\z', '\\bapple\\b', '\\Bpple', '\\<apple\\>', '\\b{start}a'],
  ...['apple\\b{end}', '\\b{start-half}b', 'a\\b{end-half}', 'apple|banana', '(apple|TODO)+'],
  ...['a.ple', 'ap{2}le', 'ap{1,}le', 'a{2,3}', 'p{ 2 }', 'ap+?l', 'a(?:p)(?P<x>p)(?<y>l)e'],
  ...[
    '(?i)APPLE',
    '(?i:A)pple',
    '(?i)k',
    '(?i)s',
    '(?i)stra\u00dfe',
    '(?x) a p # c\n p',
    '(?U)a.+e',
  ],
  ...[
    '(?s)a.*e',
    '(?-u)\\w+',
    '(?m)^apple$',
    '\\d+',
    '\\d{4}-\\d{2}-\\d{2}',
    '\\D\\d',
    '\\w+\\(',
    '\\W\\w',
  ],
  ...[
    '\\s\\S',
    '[0-9.]+',
    '[^a-z\\s]',
    '[a-c&&[^b]]pple',
    '[a-z--[b-z]]pple',
    '[a~~b]pple',
    '[]a]p',
  ],
  ...[
    '[^]a]p',
    '[-a]p',
    '[a-]p',
    '[[:upper:]]',
    '[[:^alnum:]]apple',
    '[\\w-]+-\\d',
    '[\\]\\[]',
    '[a&&b]',
  ],
  ...[
    '\\p{Lu}',
    '\\p{Greek}+',
    '\\p{script=Han}',
    '\\pN',
    '\\P{ASCII}',
    '\\p{gc=L}\\p{Nd}',
    '\\p{greek}',
  ],
  ...[
    '\\x61pple',
    '\\x{1F469}',
    '\\u{e9}',
    '\\u0061p',
    '\\t',
    '\\v|\\f|\\x1b',
    '\\{\\}',
    'interface\\{\\}',
  ],
  ...[
    'a\\-b|\\_|\\#',
    '\\/',
    '\\"',
    '=> ',
    '->',
    '-dash',
    'caf.',
    '\\[31m',
    '[\\n\\r]',
    '(a|\\n)pple',
  ],
  ...[
    'apple.banana',
    '\u{1f469}',
    '[\u03b1-\u03b3]+',
    '[\u017fK]',
    '(?-i)apple',
    '\\bx|e\\b',
    'e\\r',
  ],
];

const refusedPatterns = [
  ...[
    'a)',
    '(a',
    '[a',
    'a{2',
    'interface{}',
    '=> {',
    '{',
    '*a',
    'a|*',
    '+',
    'a{3,2}',
    'a{,2}',
    'a{,}',
  ],
  ...[
    '(?=a)',
    '(?<!a)',
    '\\1',
    '\\0',
    '\\Z',
    '\\e',
    '\\',
    '(?z)a',
    '(?i',
    '(?)',
    '(?i-)a',
    '(?P<n',
  ],
  ...[
    '(?P<1>a)',
    '(?P<n>a)(?P<n>b)',
    '\\p{Nope}',
    '\\pQ',
    '[z-a]',
    '[a-\\d]',
    '[\\b]',
    '\\xg',
    '\\x{110000}',
  ],
  ...['\\x{D800}', 'a\\nb', '\\n', '[\\n]', '\\x00', '(?x)a # c', '\\b{middle}'],
];

const multilinePatterns = [
  ...[
    'apple',
    'apple\\n',
    'apple\\n\\w',
    '\\n\\n',
    '\\{[^}]*\\}',
    'interface.*\\}',
    '(?-s)a.*e',
    '^\\}$',
  ],
  ...[
    '\\Aapple',
    'apple$\\n',
    'class[\\s\\S]*?TODO',
    '[^x]apple',
    'one\\n.*three',
    'e\\r\\nb',
    '\\s+apple',
  ],
];

const filters = [
  ...[
    '**/*.ts',
    '*.{ts,tsx}',
    '*.ts,*.md',
    '*.ts *.md',
    '/app.ts',
    'lib/*.ts',
    '**/lib/**',
    '*',
    '**/.*',
  ],
  ...[
    '.*',
    'lib',
    '*.TS',
    '{app,struct}.ts',
    '*.log',
    'only-here.txt',
    '!*.ts',
    '!lib',
    '!**/lib/**',
    '[!a]*.ts',
  ],
  ...['app?two.ts', 'build/**', 'build', 'lib/**,!*.tsx', '/*', '*/*.ts', '[a-c]*.txt', 'lib/'],
].map((glob) => ({ pattern: 'apple', glob }));

export type SearchQuery = Readonly<Record<string, string | number | boolean>> & {
  readonly pattern: string;
};

/** All of them, in the order of the recorded answers. `head_limit` is 0 where a query has none. */
export const searchQueries: readonly SearchQuery[] = [
  { pattern: 'apple' },
  { pattern: 'banana', '-i': true },
  { pattern: 'apple', head_limit: 3, offset: 2 },
  { pattern: 'apple', output_mode: 'count' },
  { pattern: 'p', output_mode: 'count', '-i': true },
  ...contentPatterns.map((pattern) => ({ ...content, pattern })),
  ...['apple', 'K', 's', '\u00c9', '[a-c]PPLE', '\\p{Lu}', '[^A]pple', '(?-i)apple'].map(
    (pattern) => ({
      ...content,
      pattern,
      '-i': true,
    }),
  ),
  ...refusedPatterns.map((pattern) => ({ ...content, pattern })),
  ...multilinePatterns.map((pattern) => ({ ...content, pattern, multiline: true })),
  ...multilinePatterns.map((pattern) => ({ pattern, output_mode: 'count', multiline: true })),
  ...['apple', '\\w+', 'a|\\d', '\\b'].map((pattern) => ({
    ...content,
    pattern,
    '-o': true,
  })),
  ...['apple\\n\\w+', 'a[^x]p', '.+', '\\n\\n'].map((pattern) => ({
    ...content,
    pattern,
    '-o': true,
    multiline: true,
  })),
  ...[{ '-A': 1 }, { '-B': 1 }, { '-C': 1 }, { context: 2 }, { '-A': 0 }, { '-A': 2, '-B': 1 }].map(
    (around) => ({ ...content, pattern: 'apple', ...around }),
  ),
  { ...content, pattern: 'apple', '-C': 1, '-n': false },
  { ...content, pattern: 'apple', '-C': 1, '-o': true },
  { ...content, pattern: 'apple', head_limit: 4, offset: 3 },
  ...filters,
  ...['ts', 'js', 'md', 'go', 'json', 'html', 'nosuchtype', 'all'].map((type) => ({
    pattern: 'apple',
    type,
  })),
  { pattern: 'apple', type: 'ts', glob: '*.md' },
  { pattern: 'apple', type: 'ts', glob: '!app*' },
  ...['lib', 'app.ts', 'build', 'build/out.js', 'trace.log', 'nowhere'].map((path) => ({
    pattern: 'apple',
    path,
  })),
  { pattern: 'apple', path: 'lib', glob: 'lib/*.ts' },
  { pattern: 'apple', path: 'app.ts', glob: '*.md' },
];
