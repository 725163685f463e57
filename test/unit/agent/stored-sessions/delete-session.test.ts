import { expect, it } from 'vitest';
import { query } from '../../../../src/agent/query.ts';
import { deleteSession } from '../../../../src/agent/stored-sessions/manage-sessions.ts';
import { createInlineHost } from '../../../../src/hosts/inline/create-inline-host.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';

const author = { kind: 'user' } as const;
const script = { turns: [{ blocks: [{ type: 'text', text: 'Hello.' } as const] }] };

it('a deleted session leaves nothing pinned, and takes nobody else’s checkpoint along', async () => {
  await using host = await createInlineHost();
  const { roots, fs } = host.workspace;
  const own = await roots.checkpoint('mine', { author });
  for (const sessionId of ['first', 'second']) {
    await fs.writeFile('/workspace/a.txt', sessionId);
    const options = { host, model: createScriptedModel({ script }), sessionId };
    for await (const _ of query({ prompt: 'Hi.', options }));
  }
  const labels = async () => (await roots.list()).map(({ label }) => label);
  expect(await labels()).toEqual(['mine', 'session/first: Hi.', 'session/second: Hi.']);
  await deleteSession('first', { host });
  expect(await labels()).toEqual(['mine', 'session/second: Hi.']);
  await deleteSession('second', { host });
  expect((await roots.list()).map(({ id }) => id)).toEqual([own.id]);
});
