// Git's servers as a cell reaches them: under host rules and rules on commands. In Node, for the server.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHostGit } from '../../../src/hosts/host-git.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { startGitServer, type GitServer } from '../../support/git-server.ts';
import { createPerson, runCells } from '../../support/run-cells.ts';

let root: string;
let server: GitServer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'git-served-'));
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...parameters], {
      cwd: join(root, 'work'),
      stdio: 'ignore',
    });
  execFileSync('git', ['init', '-q', '-b', 'main', 'work'], { cwd: root });
  writeFileSync(join(root, 'work', 'a.txt'), 'from the server\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('clone', '-q', '--bare', '.', '../served.git');
  server = await startGitServer(root);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const person = { name: 'B', email: 'b@example.org' };
const open = () => createInlineHost({ loadWasm: loadQuickjsWasm, git: { author: person } });
const yes = { behavior: 'allow' } as const;

describe("git's servers in a cell", () => {
  it('are asked about by their host before the cell, and by what was done after it', async () => {
    const host = await open();
    const asked = createPerson();
    const running = runCells(
      host,
      [
        `const { directory, files } = await git.clone('${server.url}/served.git', { directory: 'c' });
         [directory, files, fs.readFileSync('c/a.txt', 'utf8')]`,
      ],
      asked,
    );
    const before = await asked.next();
    expect(before.options.decisionReason).toContain(new URL(server.url).host);
    before.answer(yes);
    const after = await asked.next();
    expect(after.options.title).toMatch(/^git clone http:.*served\.git: 1 files, 0\.\d MB\?$/u);
    after.answer(yes);
    const { outputs } = await running;
    expect([outputs[0]?.error, outputs[0]?.value]).toEqual([
      undefined,
      ['/workspace/c', 1, 'from the server\n'],
    ]);
    await host[Symbol.asyncDispose]();
  });

  it('are not reached where nothing allows their host, or a rule keeps the command', async () => {
    const host = await open();
    const { executor, workspace, cwd } = host;
    const git = createHostGit({ executor, workspace, cwd });
    await git.clone(`${server.url}/served.git`, { directory: '.' });
    const count = server.requests.length;
    const inCell = (rules: object) =>
      runCells(host, [`await git.push()`], { permissionMode: 'acceptEdits', ...rules });
    const refused = [
      await inCell({}),
      await inCell({ allowedTools: ['Repl(net:*)'], disallowedTools: ['Repl(git:push)'] }),
      await inCell({
        allowedTools: [`Repl(net:${new URL(server.url).host})`],
        settings: { permissions: { ask: ['Repl(git:push)'] } },
      }),
    ];
    expect(refused.map(({ outputs }) => outputs[0]?.error?.message)).toEqual([
      expect.stringContaining('Nothing allows git to reach 127.0.0.1'),
      'A permission rule forbids git.push, or asks about it each time. Do without it.',
      'A permission rule forbids git.push, or asks about it each time. Do without it.',
    ]);
    expect(server.requests).toHaveLength(count);
    await host[Symbol.asyncDispose]();
  });

  it("are a page's own as well: it clones, commits and pushes", async () => {
    const host = await open();
    const { executor, workspace, cwd } = host;
    const git = createHostGit({ executor, workspace, cwd });
    const phases = new Set<string>();
    await git.clone(`${server.url}/served.git`, {
      directory: '.',
      onProgress: ({ phase }) => void phases.add(phase),
    });
    expect(phases.size).toBeGreaterThan(0);
    await workspace.fs.writeFile(`${cwd}/b.txt`, 'b\n');
    await git.add('.');
    const { oid } = await git.commit({ message: 'from the page' });
    expect(await git.push()).toMatchObject({ remote: 'origin', after: oid });
    const served = execFileSync('git', ['rev-parse', 'main'], { cwd: join(root, 'served.git') });
    expect(served.toString().trim()).toBe(oid);
    await host[Symbol.asyncDispose]();
  });
});
