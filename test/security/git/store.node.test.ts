// What a rule keeps from a call isn't had from git's store either. Neither the code of a cell nor
// the tools on files get it. In Node, for isomorphic-git's Buffer.
import { loadQuickjsWasm } from '#quickjs-wasm';
import git from 'isomorphic-git';
import { describe, expect, it } from 'vitest';
import { isGitStorePath } from '../../../src/core/access/git-store.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { runCells } from '../../support/turns/run-cells.ts';

/** A repository whose one secret is in a loose object and in a pack. */
async function openRepository() {
  const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
  const { fs } = host.workspace;
  const repo = { fs: { promises: fs }, dir: host.cwd } as const;
  await git.init({ ...repo, defaultBranch: 'main' });
  await fs.mkdir(`${host.cwd}/secrets`);
  await fs.writeFile(`${host.cwd}/secrets/key.txt`, 'the key\n');
  await fs.writeFile(`${host.cwd}/a.txt`, 'a\n');
  await git.add({ ...repo, filepath: ['a.txt', 'secrets/key.txt'] });
  await git.commit({ ...repo, message: 'first', author: { name: 'A', email: 'a@example.org' } });
  const { oid } = await git.readBlob({
    ...repo,
    oid: await git.resolveRef({ ...repo, ref: 'main' }),
    filepath: 'secrets/key.txt',
  });
  const { filename } = await git.packObjects({ ...repo, oids: [oid], write: true });
  return {
    host,
    loose: `.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`,
    pack: `.git/objects/pack/${filename}`,
  };
}

/** Each way to the bytes of a path, as code of a cell; it prints what became of them. */
const waysTo = (path: string) => `
  const path = ${JSON.stringify(path)};
  const ways = {
    read: () => fs.readFileSync(path).length,
    open: () => fs.openSync(path, 'r'),
    copy: () => { fs.copyFileSync(path, 'copy'); return fs.readFileSync('copy').length; },
    rename: () => { fs.renameSync(path, 'moved'); return fs.readFileSync('moved').length; },
    renameAll: () => { fs.renameSync('.git', 'g'); return fs.readFileSync(path.replace('.git', 'g')).length; },
    copyAll: () => { fs.cpSync('.git', 'h', { recursive: true }); return fs.readFileSync(path.replace('.git', 'h')).length; },
    link: () => { fs.symlinkSync(path, 'link'); return fs.readFileSync('link').length; },
    list: () => fs.readdirSync(require('path').dirname(path)).length,
    stat: () => fs.statSync(path).size,
    Read: async () => (await tools.Read({ file_path: path })).type,
    Glob: async () => (await tools.Glob({ pattern: '.git/objects/**' })).numFiles || 'nothing',
  };
  const told = {};
  for (const [name, way] of Object.entries(ways)) {
    try { told[name] = await way(); } catch (error) { told[name] = error.code ?? error.name; }
  }
  console.log(JSON.stringify(told));`;

describe('the content of a file that may not be read', () => {
  it.each([
    ['a rule on Read', 'Read(secrets/**)'],
    ['a rule on the cell', 'Repl(fs.read:secrets/**)'],
    ['a rule on a name', 'Read(**/key.txt)'],
  ])('is not had from the objects by %s', async (_what, rule) => {
    const { host, loose, pack } = await openRepository();
    const { outputs } = await runCells(
      host,
      [waysTo(loose), waysTo(pack), `fs.writeFileSync('.git/index', '')`],
      { permissionMode: 'bypassPermissions', disallowedTools: [rule] },
    );
    for (const output of outputs.slice(0, 2)) {
      const told = JSON.parse(output?.stdout ?? '{}') as Record<string, unknown>;
      const had = Object.entries(told).filter(([, value]) => typeof value === 'number');
      expect(had).toEqual([]);
      expect(told).toMatchObject({ read: 'ENOENT', stat: 'ENOENT', Glob: 'nothing' });
    }
    // An index that names the content by another path would have git show it.
    expect(outputs[2]?.error?.message).toContain('EACCES');
    await host[Symbol.asyncDispose]();
  });

  it('leaves the store as readable as any file where no rule keeps one', async () => {
    const { host, loose } = await openRepository();
    const { outputs } = await runCells(host, [`fs.readFileSync('${loose}').length > 0`], {
      disallowedTools: ['Edit(secrets/**)'],
    });
    expect(outputs[0]?.display).toBe('true');
    await host[Symbol.asyncDispose]();
  });
});

describe('isGitStorePath', () => {
  it.each([
    '/w/.git/objects',
    '/w/.git/objects/ab/cd',
    '/w/.git/objects/pack/pack-1.pack',
    '/w/.git/index',
    '/w/.git/index.lock',
    '/w/.git/sharedindex.1',
    '/w/.git/lfs/objects/ab/cd',
    '/w/.git/rr-cache/1/preimage',
    '/w/.git/rebase-apply/0001',
    '/w/.git/modules/lib/objects/ab/cd',
    '/w/.git/worktrees/a/index',
    '/w/lib/.git/objects/ab/cd',
    `/w/lib.git/objects/ab/${'c'.repeat(38)}`,
    '/w/lib.git/objects/pack/pack-1.pack',
  ])('means %s', (path) => {
    expect(isGitStorePath(path)).toBe(true);
  });

  it.each([
    '/w/.git',
    '/w/.git/HEAD',
    '/w/.git/config',
    '/w/.git/refs/heads/objects/a',
    '/w/.git/logs/HEAD',
    '/w/.git/packed-refs',
    '/w/.git/worktrees',
    '/w/.git/worktrees/a',
    '/w/.git/worktrees/a/HEAD',
    '/w/src/objects/ab/cd.ts',
    '/w/index',
  ])('leaves %s alone', (path) => {
    expect(isGitStorePath(path)).toBe(false);
  });
});
