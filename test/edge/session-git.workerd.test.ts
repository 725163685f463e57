// A session's cell in a Durable Object that clones from a real git server and pushes to it.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { expect, it } from 'vitest';
import { createEdgeHost, createSessionObject } from '../../src/edge.ts';
import { ringByHand } from '../support/edge/hand-rung.ts';
import { isResult, readUntil } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

const author = { name: 'Ann', email: 'ann@example.org' };

it('a cell clones and pushes with the host’s credentials, and is kept awake while its questions wait', async () => {
  const { url, token } = await (
    await env.GIT.fetch('http://git/')
  ).json<{ url: string; token: string }>();
  const credentials = { credentials: async () => ({ token }) };
  const repository = `${url}/served.git`;
  const code = `
    await git.clone(${JSON.stringify(repository)}, { directory: '.' });
    fs.writeFileSync('from-object.txt', 'from an object');
    await git.add('.');
    await git.commit({ message: 'From an object' });
    const { ref } = await git.push();
    ref`;
  const model = listModel('claude-test', [asks(toolUse('c1', 'Repl', { code })), says('Pushed.')]);
  await runInDurableObject(env.STORE.getByName('session git'), async (_instance, state) => {
    const { ctx, at } = ringByHand(state as unknown as DurableObjectState);
    const object = createSessionObject(ctx, {
      wasm,
      model,
      host: { git: { author, credentials } },
    });
    const session = await object.session();
    await session.send('Push it.');
    let isOver = false;
    const told = readUntil(session, isResult).finally(() => (isOver = true));
    const asked: string[] = [];
    while (!isOver) {
      if ((at() ?? Infinity) <= Date.now()) void object.alarm();
      const [question] = session.questions();
      if (question) {
        asked.push(question.title ?? question.toolName);
        await session.answer(question.requestId, { behavior: 'allow' });
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(asked).toEqual([
      `git clone ${repository} into /workspace?`,
      `git push 1 commit to origin/main (${repository})?`,
      expect.stringContaining(`git clone ${repository}: 1 file`),
    ]);
    expect(model.requests).toHaveLength(2);
    const results = JSON.stringify(model.requests[1]?.messages.at(-1));
    expect(results).toContain('refs/heads/main');
    expect(JSON.stringify(await told)).not.toContain(token);
  });
  await using host = await createEdgeHost({ wasm, git: { author, credentials } });
  await host.git.clone(repository, { directory: '.', depth: 10 });
  expect((await host.git.log()).map(({ message }) => message)).toEqual([
    'From an object\n',
    'first\n',
  ]);
});
