// What the contract of handles leaves to each face. That is when a write is a commit, what numbers
// descriptors have, and what happens to operations that overlap.
import { describe, expect, it } from 'vitest';
import { openGate } from '../../../src/workspace/files/access.ts';
import type { ContentSource } from '../../../src/workspace/state/content-source.ts';
import { Draft } from '../../../src/workspace/draft/draft.ts';
import { createLocalFileSystem } from '../../../src/workspace/files/local-file-system.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { emptyRoot } from '../../../src/workspace/tree/tree.ts';
import { watchScope } from '../../../src/workspace/files/watch-path.ts';
import { openAccess } from '../../support/files/workspaces.ts';
import { codeOf } from '../../contract/file-system-subject.ts';

async function openView() {
  const workspace = await createMemoryWorkspace();
  await workspace.fs.writeFile('/file', 'content');
  return workspace.openView({ root: 'main', minSeq: workspace.seq() }, openAccess('/'));
}

/** A draft of nothing: it asks for no contents. */
function openDraft(maxFileBytes?: number) {
  const contents: ContentSource = {
    readSync: () => new Uint8Array(0),
    readMany: async (ids) => ids.map(() => new Uint8Array(0)),
  };
  const draft = new Draft(emptyRoot, 0);
  const scope = { draft, cwd: '/', gate: openGate, now: () => 0 };
  return createLocalFileSystem(
    { ...scope, ...(maxFileBytes !== undefined && { maxFileBytes }) },
    contents,
  );
}

describe('an open file', () => {
  it('of the workspace commits each of its writes, and nothing else', async () => {
    const workspace = await createMemoryWorkspace();
    const handle = await workspace.fs.open('/file', 'w+');
    const opened = workspace.seq();
    await handle.write('one');
    await handle.write('two');
    await handle.read(new Uint8Array(1), 0, 1, 0);
    await handle.sync();
    await handle.close();
    expect([opened, workspace.seq()]).toEqual([1, 3]);
    expect(await workspace.fs.readFile('/file', 'utf8')).toBe('onetwo');
  });

  it('of a draft writes into the draft alone', async () => {
    const view = await openView();
    const handle = await view.fs.open('/file', 'r+');
    expect(view.changeSet()).toBeNull();
    await handle.write('K');
    expect(view.changeSet()?.changes.map(({ path }) => path)).toEqual(['/file']);
    view.rollback();
    expect(await handle.readFile('utf8')).toBe('ontent');
  });
});

describe('descriptors', () => {
  it('are the lowest free numbers from 3 on, each view its own', async () => {
    const [{ fs }, other] = [await openView(), await openView()];
    const [first, second] = [fs.sync.openSync('/file'), fs.sync.openSync('/file')];
    fs.sync.closeSync(first);
    expect([first, second, fs.sync.openSync('/file')]).toEqual([3, 4, 3]);
    expect(() => other.fs.sync.fstatSync(3)).toThrow("EBADF: the file is closed, fstat '3'");
    fs.sync.closeSync(4);
    expect(() => fs.sync.closeSync(4)).toThrow("EBADF: the file is closed, close '4'");
  });

  it('are no paths', async () => {
    const { fs } = await openView();
    expect(() => fs.sync.readFileSync(3 as unknown as string)).toThrow('a path is a string here');
  });
});

describe('statSync', () => {
  it('answers undefined for what is not there, if it is told to', async () => {
    const { sync } = (await openView()).fs;
    const quiet = { throwIfNoEntry: false } as const;
    expect([
      sync.statSync('/missing', quiet),
      sync.statSync('/missing/deep', quiet),
      sync.lstatSync('/missing', quiet),
      sync.statSync('/file', quiet)?.size,
    ]).toEqual([undefined, undefined, undefined, 7]);
    expect(() => sync.statSync('/file/below', quiet)).toThrow('ENOTDIR');
    expect(() => sync.statSync('/missing')).toThrow('ENOENT');
    expect(() => sync.statSync('/a\0', quiet)).toThrow('ERR_INVALID_ARG_VALUE');
  });
});

describe('operations that overlap', () => {
  it('append all that was appended', async () => {
    const { fs } = await openView();
    await Promise.all(['1', '2', '3', '4'].map((each) => fs.appendFile('/file', each)));
    expect([...(await fs.readFile('/file', 'utf8')).slice(7)].sort().join('')).toBe('1234');
  });

  it('leave a copy what it was begun with, and keep what is written meanwhile', async () => {
    const fs = openDraft();
    await fs.mkdir('/from');
    await fs.writeFile('/from/a', 'old');
    const filter = async (source: string) => {
      if (source === '/from') {
        await fs.writeFile('/from/a', 'new');
        await fs.writeFile('/from/b', '');
      }
      return source !== '/from/c';
    };
    await fs.cp('/from', '/to', { recursive: true, filter });
    expect(await fs.readdir('/', { recursive: true })).toEqual([
      'from',
      'from/a',
      'from/b',
      'to',
      'to/a',
    ]);
    expect(await fs.readFile('/to/a', 'utf8')).toBe('old');
    expect(await fs.readFile('/from/a', 'utf8')).toBe('new');
  });
});

describe('cpSync', () => {
  it('refuses a filter that answers later', () => {
    const { sync } = openDraft();
    sync.writeFileSync('/file', '');
    const filter = (async () => true) as unknown as () => boolean;
    expect(() => sync.cpSync('/file', '/copy', { filter })).toThrow('returned a promise; use cp');
    expect(sync.readdirSync('/')).toEqual(['file']);
  });
});

describe('a view with a limit', () => {
  it('refuses larger files by every operation that could make one', async () => {
    const fs = openDraft(4);
    await fs.writeFile('/file', '1234');
    const handle = await fs.open('/file', 'a');
    const codes = await Promise.all([
      codeOf(fs.writeFile('/new', '12345')),
      codeOf(fs.appendFile('/file', '5')),
      codeOf(fs.truncate('/file', 5)),
      codeOf(fs.writePart('/file', 3, '45')),
      codeOf(handle.write('5')),
    ]);
    expect(codes).toEqual(codes.map(() => 'EFBIG'));
    expect(() => fs.sync.truncateSync('/file', 9)).toThrow(
      'EFBIG: a file may have 4 bytes here, and this one would have 9',
    );
    expect(await fs.readFile('/file', 'utf8')).toBe('1234');
  });
});

describe('watching a draft', () => {
  it('tells a name once, however often it changed since it was last asked', async () => {
    const fs = openDraft();
    const watcher = fs.watch('/');
    const first = watcher.next();
    await fs.writeFile('/a', '1');
    expect((await first).value).toEqual({ eventType: 'rename', filename: 'a' });
    for (const text of ['2', '3', '4']) await fs.writeFile('/a', text);
    await fs.rm('/a');
    const rest = [(await watcher.next()).value, (await watcher.next()).value];
    expect(rest).toEqual([
      { eventType: 'change', filename: 'a' },
      { eventType: 'rename', filename: 'a' },
    ]);
    await watcher.return?.();
  });

  // Security: no operation of a view reaches a denied path; what else fills its draft may.
  it('tells no name that the view may not know', async () => {
    const gate = { ...openGate, isAbsent: (path: string) => path.startsWith('/secret') };
    const draft = new Draft(emptyRoot, 0);
    const { scope, source } = watchScope({ draft, cwd: '/', gate, now: () => 0 });
    const told: string[] = [];
    source.listen((changes) => told.push(...changes.map(({ path }) => path)));
    for (const path of ['/secret', '/shown']) {
      scope.draft.put(path, { kind: 'symlink', target: '.', mtimeMs: 0, version: 0 });
    }
    await Promise.resolve();
    expect(told).toEqual(['/shown']);
  });
});
