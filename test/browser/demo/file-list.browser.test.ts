import { describe, expect, it } from 'vitest';
import { createFileList, type FileList } from '../../../demo/files/file-list.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

/** Resolves with the paths once the list has exactly these. Bounded by the test's own time. */
async function listed(list: FileList, expected: readonly string[]): Promise<readonly string[]> {
  for (;;) {
    const { paths } = list.getSnapshot();
    if (JSON.stringify(paths) === JSON.stringify(expected)) return paths;
    await new Promise<void>((resolve) => {
      const stop = list.subscribe(() => {
        stop();
        resolve();
      });
    });
  }
}

async function open() {
  const workspace = await createMemoryWorkspace();
  const { fs } = workspace;
  await fs.mkdir('/w/lib/deep', { recursive: true });
  for (const path of ['/w/lib/a', '/w/lib/deep/b', '/w/library', '/w/z']) {
    await fs.writeFile(path, path);
  }
  const list = createFileList(workspace, '/w', (error) => {
    throw error;
  });
  await listed(list, ['/w/lib/a', '/w/lib/deep/b', '/w/library', '/w/z']);
  return { workspace, fs, list };
}

describe('createFileList', () => {
  it('drops all files of a directory that was removed, and no others', async () => {
    const { fs, list } = await open();
    await fs.rm('/w/lib', { recursive: true });
    expect(await listed(list, ['/w/library', '/w/z'])).toEqual(['/w/library', '/w/z']);
    list[Symbol.dispose]();
  });

  it('shows the files of a directory that was renamed under their new names only', async () => {
    const { fs, list } = await open();
    await fs.rename('/w/lib', '/w/moved');
    const paths = ['/w/library', '/w/moved/a', '/w/moved/deep/b', '/w/z'];
    expect(await listed(list, paths)).toEqual(paths);
    list[Symbol.dispose]();
  });

  it('keeps what is made in the place of a removed directory by the same commit', async () => {
    const { workspace, list } = await open();
    const [version = 0] = await workspace.versions(['/w/lib']);
    const [baseVersion] = [workspace.seq()];
    const made = { mode: 0o755, mtimeMs: 0 };
    const changes = [
      { type: 'remove', path: '/w/lib', baseVersion, recursive: true },
      { type: 'mkdir', path: '/w/lib', baseVersion: version, ...made },
      { type: 'write', path: '/w/lib/new', baseVersion: 0, content: new Uint8Array(), ...made },
    ] as const;
    const author = { kind: 'user' } as const;
    await workspace.commit({ baseSeq: baseVersion, changes }, { author });
    const paths = ['/w/lib/new', '/w/library', '/w/z'];
    expect(await listed(list, paths)).toEqual(paths);
    list[Symbol.dispose]();
  });
});
