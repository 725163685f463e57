// A session that several tabs have open moves to another place: all of them are told where it is.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { SDKMessage, SDKSessionMovedMessage } from '../../../src/core/messages/sdk-message.ts';
import { decodeFrame } from '../../../src/wire/handover/frames.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { serveMoves } from '../../../src/wire/handover/serve-moves.ts';
import { settleMove } from '../../../src/wire/handover/settle-move.ts';
import { atOnce } from '../../support/wire/moving-places.ts';
import {
  isResult,
  quickHost,
  readUntil,
  silentModel,
  texts,
} from '../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../support/turns/play-turns.ts';
import { openTabs } from '../../support/sessions/session-tabs.ts';

const url = 'https://cloud.example/wire';
const id = 's1';

/** What becomes of a request, by its type: `lost` is done there, and never answered. */
type Fate = 'lost' | 'refused' | undefined;

async function openPlaces(fate: (type: string) => Fate = () => undefined) {
  const openTab = await openTabs();
  const [one, two] = [await openTab(), await openTab()];
  const cloud = await quickHost();
  const server = serveMoves({
    name: 'a cloud of the tests',
    acceptsRules: false,
    session: () => id,
    withWorkspace: (work) => work(cloud.workspace),
    left: async () => {},
    stillLeaving: async () => {},
    arrived: async () => {},
  });
  const places = {
    one,
    two,
    fate,
    options: {
      ticket: () => 'a ticket',
      clock: atOnce,
      fetch: (async (_url, init) => {
        const body = init?.body as Uint8Array<ArrayBuffer>;
        const { fields } = await decodeFrame(body);
        const what = places.fate(String(fields['type']));
        if (what === 'refused') {
          const error = { code: 'bad-usage', message: 'No.', name: 'SdkError', data: {} };
          return Response.json({ error }, { status: 400 });
        }
        const answer = await server(body);
        if (what === 'lost') throw new TypeError('The network is gone.');
        return new Response(answer);
      }) as typeof globalThis.fetch,
    },
    move: () => moveSession(id, url, { host: one.host, ...places.options }),
  };
  const first = await openSession({
    host: one.host,
    model: listModel('claude-test', [says('One.')]),
    sessionId: id,
  });
  await first.send('First?');
  await readUntil(first, isResult);
  const later = listModel('claude-test', [says('Two.')]);
  const second = await openSession({ host: two.host, model: later, resume: id });
  onTestFinished(() => second.close());
  return { ...places, places, first, second };
}

/** All that a reader is told, once the session has ended. */
async function collect(session: AgentSession): Promise<SDKMessage[]> {
  const told: SDKMessage[] = [];
  for await (const message of session.messages()) told.push(message);
  return told;
}

const isMoved = (message: SDKMessage): message is SDKSessionMovedMessage =>
  message.type === 'system' && message.subtype === 'session_moved';

const there = `The session ${id} runs at ${url} now. Follow it by connectSession, or have it back by bringBack.`;

describe('a session that tabs have open, and that moves', () => {
  it('tells them all where it is, also whoever reads later, and refuses their calls by a sentence that says it', async () => {
    const { first, second, move } = await openPlaces();
    const told = [collect(first), collect(second)];
    await move();
    for (const [at, session] of [first, second].entries()) {
      const last = (await told[at])?.at(-1);
      expect(last).toMatchObject({ url, is_unsure: false, content: there, session_id: id });
      expect((await collect(session)).filter(isMoved)).toEqual([last]);
      await expect(session.send('And now?')).rejects.toMatchObject({
        code: 'bad-usage',
        message: there,
        data: { movedAway: url },
      });
      await expect(session.interrupt()).rejects.toThrow(there);
      await expect(session.answer('q', { behavior: 'allow' })).rejects.toThrow(there);
    }
    expect(texts((await told[1]) ?? [])).toEqual(['user: First?', 'assistant: One.']);
  });

  it('rejects what a tab has asked while it moved, and says where to look', async () => {
    const { second, places } = await openPlaces();
    let asked: Promise<unknown> | undefined;
    places.fate = (type) => {
      // The tab that ran it has left by then, and answers nothing.
      if (type === 'take') asked = second.send('In between?');
      return undefined;
    };
    await places.move();
    await expect(asked).rejects.toMatchObject({
      code: 'worker-lost',
      message: `${there} It has left before send was answered: that may have been done or not. Look there.`,
      data: { movedAway: url, method: 'send' },
    });
  });

  it('tells them that nobody knows where it runs, until somebody has asked', async () => {
    const { first, second, places, two, options } = await openPlaces();
    const told = [collect(first), collect(second)];
    places.fate = (type) => (type === 'take' || type === 'cancel' ? 'lost' : undefined);
    await expect(places.move()).rejects.toMatchObject({ data: { isUnsure: true } });
    for (const one of told) {
      expect((await one).at(-1)).toMatchObject({ subtype: 'session_moved', url, is_unsure: true });
    }
    places.fate = () => undefined;
    expect(await settleMove(id, { host: two.host, ...options })).toEqual({ isHere: false, url });
    await expect(
      openSession({ host: two.host, model: silentModel, resume: id }),
    ).rejects.toMatchObject({ message: there });
  });

  it('goes on in a tab that follows it where the move comes to nothing', async () => {
    const { first, second, places } = await openPlaces();
    const told = collect(first);
    places.fate = (type) => (type === 'stage' ? 'refused' : undefined);
    await expect(places.move()).rejects.toThrow('No.');
    expect((await told).filter(isMoved)).toEqual([]);
    await expect.poll(() => second.role(), { timeout: 240_000 }).toBe('runner');
    const { n } = await second.send('Second?');
    expect(texts(await readUntil(second, isResult, n - 1))).toEqual([
      'user: Second?',
      'assistant: Two.',
    ]);
    await expect(first.send('And here?')).rejects.toThrow(`The session ${id} is closed.`);
  });
});
