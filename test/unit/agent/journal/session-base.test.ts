// The files that a session began with go into its file and come out of it again.
import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../../../src/agent/journal/journal-codec.ts';
import { readJournalFile, writeJournalFile } from '../../../../src/agent/journal/journal-file.ts';
import { readBase, writeBase } from '../../../../src/agent/journal/session-base.ts';
import type { BaseEntry } from '../../../../src/agent/journal/session-base.ts';
import { createMemoryWorkspace } from '../../../../src/workspace/memory-workspace.ts';

const session = { type: 'session', format: 1, id: 's', seed: 's', cwd: '/w', version: '0' };
const entries = [encodeRecord({ ...session, n: 1, time: 1 })];

describe('the base of a session file', () => {
  it('is the whole tree: directories, hidden files, links and times', async () => {
    await using one = await createMemoryWorkspace();
    await one.fs.mkdir('/w/empty', { recursive: true });
    await one.fs.mkdir('/w/.git');
    await one.fs.writeFile('/w/.git/HEAD', 'main');
    await one.fs.writeFile('/w/bytes', new Uint8Array([0, 255, 128]));
    await one.fs.utimes('/w/bytes', new Date(5000), new Date(5000));
    await one.fs.symlink('bytes', '/w/link');
    const base = await readBase(one.fs, one.seq());
    const file = await writeJournalFile('s', entries, base);
    const read = await readJournalFile(file);
    expect(read).toEqual({ sessionId: 's', entries, base });

    await using other = await createMemoryWorkspace();
    if (read.base) await writeBase(other.fs, read.base);
    const again = await readBase(other.fs, one.seq());
    expect(again).toMatchObject({
      entries: base.entries.map(({ path, type }) => ({ path, type })),
    });
    expect([...(await other.fs.readFile('/w/link'))]).toEqual([0, 255, 128]);
    expect((await other.fs.stat('/w/bytes')).mtimeMs).toBe(5000);
  });

  it.each<[string, unknown]>([
    ['a path that leads elsewhere', { path: '/w/../session/x', type: 'directory' }],
    ["a session's own path", { path: '/session/s/x', type: 'directory' }],
    ['a relative path', { path: 'w', type: 'directory' }],
    ['no kind', { path: '/w/x' }],
    ['a file without bytes', { path: '/w/x', type: 'file', mtimeMs: 1 }],
  ])('is refused with %s', async (_, entry) => {
    const bad = { seq: 1, entries: [entry as BaseEntry] };
    const file = await writeWith(bad);
    await expect(readJournalFile(file)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('is refused above 64 MB', async () => {
    const stats = {
      isDirectory: () => false,
      isSymbolicLink: () => false,
      size: 65 * 1024 * 1024,
    };
    const fs = {
      readdir: () => Promise.resolve(['big']),
      lstat: () => Promise.resolve(stats),
    } as unknown as Parameters<typeof readBase>[0];
    await expect(readBase(fs, 1)).rejects.toMatchObject({ code: 'limit-exceeded' });
  });
});

/** As whoever writes a file by hand may: without the writer's own care. */
function writeWith(base: { readonly seq: number; readonly entries: readonly BaseEntry[] }) {
  const loose = base.entries.map((entry) =>
    entry.type === 'file' && !('bytes' in entry) ? { ...(entry as object), type: 'file ' } : entry,
  );
  return writeJournalFile('s', entries, { ...base, entries: loose as readonly BaseEntry[] });
}
