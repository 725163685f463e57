// Archives that the machine's own programs make, and read: zip and tar where they are, else Python's.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportZip } from '../../../src/workspace/archives/export-zip.ts';
import { importTar, importZip } from '../../../src/workspace/archives/import-archive.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

let folder: string;
const has = (program: string) => spawnSync(program, ['--help']).error === undefined;
const run = (program: string, ...given: string[]) =>
  execFileSync(program, given, { cwd: join(folder, 'in'), stdio: 'pipe' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archives-'));
  await mkdir(join(folder, 'in', 'sub', 'empty'), { recursive: true });
  await writeFile(join(folder, 'in', 'a.txt'), 'text '.repeat(5000));
  await writeFile(join(folder, 'in', 'sub', 'grün.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await symlink('sub/grün.sh', join(folder, 'in', 'link'));
  await utimes(join(folder, 'in', 'a.txt'), 1_700_000_001, 1_700_000_001);
});

afterAll(() => rm(folder, { recursive: true }));

async function expectAll(archive: Uint8Array, take: typeof importTar): Promise<void> {
  const workspace = await createMemoryWorkspace();
  await take(workspace, archive, { directory: '/in' });
  const { fs } = workspace;
  expect((await fs.readdir('/in', { recursive: true })).sort()).toEqual([
    'a.txt',
    'link',
    'sub',
    'sub/empty',
    'sub/grün.sh',
  ]);
  expect(await fs.readFile('/in/a.txt', 'utf8')).toBe('text '.repeat(5000));
  expect((await fs.stat('/in/sub/grün.sh')).mode & 0o777).toBe(0o755);
  expect(await fs.readlink('/in/link')).toBe('sub/grün.sh');
}

describe('archives of other programs', () => {
  it.runIf(has('tar'))('are read: tar and tar.gz of GNU tar', async () => {
    run('tar', '-czf', '../a.tgz', '.');
    await expectAll(await readFile(join(folder, 'a.tgz')), importTar);
    run('tar', '--format=pax', '-cf', '../a.tar', 'a.txt', 'link', 'sub');
    await expectAll(await readFile(join(folder, 'a.tar')), importTar);
  });

  it.runIf(has('tar'))('are refused where they are bombs: 100 MB of zeros in 100 kB', async () => {
    await writeFile(join(folder, 'zeros'), new Uint8Array(100_000_000));
    run('tar', '-C', folder, '-czf', '../zeros.tgz', 'zeros');
    const workspace = await createMemoryWorkspace();
    const packed = await readFile(join(folder, 'zeros.tgz'));
    await expect(importTar(workspace, packed, { directory: '/in' })).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
    expect(await workspace.fs.readdir('/')).toEqual([]);
  });

  it.runIf(has('zip'))('are read: a zip of Info-ZIP', async () => {
    run('zip', '-qry', '../a.zip', '.');
    await expectAll(await readFile(join(folder, 'a.zip')), importZip as typeof importTar);
  });

  it.runIf(has('python3'))('are read and written: a zip of Python', async () => {
    const code = `import sys,zipfile,pathlib
z=zipfile.ZipFile('../b.zip','w',zipfile.ZIP_DEFLATED)
with z.open(zipfile.ZipInfo('a.txt'),'w',force_zip64=True) as f: f.write(b'text '*5000)
z.close()`;
    run('python3', '-c', code);
    const workspace = await createMemoryWorkspace();
    const zip = await readFile(join(folder, 'b.zip'));
    await importZip(workspace, zip, { directory: '/in' });
    expect(await workspace.fs.readFile('/in/a.txt', 'utf8')).toBe('text '.repeat(5000));
    const made = await new Response(exportZip(workspace, { directory: '/in' }) as never).bytes();
    await writeFile(join(folder, 'c.zip'), made);
    const check = "import zipfile;z=zipfile.ZipFile('../c.zip');print(z.testzip(),z.namelist())";
    expect(run('python3', '-c', check).toString().trim()).toBe("None ['a.txt']");
  });

  it.runIf(has('zip') && has('unzip'))('read a zip that is made here', async () => {
    const workspace = await createMemoryWorkspace();
    run('zip', '-qry', '../d.zip', '.');
    await importZip(workspace, await readFile(join(folder, 'd.zip')), { directory: '/in' });
    const made = await new Response(exportZip(workspace, { directory: '/in' }) as never).bytes();
    await writeFile(join(folder, 'e.zip'), made);
    run('unzip', '-q', '../e.zip', '-d', '../out');
    const out = join(folder, 'out');
    expect(await readFile(join(out, 'a.txt'), 'utf8')).toBe('text '.repeat(5000));
    expect((await stat(join(out, 'sub', 'grün.sh'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(out, 'link'))).toBe('sub/grün.sh');
    expect((await stat(join(out, 'sub', 'empty'))).isDirectory()).toBe(true);
    expect((await stat(join(out, 'a.txt'))).mtimeMs).toBe(1_700_000_001_000);
  });
});
