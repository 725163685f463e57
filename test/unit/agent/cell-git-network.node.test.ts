// Git's servers as a cell reaches them: under host rules and rules on commands. In Node, for the server.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type {
  ClassifierRequest,
  PermissionMode,
} from '../../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { createHostGit } from '../../../src/hosts/host-git.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { ReplProgress } from '../../../src/tools/repl/schema.ts';
import { makeServedFolder, startGitServer, type GitServer } from '../../support/git/git-server.ts';
import { createPerson, runCells } from '../../support/turns/run-cells.ts';

let root: string;
let server: GitServer;

beforeAll(async () => {
  root = makeServedFolder();
  server = await startGitServer(root);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

const person = { name: 'B', email: 'b@example.org' };
const open = () => createInlineHost({ loadWasm: loadQuickjsWasm, git: { author: person } });
const yes = { behavior: 'allow' } as const;
const served = () =>
  execFileSync('git', ['rev-parse', 'main'], { cwd: join(root, 'served.git') }).toString();
const denialsOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'result' ? message.permission_denials.map((denial) => denial.tool_name) : [],
  );

/** A clone in the working directory, and a cell that makes two commits and pushes them. */
async function openClone(
  permissionMode: PermissionMode,
  rules: readonly string[] = [],
  options: Partial<QueryOptions> = {},
) {
  const host = await open();
  const { executor, workspace, cwd } = host;
  await createHostGit({ executor, workspace, cwd }).clone(`${server.url}/served.git`, {
    directory: '.',
  });
  const person = createPerson();
  const push = (more: readonly string[] = []) =>
    runCells(
      host,
      [
        `for (const name of ['one', 'two']) {
           fs.writeFileSync(name + '.txt', name + Math.random());
           await git.add('.');
           await git.commit({ message: name });
         }
         (await git.push()).ref`,
      ],
      {
        ...options,
        permissionMode,
        allowedTools: [...rules.map((content) => `Repl(${content})`), ...more],
        canUseTool: person.canUseTool,
      },
    );
  return { host, person, push };
}

describe("git's servers in a cell", () => {
  it('are asked about by meaning before a byte leaves, and what came is asked about after it', async () => {
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
    const count = server.requests.length;
    const before = await asked.next();
    const { host: name } = new URL(server.url);
    expect(before.options.title).toBe(`git clone ${server.url}/served.git into /workspace/c?`);
    expect(before.options.decisionReason).toBe(`nothing allows git clone at ${name} yet`);
    expect(before.options.suggestions).toEqual([
      {
        type: 'addRules',
        behavior: 'allow',
        destination: 'session',
        rules: ['git:clone', `net:${name}`].map((ruleContent) => ({
          toolName: 'Repl',
          ruleContent,
        })),
      },
    ]);
    expect(server.requests).toHaveLength(count);
    before.answer(yes);
    const after = await asked.next();
    expect(after.options.title).toMatch(/^git clone http:.*served\.git: 1 file, 0\.\d MB\?$/u);
    after.answer(yes);
    const { outputs } = await running;
    expect([outputs[0]?.error, outputs[0]?.value]).toEqual([
      undefined,
      ['/workspace/c', 1, 'from the server\n'],
    ]);
    await host[Symbol.asyncDispose]();
  });

  it('are sent nothing that a person refuses, and a push only with a yes of its own', async () => {
    const { host, person, push } = await openClone('acceptEdits');
    const before = served();
    const no = { behavior: 'deny', message: 'Not now.' } as const;
    const refused = push();
    const first = await person.next();
    expect(first.options.title).toBe(
      `git push 2 commits to origin/main (${server.url}/served.git)?`,
    );
    first.answer(no);
    const said = await refused;
    expect(said.outputs[0]?.error).toMatchObject({
      message: expect.stringContaining('Not now. Nothing was sent to 127.0.0.1'),
    });
    expect(denialsOf(said.messages)).toEqual(['Repl']);
    expect(served()).toBe(before);
    // What was refused rolled its cell back: the commits are made again.
    const allowed = push();
    (await person.next()).answer(yes);
    expect((await allowed).outputs[0]).toMatchObject({ value: 'refs/heads/main' });
    expect(served()).not.toBe(before);
    expect(person.asked).toHaveLength(2);
    await host[Symbol.asyncDispose]();
  });

  it('are kept from cells by mode and rules, and from a query that has nobody to ask', async () => {
    const host = await open();
    const { executor, workspace, cwd } = host;
    const git = createHostGit({ executor, workspace, cwd });
    await git.clone(`${server.url}/served.git`, { directory: '.' });
    const count = server.requests.length;
    const { host: name } = new URL(server.url);
    const run = async (options: object, code = 'await git.push()') => {
      const { outputs, results } = await runCells(host, [code], options);
      return outputs[0]?.error?.message ?? results[0];
    };
    const allow = [`Repl(net:${name})`, 'Repl(git:push)'];
    expect([
      await run({ permissionMode: 'default' }),
      await run({ permissionMode: 'acceptEdits' }),
      await run({ allowedTools: ['Repl(git:push)'] }),
      await run({ allowedTools: [`Repl(net:${name})`] }),
      await run({ allowedTools: allow, disallowedTools: ['Repl(git:push)'] }),
      await run({ allowedTools: allow, disallowedTools: ['Repl(net:127.0.0.1)'] }),
      await run({ allowedTools: allow, settings: { permissions: { ask: ['Repl(git:push)'] } } }),
      await run({ permissionMode: 'dontAsk' }),
      // By a name that no classifier of cells sees.
      await run({}, `const own = git; await own['pu' + 'sh']()`),
    ]).toEqual([
      ...Array.from({ length: 4 }, () =>
        expect.stringContaining('nothing allows git push at 127.'),
      ),
      'A permission rule forbids git.push. Do without it.',
      expect.stringContaining('A permission rule forbids git to reach 127.0.0.1'),
      expect.stringContaining('Nobody is here to ask'),
      expect.stringContaining('git push was refused'),
      expect.stringContaining('nothing allows git push at 127.'),
    ]);
    expect(await run({ permissionMode: 'plan' })).toContain('was refused');
    expect(server.requests).toHaveLength(count);
    await host[Symbol.asyncDispose]();
  });

  it('are reached without a question where rules allow host and command', async () => {
    const { host, push } = await openClone('default', ['git:*', 'fs.write:**']);
    const { host: name } = new URL(server.url);
    const before = served();
    const { outputs } = await push([`Repl(net:${name})`]);
    expect([outputs[0]?.error, outputs[0]?.value]).toEqual([undefined, 'refs/heads/main']);
    expect(served()).not.toBe(before);
    await host[Symbol.asyncDispose]();
  });

  it("are the classifier's to judge in mode auto, by meaning, but for what a rule asks about", async () => {
    const requests: ClassifierRequest[] = [];
    const address = `${server.url}/served.git`;
    const { host: name } = new URL(server.url);
    const run = async (
      behavior: 'allow' | 'deny' | 'ask',
      ask: readonly string[] = [],
      rules: readonly string[] = [`net:${name}`],
    ) => {
      requests.length = 0;
      const { host, push, person } = await openClone('auto', rules, {
        autoClassifier: (request) => {
          requests.push(request);
          const { git } = Object(request.input) as { readonly git?: string };
          // What the cell changed here is asked about after it, and isn't what this test is about.
          return Promise.resolve({ behavior: git ? behavior : 'allow', message: 'so it says' });
        },
        settings: { permissions: { ask } },
      });
      const before = served();
      const pushing = push();
      const question = person.next();
      const asked = await Promise.race([question, pushing.then(() => undefined)]);
      asked?.answer(yes);
      const { outputs } = await pushing;
      await host[Symbol.asyncDispose]();
      const hasPushed = served() !== before;
      return { asked: asked?.options, hasPushed, error: outputs[0]?.error?.message };
    };
    expect(await run('allow')).toEqual({ asked: undefined, hasPushed: true, error: undefined });
    expect(requests.map(({ input }) => input)).toContainEqual({
      git: 'push',
      told: `push 2 commits to origin/main (${address})`,
      host: name,
      code: expect.anything(),
    });
    const denied = await run('deny');
    expect(denied).toMatchObject({ asked: undefined, hasPushed: false });
    expect(denied.error).toContain(
      "git push was refused: auto mode's classifier says so: so it says",
    );
    expect(await run('ask')).toMatchObject({
      asked: { decisionReason: expect.stringContaining('(auto mode: so it says)') },
      hasPushed: true,
    });
    const ruled = await run('deny', ['Repl(git:push)']);
    expect(ruled).toMatchObject({
      asked: { title: expect.stringContaining('push') },
      hasPushed: true,
    });
    expect(requests.filter(({ input }) => Object(input).git === 'push')).toEqual([]);
    // A server in the own network, which no rule names, is the person's.
    const unnamed = await run('deny', [], []);
    expect(unnamed).toMatchObject({
      asked: { decisionReason: expect.stringContaining(`(auto mode: ${name} is no public host)`) },
      hasPushed: true,
    });
    expect(requests.filter(({ input }) => Object(input).git === 'push')).toEqual([]);
  });

  it('are held to the egress policy: what came from one taints before the next is asked', async () => {
    const host = await open();
    const { host: name } = new URL(server.url);
    const { outputs } = await runCells(
      host,
      [
        `await git.clone('${server.url}/served.git', { directory: 'c' });
         await git.clone('${server.url}/served.git', { directory: 'd' });`,
      ],
      {
        permissionMode: 'acceptEdits',
        allowedTools: [`Repl(net:${name})`],
        egress: 'deny',
      },
    );
    expect(outputs[0]?.error?.message).toContain('git clone was refused');
    expect(await host.workspace.lookUp([`${host.cwd}/c`])).toEqual([null]);
    await host[Symbol.asyncDispose]();
  });

  it('tell the cell and whoever watches it how far they are', async () => {
    const host = await open();
    const { host: name } = new URL(server.url);
    const { outputs, messages } = await runCells(
      host,
      [
        `const told = [];
         await git.clone('${server.url}/served.git', { directory: 'c', onProgress: (one) => told.push(one) });
         told`,
        `await git.clone('${server.url}/served.git', {
           directory: 'd', onProgress() { throw new Error('enough'); },
         })`,
      ],
      { permissionMode: 'acceptEdits', allowedTools: [`Repl(net:${name})`] },
    );
    const told = outputs[0]?.value as { readonly phase: string; readonly done: number }[];
    expect(told.map(({ phase }) => phase)).toContain('receiving');
    expect(outputs[1]?.error?.message).toBe('enough');
    const seen = messages.flatMap((message) =>
      message.type === 'tool_progress' ? [(message.progress ?? {}) as ReplProgress] : [],
    );
    expect(seen.flatMap(({ git }) => git ?? [])).toContainEqual(
      expect.objectContaining({ command: 'clone', phase: 'receiving', done: expect.any(Number) }),
    );
    await host[Symbol.asyncDispose]();
  });

  it('are left in the middle of a pack when the cell is stopped', async () => {
    const host = await open();
    const { host: name } = new URL(server.url);
    const abortController = new AbortController();
    const closed = new Promise<void>((resolve) => {
      server.intercept = (request, response) => {
        if (request.method !== 'POST') return false;
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
        response.write('0008NAK\n');
        response.on('close', resolve);
        abortController.abort();
        return true;
      };
    });
    await runCells(host, [`await git.clone('${server.url}/served.git', { directory: 'c' })`], {
      permissionMode: 'acceptEdits',
      allowedTools: [`Repl(net:${name})`],
      abortController,
    }).catch(() => undefined);
    await closed;
    server.intercept = undefined;
    expect(await host.workspace.lookUp([`${host.cwd}/c`])).toEqual([null]);
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
