// A server can't take a push back: a cell that has pushed isn't run a second time where its page was closed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createHostGit } from '../../../../src/hosts/host-git.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { openWorkspace } from '../../../../src/workspace/open-workspace.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { forever } from '../../../support/turns/background.ts';
import { startGitServer } from '../../../support/git/git-server.ts';
import { isResult, readUntil } from '../../../support/sessions/open-sessions.ts';
import { callTool, say, toResults } from '../../../support/turns/run-hooked.ts';

it('pushes once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'git-served-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (directory: string, ...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...parameters], {
      cwd: join(root, directory),
      encoding: 'utf8',
    });
  git('.', 'init', '-q', '-b', 'main', 'work');
  writeFileSync(join(root, 'work', 'a.txt'), 'from the server\n');
  git('work', 'add', '.');
  git('work', 'commit', '-qm', 'first');
  git('work', 'clone', '-q', '--bare', '.', '../served.git');
  const server = await startGitServer(root);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const countPushes = () =>
    server.requests.filter((one) => one.startsWith('POST') && one.endsWith('receive-pack')).length;

  const medium = createMemoryMedium();
  const open = async () => {
    const host = await createInlineHost({
      loadWasm: loadQuickjsWasm,
      git: { author: { name: 'B', email: 'b@example.org' } },
      workspace: await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' }),
    });
    onTestFinished(() => host[Symbol.asyncDispose]());
    return host;
  };
  const code = `
    fs.writeFileSync('one.txt', 'built at ' + Date.now());
    await git.add('.');
    await git.commit({ message: 'one' });
    await git.push();
    console.log('pushed');
    ${forever}`;
  const model = createAgentsModel({ main: [callTool('Repl', { code }, 'cell-1'), say('Done.')] });
  const canUseTool = () => Promise.resolve({ behavior: 'allow' as const });
  const base = { toolSearch: false, permissionMode: 'default', model, canUseTool } as const;
  const first = await open();
  await createHostGit(first).clone(`${server.url}/served.git`, { directory: '.' });
  const killed = await openSession({ ...base, host: first });
  await killed.send('Push it.');
  await expect
    .poll(() => git('served.git', 'log', '--format=%s', 'main'), { timeout: 20_000 })
    .toBe('one\nfirst\n');

  // The page is gone.
  const session = await openSession({ ...base, host: await open(), resume: killed.id });
  onTestFinished(() => session.close());
  const told = await readUntil(session, isResult);
  expect(toResults(told).at(-1)).toContain('was interrupted');
  expect(countPushes()).toBe(1);
});
