// A host's git and its servers: credentials by option, and a clone that nobody waits for. In Node, for the server.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEdgeHost } from '../../../src/hosts/edge/create-edge-host.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { makeServedFolder, startGitServer, type GitServer } from '../../support/git/git-server.ts';

let root: string;
let server: GitServer;

beforeAll(async () => {
  root = makeServedFolder();
  server = await startGitServer(root);
});

afterEach(() => {
  server.authorize = undefined;
  server.intercept = undefined;
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

const author = { name: 'B', email: 'b@example.org' };
const secret = 'a-token-of-mine';

const openers = {
  inline: async (git: Parameters<typeof createInlineHost>[0]) => createInlineHost(git),
  edge: async (options: Parameters<typeof createInlineHost>[0]) =>
    createEdgeHost({ wasm: await loadQuickjsWasm(), ...(options?.git && { git: options.git }) }),
};

describe.each(['inline', 'edge'] as const)("the %s host's git", (kind) => {
  it('clones, commits and pushes, with credentials of the host that stand nowhere', async () => {
    const header = `Basic ${Buffer.from(`x-access-token:${secret}`).toString('base64')}`;
    server.authorize = (given) => given === header;
    const asked: string[] = [];
    const host = await openers[kind]({
      git: {
        author,
        credentials: {
          credentials: (name) => {
            asked.push(name);
            return Promise.resolve({ token: secret });
          },
        },
      },
    });
    const { git, workspace, cwd } = host;
    await git.clone(`${server.url}/served.git`, { directory: '.' });
    await workspace.fs.writeFile(`${cwd}/${kind}.txt`, 'mine\n');
    await git.add('.');
    const { oid } = await git.commit({ message: `from the ${kind} host` });
    expect(await git.push()).toMatchObject({ remote: 'origin', after: oid });
    expect(new Set(asked)).toEqual(new Set([new URL(server.url).host]));
    const served = execFileSync('git', ['log', '-1', '--format=%H %an', 'main'], {
      cwd: join(root, 'served.git'),
    });
    expect(served.toString().trim()).toBe(`${oid} B`);
    expect(await workspace.fs.readFile(`${cwd}/.git/config`, 'utf8')).not.toContain(secret);
    await host[Symbol.asyncDispose]();
  });

  it('has no other command wait for a clone, and says which credentials are missing', async () => {
    let answer: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      server.intercept = (_request, response) => {
        answer = () => void response.writeHead(401).end();
        resolve();
        return true;
      };
    });
    const host = await openers[kind]({ git: { author } });
    const { git, workspace, cwd } = host;
    const cloning = git.clone(`${server.url}/served.git`, { directory: 'other' });
    const failed = expect(cloning).rejects.toThrow('this host has no credentials for git');
    await reached;
    await git.init();
    await workspace.fs.writeFile(`${cwd}/a.txt`, 'a\n');
    await git.add('.');
    expect(await git.commit({ message: 'beside it' })).toMatchObject({ branch: 'main' });
    expect((await git.status()).files).toEqual([]);
    answer();
    await failed;
    await host[Symbol.asyncDispose]();
  });

  it('answers what only reads while a push is at the server; what writes waits for it', async () => {
    const host = await openers[kind]({ git: { author } });
    const { git, workspace, cwd } = host;
    await git.clone(`${server.url}/served.git`, { directory: '.' });
    await workspace.fs.writeFile(`${cwd}/beside-${kind}.txt`, 'mine\n');
    await git.add('.');
    const { oid } = await git.commit({ message: 'to push' });
    let finish: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      server.intercept = (_request, response) => {
        finish = () => void response.writeHead(404).end();
        resolve();
        return true;
      };
    });
    const order: string[] = [];
    const pushing = git.push().catch(() => void order.push('push'));
    await reached;
    expect((await git.status()).files).toEqual([]);
    expect((await git.log({ maxCount: 1 }))[0]?.oid).toBe(oid);
    const branching = git.branch.create('later').then(() => void order.push('branch'));
    const after = git.branch.list();
    finish();
    await Promise.all([pushing, branching]);
    expect(order).toEqual(['push', 'branch']);
    // What reads sees what was begun here before it.
    expect((await after).map(({ name }) => name)).toContain('later');
    await host[Symbol.asyncDispose]();
  });
});
