/** The table that scripts/house-rules.ts checks: what each rule forbids, where, and what to do. */

/** One rule. It checks a file's name, its lines together, or each line. */
export interface HouseRule {
  readonly name: string;
  /** What to do about a breach, and why the rule is there. */
  readonly remedy: string;
  /** Paths that the rule is about. */
  readonly files: RegExp;
  readonly breaksName?: (fileName: string) => boolean;
  readonly breaksText?: (lines: readonly string[]) => boolean;
  readonly breaksLine?: (line: string) => boolean;
}

const source = /^(src|demo|test|scripts)\/.*\.(tsx?|mjs)$/;
const shipped = /^src\/.*\.tsx?$/;

/** Names that say nothing about what a file holds. */
const empty = /^(utils?|helpers?|misc|common|managers?|types|data|info)\.tsx?$/;

/** Paths of one person's machine, and hosts of package registries. */
const workplace = /(^|['"`\s(=])\/(home|Users|root)\/[\w.-]+|\bregistry\.[\w-]+\.\w+/;

export const rules: readonly HouseRule[] = [
  {
    name: 'kebab-case',
    remedy: 'Name the file after its main export, in kebab case: createTool is in create-tool.ts.',
    files: source,
    breaksName: (name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z-]+)*\.(tsx?|mjs)$/.test(name),
  },
  {
    name: 'no-index',
    remedy: 'Import from the file that has it: an index.ts in a folder hides cycles.',
    files: /^(src|demo|test|scripts)\/.+\/.*\.tsx?$/,
    breaksName: (name) => /^index\.tsx?$/.test(name),
  },
  {
    name: 'no-drawer',
    remedy: 'Name the file after what it holds; a type lives with the noun that it describes.',
    files: source,
    breaksName: (name) => empty.test(name),
  },
  {
    name: 'no-default-export',
    remedy: 'Export it by its name: a name survives a rename and can be searched for.',
    files: source,
    breaksLine: (line) => /^export default\b|^export \{[^}]*\bas default\b/.test(line),
  },
  {
    name: 'zod-namespace',
    remedy: "Write import * as z from 'zod': the named import keeps four times the bytes.",
    files: source,
    breaksLine: (line) =>
      /^import .*from ['"]zod(\/.*)?['"]/.test(line) &&
      !/^import (type )?\* as z from ['"]zod['"]/.test(line),
  },
  {
    name: 'suppression-with-a-reason',
    remedy: 'Say why on the same line: // oxlint-disable-next-line <rule> -- <reason>.',
    files: source,
    breaksLine: (line) =>
      /\/[/*] *(oxlint|eslint)-disable/.test(line) ? !/ -- \S/.test(line) : bareTypeScript(line),
  },
  {
    name: 'suffix',
    remedy: 'Give relative imports their .ts or .tsx suffix.',
    files: source,
    breaksLine: (line) =>
      /^(import|export)\b.*from ['"]\.{1,2}\/[^'"]*['"]/.test(line) &&
      !/\.(tsx?|mjs|css|json|svg|wasm)(\?[\w&=]+)?['"]/.test(line),
  },
  {
    name: 'no-using',
    remedy: 'Dispose by hand in a finally: shipped code keeps to ES2024, and browsers differ.',
    files: shipped,
    breaksLine: (line) => /^\s*(await )?using \w+ =/.test(line),
  },
  {
    name: 'buffer-in-one-file',
    remedy:
      'Use Uint8Array: Buffer comes with what talks to git servers, and nobody else loads it.',
    files: /^src\/(?!workspace\/git\/remote\/isomorphic-git\.ts$).*\.tsx?$/,
    breaksLine: (line) =>
      /\b(from|import) ?\(?['"](node:)?(buffer|isomorphic-git)['"]/.test(line) &&
      !/^import type\b/.test(line),
  },
  {
    name: 'worker-url',
    remedy:
      'Write new Worker(new URL(…, import.meta.url), …) in one expression: bundlers find a worker ' +
      'only so, and make any other URL of a .ts file a picture of its source.',
    files: shipped,
    breaksText: (lines) =>
      /(?<!new Worker\(\s*)new URL\(\s*['"][^'"]*\.worker\.ts['"]/.test(lines.join('\n')),
  },
  {
    name: 'tool-by-name',
    remedy: "Let the tool declare what is asked of it: no code but a tool's own knows it by name.",
    files: /^src\/(?!tools\/).*\.tsx?$/,
    breaksLine: (line) =>
      /(?:\b[tT]ool\w*\.name|\btoolName|\btool_name)\s*[!=]==\s*['"`](?:[A-Z]|mcp__)/.test(line),
  },
  {
    name: 'length',
    remedy: 'Split the file by its ideas: none is longer than 600 lines.',
    files: /\.(tsx?|mjs|css|html)$/,
    breaksText: (lines) => lines.length > 601,
  },
  {
    name: 'test-length',
    remedy: 'Split the tests by behaviour: no test file is longer than 400 lines.',
    files: /\.test\.tsx?$/,
    breaksText: (lines) => lines.length > 401,
  },
  {
    name: 'no-workplace',
    remedy: "Leave out one machine's paths and registries: they mean nothing in a reader's clone.",
    files: /./,
    breaksLine: (line) => workplace.test(line),
  },
];

/** A TypeScript suppression with no sentence after it, or one that hides even a cured error. */
function bareTypeScript(line: string): boolean {
  // house-rule: suppression-with-a-reason: the pattern names what it looks for
  return /@ts-(ignore|nocheck)\b/.test(line) || /@ts-expect-error\s*$/.test(line);
}
