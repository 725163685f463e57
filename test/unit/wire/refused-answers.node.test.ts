// Answers that a session elsewhere refuses: whoever has answered learns of it, and is asked again while the question
// is open.
import { expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../src/agent/open-session.ts';
import type { CanUseTool } from '../../../src/core/permissions/permission.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { followSession } from '../../../src/react/follow-session.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import type { WireRole } from '../../../src/wire/protocol.ts';
import { serveSession } from '../../../src/wire/serve-session.ts';
import { linkTo } from '../../support/wire/linked-server.ts';
import { createWireModel } from '../../support/wire/wire-model.ts';

async function openPlace() {
  const host = await createInlineHost();
  const session = await openSession({ host, model: createWireModel(), sessionId: 's1' });
  const server = serveSession({ open: async () => session });
  onTestFinished(async () => {
    server[Symbol.dispose]();
    await session.close();
    await host[Symbol.asyncDispose]();
  });
  const connect = (canUseTool: CanUseTool, role: WireRole = 'owner') =>
    connectSession('http://x.example/wire', {
      ticket: () => 'ticket',
      transport: 'socket',
      createSocket: () => linkTo(server, undefined, role).socket,
      canUseTool,
    });
  /** A conversation on a page. */
  const follow = (role?: WireRole) => {
    const page = followSession(({ canUseTool }) => connect(canUseTool, role), {
      kept: [],
      schedule: (notify) => notify(),
    });
    onTestFinished(() => page[Symbol.dispose]());
    return page;
  };
  return { session, connect, follow };
}

type Page = ReturnType<Awaited<ReturnType<typeof openPlace>>['follow']>;
const lastEntries = ({ store }: Page) => store.getSnapshot().turns.at(-1)?.entries ?? [];
const notices = (page: Page) =>
  lastEntries(page).flatMap((entry) => (entry.kind === 'notice' ? entry.text : []));
const callState = (page: Page) =>
  lastEntries(page).flatMap((entry) => (entry.kind === 'call' ? entry.state : []));

it('brings the question back whose answer was refused, and says why', async () => {
  const { session, follow } = await openPlace();
  const page = follow('answers');
  await session.send('write first');
  await expect.poll(() => page.permissions.getSnapshot().length).toBe(1);
  const [question] = page.permissions.getSnapshot();
  const { id = '' } = question ?? {};
  page.permissions.answer(id, { type: 'allow-with', updatedInput: { content: 'mine' } });
  await expect
    .poll(() => notices(page).join())
    .toContain('was refused, and the question still waits');
  await expect.poll(() => page.permissions.getSnapshot()).toMatchObject([{ id }]);
  expect(callState(page)).toEqual(['approval-requested']);
  page.permissions.answer(id, { type: 'allow-once' });
  await expect.poll(() => callState(page)).toEqual(['output-available']);
});

it('says that an answer came too late, and asks no more', async () => {
  const { session, follow } = await openPlace();
  const page = follow();
  page.send('write first');
  await expect.poll(() => page.permissions.getSnapshot().length).toBe(1);
  const { id = '' } = page.permissions.getSnapshot()[0] ?? {};
  const first = session.answer(id, { behavior: 'allow' });
  page.permissions.answer(id, { type: 'deny' });
  await first;
  await expect.poll(() => notices(page).join()).toContain('came too late');
  await expect.poll(() => callState(page)).toEqual(['output-available']);
  expect(page.permissions.getSnapshot()).toEqual([]);
});

it('gives a program up that gives the same answer again and again', async () => {
  const { connect } = await openPlace();
  let asked = 0;
  const client = await connect(() => {
    asked += 1;
    return Promise.resolve('yes' as never);
  });
  let told = 0;
  void (async () => {
    for await (const message of client.messages()) {
      if ('content' in message && String(message.content).includes('was refused')) told += 1;
    }
  })();
  await client.send('write first');
  await expect.poll(() => told).toBe(5);
  expect(asked).toBe(5);
  expect(client.questions()).toHaveLength(1);
  await client.close();
});
