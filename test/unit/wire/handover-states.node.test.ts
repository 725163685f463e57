import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import { getSessionInfo } from '../../../src/agent/stored-sessions/session-info.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { isTextBlock } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import type { ToolUseContext } from '../../../src/core/tool/context.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { bringBack } from '../../../src/wire/handover/bring-back.ts';
import { moveProtocol } from '../../../src/wire/handover/move-messages.ts';
import { decodeFrame, encodeFrame } from '../../../src/wire/handover/frames.ts';
import { moveSession } from '../../../src/wire/handover/move-session.ts';
import { settleMove } from '../../../src/wire/handover/settle-move.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { atOnce, movingId, movingUrl, openMovingPlaces } from '../../support/wire/moving-places.ts';
import type { MovingPlaces } from '../../support/wire/moving-places.ts';
import { isResult, readUntil, silentModel } from '../../support/sessions/open-sessions.ts';
import { plainTool } from '../../support/stages/test-tools.ts';

let places: MovingPlaces;

beforeEach(async () => {
  places = await openMovingPlaces();
});

afterEach(() => places.close());

const options = () => ({ fetch: places.fetch, ticket: () => 'a ticket', clock: atOnce });
const move = () => moveSession(movingId, movingUrl, { host: places.tab, ...options() });
const back = (acceptRules = false) =>
  bringBack(movingUrl, { host: places.tab, acceptRules, ...options() });

const entriesIn = async (place: 'tab' | 'cloud') =>
  (await loadJournal(places[place].workspace, movingId)).entries;

/** A turn with one call, in the tab. */
async function playHere(): Promise<void> {
  const session = await places.openIn('tab');
  const { n } = await session.send('Turn 0');
  await readUntil(session, isResult, n);
  await session.close();
}

/** Gives these replies, by how many of its calls have results. */
function replies(...calls: readonly ContentBlock[]): Model & { readonly sent: MessageParam[][] } {
  const sent: MessageParam[][] = [];
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    sent,
    async *stream({ messages }) {
      sent.push([...messages]);
      const done = JSON.stringify(messages).split('"tool_result"').length - 1;
      const call = calls[done];
      const content = call ? [call] : [{ type: 'text', text: 'Done.' } as const];
      yield* toEvents(assistantMessage(content, { stop_reason: call ? 'tool_use' : 'end_turn' }));
    },
  };
}

const uses = (name: string, input: Record<string, unknown>): ContentBlock => ({
  type: 'tool_use',
  id: `call-${name}`,
  name,
  input,
});

const toTexts = (messages: readonly MessageParam[]): string =>
  messages
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? [content]
        : content.map((block) => (isTextBlock(block) ? block.text : JSON.stringify(block))),
    )
    .join('\n');

describe('a session that moves', () => {
  it('goes on with the request under way, and tells the model where it is', async () => {
    const here = await places.openIn('tab', { model: silentModel });
    await here.send('Turn 0');
    await expect.poll(() => here.state(), { timeout: 240_000 }).toBe('running');
    await expect
      .poll(async () => (await entriesIn('tab')).some(({ type }) => type === 'request'), {
        timeout: 240_000,
      })
      .toBe(true);
    const told: string[] = [];
    const reading = (async () => {
      for await (const message of here.messages()) told.push(message.type);
    })();
    await move();
    await reading;
    // Nothing of how it ended here.
    expect(told).not.toContain('result');
    const model = replies();
    const there = await places.openIn('cloud', { model });
    await readUntil(there, isResult);
    expect(toTexts(model.sent[0] ?? [])).toContain('It now runs here: a cloud of the tests.');
    await there.send('And now?');
    await expect.poll(() => model.sent.length, { timeout: 240_000 }).toBe(2);
    expect(toTexts(model.sent[1] ?? []).split('It now runs here').length).toBe(2);
    await there.close();
  });

  it('interrupts a call of a tool that is not there, and names the tool', async () => {
    const { promise: whenBegun, resolve: begun } = createDeferred();
    const { runsIn: _, ...tool } = plainTool({
      name: 'PageOnly',
      call: (_input: unknown, { abortController }: ToolUseContext) => {
        begun();
        return new Promise((_, reject) => {
          const { signal } = abortController;
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      },
    });
    const here = await places.openIn('tab', {
      model: replies(uses('PageOnly', {})),
      tools: [tool],
    });
    await here.send('Turn 0');
    await whenBegun;
    await move();
    const model = replies(uses('PageOnly', {}));
    const there = await places.openIn('cloud', { model });
    await readUntil(there, isResult);
    const seen = toTexts(model.sent[0] ?? []);
    expect(seen).toContain('PageOnly was interrupted: the session was moved to another place');
    expect(seen).toContain('These tools were there and are not here: PageOnly.');
    await there.close();
  });

  it('puts an open question there, and takes no rule along that the place does not accept', async () => {
    const asking = replies(uses('Write', { file_path: 'a.txt', content: 'a' }));
    const modes = { permissionMode: 'default', model: asking } as const;
    const here = await places.openIn('tab', modes);
    await here.setPermissionMode('bypassPermissions');
    await here.setPermissionMode('default');
    await here.send('Turn 0');
    await expect.poll(() => here.questions().length, { timeout: 240_000 }).toBe(1);
    const asked = here.questions()[0];
    await move();
    const there = await places.openIn('cloud', modes);
    await expect.poll(() => there.questions().length, { timeout: 240_000 }).toBe(1);
    expect(there.questions()[0]?.requestId).toBe(asked?.requestId);
    await there.answer(asked?.requestId ?? '', {
      behavior: 'allow',
      updatedPermissions: [
        {
          type: 'addRules',
          behavior: 'allow',
          destination: 'session',
          rules: [{ toolName: 'Write' }],
        },
      ],
    });
    await readUntil(there, isResult);
    await there.close();
    await back();
    const { permissions } = await loadJournal(places.tab.workspace, movingId);
    expect(JSON.stringify(permissions)).not.toContain('Write');
    await move();
    // What was allowed there holds there again.
    const again = await loadJournal(places.cloud.workspace, movingId);
    expect(JSON.stringify(again.permissions)).toContain('Write');
  });

  it('interrupts a cell in the background', async () => {
    const code = 'await new Promise((resolve) => setTimeout(resolve, 600_000))';
    const model = replies(uses('Repl', { code, run_in_background: true }));
    const here = await places.openIn('tab', { model });
    await here.send('Turn 0');
    await readUntil(here, isResult);
    await move();
    const after = replies();
    const there = await places.openIn('cloud', { model: after });
    await there.send('How is it?');
    await readUntil(there, isResult, (await entriesIn('cloud')).length - 1);
    expect(toTexts(after.sent.at(-1) ?? [])).toContain('was interrupted: the session was moved');
    await there.close();
  });

  it('crosses with what the other side lacks alone', async () => {
    await playHere();
    const { fs } = places.tab.workspace;
    // 100 MB by SLOW; here 0.2 MB.
    const [count, size] = process.env['SLOW'] ? [100, 1_000_000] : [10, 20_000];
    await fs.mkdir('/data');
    for (let at = 0; at < count; at += 1) {
      const bytes = new Uint8Array(size);
      for (let from = 0; from < size; from += 65_536) {
        crypto.getRandomValues(bytes.subarray(from, Math.min(size, from + 65_536)));
      }
      await fs.writeFile(`/data/${at}.bin`, bytes);
    }
    await move();
    const whole = places.bytes;
    expect(whole).toBeGreaterThan(count * size);
    await places.cloud.workspace.fs.writeFile('/data/0.bin', 'changed');
    await back();
    const delta = places.bytes - whole;
    if (process.env['SLOW']) console.log(`handover_delta_kb ${Math.ceil(delta / 1000)}`);
    expect(delta).toBeLessThan(process.env['SLOW'] ? 1_000_000 : 50_000);
    expect(await fs.readFile('/data/0.bin', 'utf8')).toBe('changed');
  });
});

describe('a move that is refused', () => {
  it('says so, and leaves the session where it is: done twice', async () => {
    await playHere();
    await move();
    await expect(move()).rejects.toThrow(
      `The session ${movingId} isn't here: it was moved already.`,
    );
    await back();
    await expect(back()).rejects.toThrow(`The session ${movingId} is here already: open it.`);
    expect(await places.owners()).toEqual(['tab']);
  });

  it('says so where the other side has another version', async () => {
    await playHere();
    const { fetch } = places;
    const older: typeof globalThis.fetch = async (url, init) => {
      const { fields, blobs } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      const body = await encodeFrame({ ...fields, protocol: 'rockpool-move-0' }, blobs);
      return fetch(url, { ...init, body });
    };
    await expect(
      moveSession(movingId, movingUrl, { host: places.tab, ...options(), fetch: older }),
    ).rejects.toThrow(`This place moves sessions by ${moveProtocol}, not by rockpool-move-0`);
    expect(await places.owners()).toEqual(['tab']);
  });

  it.each<[name: string, type: string, lie: Record<string, unknown>, says: string]>([
    ['a wrong hash', 'stage', { hash: 'nonsense' }, 'The place says that all has arrived, but'],
    ['a wrong count', 'stage', { entries: 3 }, 'but it has 3 entries of'],
    ['no list of checkpoints', 'offer', { checkpoints: 'all' }, 'what is no part of a move'],
    [
      'it has everything, and has nothing',
      'lacks',
      { lacks: [] },
      'A content of the session has not arrived',
    ],
  ])('says so to a place that lies: %s', async (_name, lied, lie, says) => {
    await playHere();
    places.lie = (type, fields) => (type === lied ? { ...fields, ...lie } : fields);
    await expect(move()).rejects.toThrow(says);
    expect(await places.owners()).toEqual(['tab']);
    places.lie = (_type, fields) => fields;
    await move();
    expect(await places.owners()).toEqual(['cloud']);
  });

  it('says so where there is no room, and of a file that both sides have changed', async () => {
    await playHere();
    const full = { code: 'ENOSPC', name: 'SdkError', message: 'The disk is full.', data: {} };
    places.lie = (type, fields) => (type === 'contents' ? { error: full } : fields);
    await expect(move()).rejects.toThrow('The disk is full.');
    expect(await places.owners()).toEqual(['tab']);
    places.lie = (_type, fields) => fields;
    await move();
    await places.tab.workspace.fs.writeFile('/workspace/0.txt', 'mine');
    await places.cloud.workspace.fs.writeFile('/workspace/0.txt', 'theirs');
    await expect(back()).rejects.toMatchObject({
      code: 'ECONFLICT',
      data: { paths: ['/workspace/0.txt'] },
    });
    expect(await places.owners()).toEqual(['cloud']);
    // Where it is, is known as before.
    const there = { host: places.tab };
    expect((await getSessionInfo(movingId, there))?.movedAway).toBe(movingUrl);
    expect(await settleMove(movingId, { ...there, ...options() })).toEqual({
      isHere: false,
      url: movingUrl,
    });
    await expect(places.openIn('tab')).rejects.toThrow(`runs at ${movingUrl} now`);
    expect(await places.tab.workspace.fs.readFile('/workspace/0.txt', 'utf8')).toBe('mine');
  });

  it('says so where this side has no room for it to come back, and can be done once there is', async () => {
    await playHere();
    await move();
    await places.cloud.workspace.fs.writeFile('/workspace/new.txt', 'new');
    const host = places.tab;
    const { workspace } = host;
    const full = new SdkError('ENOSPC', 'ENOSPC: the medium is full.');
    const cramped = { ...host, workspace: { ...workspace, commit: () => Promise.reject(full) } };
    await expect(bringBack(movingUrl, { host: cramped, ...options() })).rejects.toThrow(
      'ENOSPC: the medium is full.',
    );
    expect(await places.owners()).toEqual(['cloud']);
    await back();
    expect(await places.owners()).toEqual(['tab']);
    expect(await workspace.fs.readFile('/workspace/new.txt', 'utf8')).toBe('new');
  });

  it('asks where the answer is lost and asking again is refused: two never run it', async () => {
    await playHere();
    let taken = 0;
    const { fetch } = places;
    const lossy: typeof globalThis.fetch = async (url, init) => {
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      if (fields['type'] !== 'take') return fetch(url, init);
      taken += 1;
      if (taken === 1) await fetch(url, init);
      if (taken === 1) throw new TypeError('The network is gone.');
      const error = {
        code: 'permission-denied',
        message: 'No ticket.',
        name: 'SdkError',
        data: {},
      };
      return Response.json({ error }, { status: 401 });
    };
    const host = places.tab;
    await moveSession(movingId, movingUrl, { host, ...options(), fetch: lossy });
    expect(taken).toBe(2);
    expect(await places.owners()).toEqual(['cloud']);
  });

  it('waits for the answer where nobody says whether it is done, and asks', async () => {
    await playHere();
    let isOut = false;
    const { fetch } = places;
    const lossy: typeof globalThis.fetch = async (url, init) => {
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      if (fields['type'] !== 'take' && !isOut) return fetch(url, init);
      if (!isOut) await fetch(url, init);
      isOut = true;
      throw new TypeError('The network is gone.');
    };
    const host = places.tab;
    await expect(
      moveSession(movingId, movingUrl, { host, ...options(), fetch: lossy }),
    ).rejects.toMatchObject({ code: 'worker-lost', data: { isUnsure: true } });
    await expect(places.openIn('tab')).rejects.toThrow('Ask there by settleMove');
    expect(await settleMove(movingId, { host, ...options() })).toEqual({
      isHere: false,
      url: movingUrl,
    });
    expect(await places.owners()).toEqual(['cloud']);
  });
});
