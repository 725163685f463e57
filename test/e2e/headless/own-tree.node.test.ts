// The headless agent on this repository's own tree, in Chromium and inline. Each tool's answer is
// held against what Node finds in the same files. Both hosts say and write the same.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagesOf, readTree, resultOf, spawnHeadless, type Run } from './headless-command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const edited = 'src/core/path.ts';
/** One that needs no package: there are none in the workspace. */
const testFile = 'test/unit/core/access/path-access.test.ts';

let folder: string;
let tree: string;
/** The tree before anything ran. */
let given: Readonly<Record<string, string>>;
let runs: { readonly browser: Run; readonly inline: Run };
/** What each call returned as data in Chromium, and what the model saw of it. */
let answers: readonly Answer[];

interface Answer {
  readonly output: Record<string, unknown>;
  readonly text: string;
}

/** What a cell counts over the tree; the same code runs in Node. */
const countCode = `
  import fs from 'node:fs';
  import path from 'node:path';
  const counts = { files: 0, bytes: 0, lines: 0, exports: 0 };
  const visit = (directory: string): void => {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const place = path.join(directory, entry.name);
      if (entry.isDirectory()) visit(place);
      else {
        const text = fs.readFileSync(place, 'utf8');
        counts.files += 1;
        counts.bytes += fs.statSync(place).size;
        counts.lines += text.split('\\n').length;
        counts.exports += [...text.matchAll(/^export (?:const|function|class) (\\w+)/gm)].length;
      }
    }
  };
  visit('src');
  JSON.stringify(counts)`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rockpool-tree-'));
  tree = join(folder, 'tree');
  for (const file of listOwnFiles()) cpSync(join(root, file), join(tree, file));
  symlinkSync('README.md', join(tree, 'link-to-readme'));

  const [first = ''] = readFileSync(join(tree, edited), 'utf8').split('\n');
  const calls = [
    ['Glob', { pattern: 'src/tools/*/schema.ts' }],
    ['Grep', { pattern: '\\bSdkError\\b', type: 'ts', head_limit: 0 }],
    ['Grep', { pattern: '^export class \\w+', output_mode: 'content', head_limit: 0 }],
    ['Grep', { pattern: 'import', path: 'src', output_mode: 'count', head_limit: 0 }],
    ['Read', { file_path: edited }],
    ['Edit', { file_path: edited, old_string: first, new_string: `${first}\n// Edited.` }],
    ['Repl', { code: countCode }],
    ['Repl', { code: `await runTests('${testFile}')` }],
    ['Repl', { code: "import fs from 'fs'; fs.rmSync('LICENSE'); fs.existsSync('LICENSE')" }],
  ] as const;
  const turns = calls.map(([name, input]) => ({ blocks: [{ type: 'tool_use', name, input }] }));
  const script = join(folder, 'script.json');
  const done = { blocks: [{ type: 'text', text: 'Done.' }] };
  writeFileSync(script, JSON.stringify({ turns: [...turns, done] }));
  const task = ['--prompt', 'Work.', '--workspace', tree, '--model', `scripted:${script}`];
  const allow = ['--allow', 'Edit(src/**)', '--allow', 'Repl(fs.remove:LICENSE)'];
  const run = (host: string) =>
    spawnHeadless([...task, ...allow, '--host', host, '--out', join(folder, host)]);
  given = readTree(tree);
  const [browser, inline] = await Promise.all([run('browser'), run('inline')]);
  runs = { browser, inline };
  answers = readAnswers(runs.browser);
});

afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** Tracked, or not yet; neither ignored nor deleted. */
function listOwnFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return names.filter((name) => name !== '' && existsSync(join(root, name)));
}

function readAnswers(run: Run): Answer[] {
  return messagesOf(run).flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    const output = message.tool_use_result as Record<string, unknown>;
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [{ output, text: String(block.content) }] : [],
    );
  });
}

const answer = (at: number) => {
  const found = answers[at];
  if (!found) throw new Error(`There is no answer ${at}: ${JSON.stringify(answers.at(-1))}`);
  return found;
};

/** The files of the tree with a line that matches, by path, with those lines and their numbers. */
function findLines(pattern: RegExp, files: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    // Files that hold a NUL are binary to a search.
    const text = readFileSync(join(tree, file), 'utf8');
    if (text.includes('\0')) continue;
    const lines = text.split('\n').flatMap((line, index) => {
      return pattern.test(line) ? [`${file}:${index + 1}:${line}`] : [];
    });
    if (lines.length > 0) found.set(file, lines);
  }
  return found;
}

const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: tree, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)));

describe("headless on this repository's own tree", () => {
  it('Glob finds the files that Node finds', () => {
    const expected = globSync('src/tools/*/schema.ts', { cwd: tree });
    expect(expected.length).toBeGreaterThan(5);
    const { filenames, truncated } = answer(0).output;
    expect([(filenames as string[]).toSorted(), truncated]).toEqual([
      expected.map((path) => `/workspace/${path}`).toSorted(),
      false,
    ]);
  });

  it('Grep names the files that a plain scan names', () => {
    const expected = findLines(/\bSdkError\b/, filesOf('**/*.{ts,mts,cts,tsx}'));
    expect(expected.size).toBeGreaterThan(20);
    const { filenames } = answer(1).output;
    expect((filenames as string[]).toSorted()).toEqual([...expected.keys()].toSorted());
  });

  it('Grep shows the lines that a plain scan shows, with their numbers', () => {
    const expected = [...findLines(/^export class \w+/, filesOf('**/*')).values()].flat();
    expect(expected.length).toBeGreaterThan(2);
    const { content } = answer(2).output;
    expect(String(content).split('\n').toSorted()).toEqual(expected.toSorted());
  });

  it('Grep counts what a plain scan counts', () => {
    const found = findLines(/import/, filesOf('src/**/*'));
    const expected = [...found].map(([file, lines]) => `${file}:${lines.length}`);
    const { content } = answer(3).output;
    expect(String(content).split('\n').toSorted()).toEqual(expected.toSorted());
  });

  it('Read shows every line of the file', () => {
    const lines = readFileSync(join(tree, edited), 'utf8').trimEnd().split('\n');
    const { output, text } = answer(4);
    const filePath = `/workspace/${edited}`;
    expect(output).toMatchObject({ file: { filePath, content: lines.join('\n'), startLine: 1 } });
    const numbered = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`);
    expect(text).toBe(numbered.join('\n'));
  });

  it('Repl counts over all files, and sees what Edit has changed', () => {
    const { output } = answer(6);
    const counted = execFileSync(
      process.execPath,
      [
        '--input-type=module-typescript',
        '--eval',
        countCode.replace('JSON.stringify(counts)', 'console.log(JSON.stringify(counts))'),
      ],
      { cwd: join(folder, 'browser'), encoding: 'utf8' },
    );
    expect(output).toMatchObject({ display: `'${counted.trim()}'`, changes: [] });
  });

  it("Repl runs one of the repository's own test files", () => {
    const summary = /Test Files {2}1 passed \(1\)\s+Tests {2}(\d+) passed \(\1\)/;
    const [, passed] = summary.exec(answer(7).text) ?? [];
    const declared = readFileSync(join(tree, testFile), 'utf8').match(/^ *it(\.each)?\(/gm);
    expect(Number(passed)).toBeGreaterThanOrEqual(declared?.length ?? 1);
  });

  it.each(['browser', 'inline'] as const)('begins, ends and complains of nothing: %s', (host) => {
    const run = runs[host];
    expect([run.status, run.stderr]).toEqual([0, '']);
    const init = { type: 'system', subtype: 'init', cwd: '/workspace' };
    expect(messagesOf(run)[0]).toMatchObject(init);
    const success = { subtype: 'success', result: 'Done.', num_turns: 10, permission_denials: [] };
    expect(resultOf(run)).toMatchObject(success);
  });

  // The inline host is the reference that the others agree with.
  it('answers the same in Chromium and inline', () => {
    // The path of a result that is too long has the session's id.
    const toText = ({ text }: Answer) => text.replaceAll(/(?<=\/session\/)[\w-]{36}/gu, 'id');
    const texts = answers.map(toText);
    expect(texts).toHaveLength(9);
    expect(texts).toEqual(readAnswers(runs.inline).map(toText));
  });

  it.each(['browser', 'inline'])(
    'gives every path, byte, link and mode back but for what the agent did: %s',
    (host) => {
      const expected = { ...given };
      expect(expected['link-to-readme']).toBe('-> README.md');
      expect(expected['.ci/run']).toMatch(/^755 /);
      delete expected['LICENSE'];
      const before = expected[edited] ?? '';
      const after = before.replace('\n', '\n// Edited.\n');
      expect(readTree(join(folder, host))).toEqual({ ...expected, [edited]: after });
    },
  );

  it('leaves the folder alone', () => {
    expect(readTree(tree)).toEqual(given);
  });
});
