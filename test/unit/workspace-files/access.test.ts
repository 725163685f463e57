import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PathAccess } from '../../../src/core/access/path-access.ts';
import { fileConstants } from '../../../src/workspace/files/file-options.ts';
import type { SyncFileSystem } from '../../../src/workspace/files/file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import type { ViewSource, WorkspaceView } from '../../../src/workspace/draft/view.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { openAccess } from '../../support/files/workspaces.ts';

let workspace: Workspace & ViewSource;

beforeEach(async () => {
  workspace = await createMemoryWorkspace();
  const { fs } = workspace;
  await fs.mkdir('/project/secret/deep', { recursive: true });
  await fs.mkdir('/project/box/secret', { recursive: true });
  await fs.writeFile('/project/box/secret/key', 'the boxed key');
  await fs.mkdir('/project/src');
  await fs.mkdir('/shared');
  await fs.mkdir('/other');
  await fs.writeFile('/project/secret/key', 'the key');
  await fs.writeFile('/project/secret/deep/key', 'the deep key');
  await fs.writeFile('/project/src/a.ts', 'a');
  await fs.writeFile('/project/src/locked.ts', 'locked');
  await fs.writeFile('/project/.env', 'asked for');
  await fs.writeFile('/shared/result.txt', 'spilled');
  await fs.writeFile('/other/file', 'outside');
  await fs.symlink('secret/key', '/project/link-to-key');
  await fs.symlink('secret', '/project/link-to-secret');
  await fs.symlink('/other', '/project/link-outside');
  await fs.symlink('../src/a.ts', '/project/secret/link-to-a');
});

async function open(changes: Partial<PathAccess> = {}): Promise<WorkspaceView> {
  const access = openAccess('/project', {
    readOnlyRoots: ['/shared'],
    rules: [
      { effect: 'deny', operation: 'read', glob: '**/secret' },
      { effect: 'deny', operation: 'write', glob: 'src/locked.ts' },
      { effect: 'ask', operation: 'read', glob: '.env' },
      { effect: 'ask', operation: 'write', glob: 'asked/**' },
    ],
    ...changes,
  });
  return workspace.openView({ root: 'main', minSeq: workspace.seq() }, access);
}

function messageOf(run: () => unknown): string {
  try {
    return `no error: ${String(run())}`;
  } catch (error) {
    return (error as Error).message.replace(/, \w+ '.*$/u, '');
  }
}

const absent = 'ENOENT: no such file or directory';
const forbidden = 'EACCES: a permission rule forbids it';
const outside = 'EACCES: the path is outside the workspace; paths must be in /project, /shared';
const askRead = 'EACCES: a person must be asked first; call the Read tool for this path, it asks';
const askEdit = 'EACCES: a person must be asked first; call the Edit tool for this path, it asks';
const readOnly = 'EROFS: it can only be read; what may be written is in /project';

const everything = { recursive: true, dereference: true };

type Attempt = readonly [expected: string, what: string, run: (fs: SyncFileSystem) => unknown];

const attempts: readonly Attempt[] = [
  // Denied for reading: not there, by whatever way.
  [absent, 'reading', (fs) => fs.readFileSync('secret/key')],
  [absent, 'reading without a copy', (fs) => fs.viewFileSync('secret/key')],
  [absent, 'reading by a dotted path', (fs) => fs.readFileSync('src/../secret/./key')],
  [absent, 'reading through a link', (fs) => fs.readFileSync('link-to-key')],
  [
    absent,
    'reading through a link to its directory',
    (fs) => fs.readFileSync('link-to-secret/key'),
  ],
  [absent, 'a link that stands among what is denied', (fs) => fs.readFileSync('secret/link-to-a')],
  [absent, 'stat', (fs) => fs.statSync('secret/deep/key')],
  [absent, 'stat below a file', (fs) => fs.statSync('secret/key/x')],
  [absent, 'stat by a dot', (fs) => fs.statSync('secret/.')],
  [absent, 'climbing out in it', (fs) => fs.statSync('secret/deep/..')],
  [absent, 'going through it', (fs) => fs.readFileSync('secret/deep/../../src/a.ts')],
  [absent, 'lstat', (fs) => fs.lstatSync('secret/link-to-a')],
  [absent, 'access', (fs) => fs.accessSync('secret')],
  [absent, 'listing', (fs) => fs.readdirSync('secret')],
  [absent, 'realpath through a link', (fs) => fs.realpathSync('link-to-secret')],
  [absent, 'readlink', (fs) => fs.readlinkSync('secret/link-to-a')],
  [absent, 'renaming it away', (fs) => fs.renameSync('secret/key', 'src/key')],
  [absent, 'copying it away', (fs) => fs.copyFileSync('secret/key', 'src/key')],
  [absent, 'copying its directory', (fs) => fs.cpSync('secret', 'mine', { recursive: true })],
  [absent, 'removing it', (fs) => fs.rmSync('secret', { recursive: true })],
  [absent, 'unlinking it', (fs) => fs.unlinkSync('secret/key')],
  [absent, 'chmod', (fs) => fs.chmodSync('secret/key', 0o777)],
  [absent, 'truncating', (fs) => fs.truncateSync('secret/key')],
  [absent, 'opening', (fs) => fs.openSync('secret/key', 'r+')],
  [absent, 'opening through a link', (fs) => fs.openSync('link-to-key')],
  [absent, 'reading a part', (fs) => fs.readPartSync('secret/key', 0)],
  [absent, 'writing a part', (fs) => fs.writePartSync('secret/key', 'end', 'mine')],
  [absent, 'a hard link to it', (fs) => fs.linkSync('secret/key', 'mine')],
  [absent, 'copying where links lead', (fs) => fs.cpSync('link-to-secret', 'src/all', everything)],
  // …but it can't be overwritten either, nor carried along with its parent.
  [forbidden, 'writing', (fs) => fs.writeFileSync('secret/key', 'mine')],
  [forbidden, 'writing below what is not there', (fs) => fs.writeFileSync('secret/no/key', '')],
  [forbidden, 'writing through a link', (fs) => fs.writeFileSync('link-to-key', 'mine')],
  [forbidden, 'appending', (fs) => fs.appendFileSync('secret/key', 'mine')],
  [forbidden, 'making a directory', (fs) => fs.mkdirSync('secret/new')],
  [forbidden, 'moving something onto it', (fs) => fs.renameSync('src/a.ts', 'secret/key')],
  [forbidden, 'copying something into it', (fs) => fs.copyFileSync('src/a.ts', 'secret/a')],
  [forbidden, 'a link in it', (fs) => fs.symlinkSync('x', 'secret/new')],
  [forbidden, 'a hard link in it', (fs) => fs.linkSync('src/a.ts', 'secret/new')],
  [forbidden, 'opening it anew', (fs) => fs.openSync('secret/key', 'w')],
  [forbidden, 'opening it as a new file', (fs) => fs.openSync('secret/key', 'wx')],
  [forbidden, 'moving its parent away', (fs) => fs.renameSync('box', 'box2')],
  [forbidden, 'removing its parent', (fs) => fs.rmSync('box', { recursive: true })],
  // Denied for writing only.
  [forbidden, 'writing what may only be read', (fs) => fs.writeFileSync('src/locked.ts', '')],
  [forbidden, 'opening what may only be read', (fs) => fs.openSync('src/locked.ts', 'r+')],
  [forbidden, 'writing a part of it', (fs) => fs.writePartSync('src/locked.ts', 0, '')],
  [forbidden, 'copying over it', (fs) => fs.cpSync('src/a.ts', 'src/locked.ts')],
  [forbidden, 'asking to write it', (fs) => fs.accessSync('src/locked.ts', fileConstants.W_OK)],
  [forbidden, 'removing it with its directory', (fs) => fs.rmSync('src', { recursive: true })],
  [forbidden, 'moving it with its directory', (fs) => fs.renameSync('src', 'lib')],
  // Outside.
  [outside, 'reading outside', (fs) => fs.readFileSync('/other/file')],
  [outside, 'reading outside by dots', (fs) => fs.readFileSync('../other/file')],
  [outside, 'reading outside by a link', (fs) => fs.readFileSync('link-outside/file')],
  [outside, 'learning what is not there', (fs) => fs.statSync('/other/no/such')],
  [outside, 'learning what is a file', (fs) => fs.statSync('/other/file/x')],
  [outside, 'going through what is there', (fs) => fs.statSync('/other/../project/src/a.ts')],
  ['no error: a', 'climbing over a root', (fs) => fs.readFileSync('../project/src/a.ts', 'utf8')],
  [outside, 'listing the root', (fs) => fs.readdirSync('/')],
  [outside, 'writing outside', (fs) => fs.writeFileSync('/other/new', '')],
  [outside, 'making directories outside', (fs) => fs.mkdirSync('/new/dir', { recursive: true })],
  [outside, 'moving something outside', (fs) => fs.renameSync('src/a.ts', '/other/a')],
  // What a rule would ask about.
  [askRead, 'reading what is asked about', (fs) => fs.readFileSync('.env')],
  [askRead, 'opening what is asked about', (fs) => fs.openSync('.env')],
  [askRead, 'opening it to read too', (fs) => fs.openSync('.env', 'a+')],
  [askRead, 'asking to read it', (fs) => fs.accessSync('.env', fileConstants.R_OK)],
  [askRead, 'a hard link to it', (fs) => fs.linkSync('.env', 'src/env')],
  [
    askRead.replace('this path', '/project/.env'),
    'a tree with it',
    (fs) => fs.cpSync('.', '/project/src/all', { recursive: true }),
  ],
  [askRead, 'copying what is asked about', (fs) => fs.copyFileSync('.env', 'src/env')],
  [askRead, 'renaming what is asked about', (fs) => fs.renameSync('.env', 'env')],
  [askEdit, 'writing what is asked about', (fs) => fs.mkdirSync('asked/new', { recursive: true })],
  // The session's own files.
  ['no error: spilled', 'reading there', (fs) => fs.readFileSync('/shared/result.txt', 'utf8')],
  [readOnly, 'writing there', (fs) => fs.writeFileSync('/shared/result.txt', '')],
  [readOnly, 'removing there', (fs) => fs.rmSync('/shared/result.txt')],
];

describe('the access of a view', () => {
  it.each(attempts)('answers "%s" to %s', async (expected, _what, run) => {
    const view = await open();
    expect(messageOf(() => run(view.fs.sync))).toBe(expected);
    expect(view.changeSet()).toBeNull();
  });

  it('judges the promises as the synchronous half', async () => {
    const { fs } = await open();
    const results = await fs.readMany(['secret/key', '.env', '/other/file', 'src/a.ts']);
    expect(results.map((one) => (one instanceof Error ? one.message.slice(0, 6) : one))).toEqual([
      'ENOENT',
      'EACCES',
      'EACCES',
      new Uint8Array([97]),
    ]);
    await expect(fs.readFile('link-to-key')).rejects.toThrow(absent);
    await expect(fs.rm('src', { recursive: true })).rejects.toThrow(forbidden);
  });

  it('gives of many files what it gives of each, however they are spelled and ordered', async () => {
    const { fs } = await open();
    const directories = [
      'src',
      '/project/src',
      '.',
      'secret',
      'box/secret',
      'link-to-secret',
      '/other',
    ];
    const ways = ['link-outside', 'secret/deep/..', 'src/../src/.', 'src//', 'none', '.env', ''];
    const names = [
      'a.ts',
      'locked.ts',
      'key',
      '.env',
      'file',
      'src',
      'link-to-a',
      '.',
      '..',
      '',
      'x\0',
    ];
    const paths = [...directories, ...ways].flatMap((one) => names.map((name) => `${one}/${name}`));
    paths.push(...names, 'src/a.ts/', `src/${'n'.repeat(256)}`, `${'./'.repeat(2045)}src/a.ts`);
    const tell = (one: unknown) => (one instanceof Error ? one.message : one);
    const alone = new Map<string, unknown>();
    for (const path of paths)
      alone.set(path, tell(await fs.readFile(path, 'utf8').catch((e) => e)));
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(paths, { minLength: 30 }), async (some) => {
        const many = await fs.readMany(some, 'utf8');
        expect(many.map(tell)).toEqual(some.map((path) => alone.get(path)));
      }),
    );
    const found = [...alone.values()].filter((one) => one === 'a' || one === 'locked');
    expect(found.length).toBeGreaterThan(5);
  });

  it('leaves denied files out of every listing', async () => {
    const { fs } = await open();
    expect(await fs.readdir('.', { recursive: true })).toEqual([
      '.env',
      'box',
      'link-outside',
      'link-to-key',
      'link-to-secret',
      'src',
      'src/a.ts',
      'src/locked.ts',
    ]);
    const walked = await fs.walk('.', { includeHidden: true });
    expect(walked.map(({ path }) => path)).toEqual([
      '/project/.env',
      '/project/link-outside',
      '/project/link-to-key',
      '/project/link-to-secret',
      '/project/src/a.ts',
      '/project/src/locked.ts',
    ]);
    expect(fs.sync.existsSync('secret/key')).toBe(false);
  });

  it('does not follow the rules of an ignore file that it may not read', async () => {
    await workspace.fs.writeFile('/project/.gitignore', 'a.ts\n');
    const rules = [{ effect: 'deny', operation: 'read', glob: '.gitignore' }] as const;
    const { fs } = await open({ rules });
    expect((await fs.walk('src')).map(({ path }) => path)).toEqual([
      '/project/src/a.ts',
      '/project/src/locked.ts',
    ]);
  });

  it('writes nothing at all where the call was judged read-only', async () => {
    const view = await open({ write: 'deny' });
    const message = 'EROFS: this call may only read; make the change with a call that may write';
    expect(messageOf(() => view.fs.sync.writeFileSync('src/a.ts', 'b'))).toBe(message);
    expect(messageOf(() => view.fs.sync.mkdirSync('src', { recursive: true }))).toBe(
      'no error: undefined',
    );
    expect(view.fs.sync.readFileSync('src/a.ts', 'utf8')).toBe('a');
    expect(view.changeSet()).toBeNull();
  });

  it('keeps the case of names: a twin of another case is another file', async () => {
    await workspace.fs.mkdir('/project/SECRET');
    await workspace.fs.writeFile('/project/SECRET/key', 'public');
    const { fs } = await open();
    expect(await fs.readFile('SECRET/key', 'utf8')).toBe('public');
    await expect(fs.readFile('secret/key')).rejects.toThrow(absent);
  });
});
