// What a place that sessions are moved to and from does, wherever it is. Node only.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../src/agent/agent-session.ts';
import { openSession } from '../../src/agent/open-session.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { connectSession } from '../../src/wire/connect-session.ts';
import { fetchTicket } from '../../src/wire/fetch-ticket.ts';
import { bringBack } from '../../src/wire/handover/bring-back.ts';
import { decodeFrame } from '../../src/wire/handover/frames.ts';
import { moveSession } from '../../src/wire/handover/move-session.ts';
import { reclaimSession } from '../../src/wire/handover/reclaim-session.ts';
import { atOnce } from '../support/wire/moving-places.ts';
import { isResult, readUntil, texts } from '../support/sessions/open-sessions.ts';
import { createWireModel } from '../support/wire/wire-model.ts';

/** A place with a session of wire-model.ts, in which nothing was said. A client's role is what its header says. */
export interface MovedSessionSubject {
  /** Of its wire. */
  readonly address: string;
  /** Of a file that goes along. Left out: a few. */
  readonly fileBytes?: number;
  /** Kills it and starts it again: gives its address then. */
  restart?(): Promise<string>;
  close?(): Promise<void>;
}

/** The machine may be busy. */
const inTime = { timeout: 240_000 };

export function movedSessionContract(name: string, open: () => Promise<MovedSessionSubject>): void {
  it(`${name} takes a session of a tab in the middle of a question, and gives it back; it goes on with one whose fetcher is lost`, async () => {
    const { address, fileBytes = 10_000, restart, close } = await open();
    if (close) onTestFinished(close);
    const host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    let url = address;
    const ticket = () => fetchTicket(url, { authorization: 'Bearer owner' });
    const here = await openSession({ host, model: createWireModel(), sessionId: 'of-a-tab' });
    await here.send('write moved');
    await expect.poll(() => here.questions().length, inTime).toBe(1);
    const noise = new Uint8Array(fileBytes);
    for (let at = 0; at < noise.length; at += 65_536) {
      crypto.getRandomValues(noise.subarray(at, at + 65_536));
    }
    await host.workspace.fs.writeFile('/workspace/mine.bin', noise);

    let there: AgentSession = await here.moveTo(url, { ticket });
    await expect(
      openSession({ host, model: createWireModel(), resume: 'of-a-tab' }),
    ).rejects.toThrow(`The session of-a-tab runs at ${url} now.`);
    if (restart) {
      url = await restart();
      there = await connectSession(url, { ticket });
    }
    expect(there.id).toBe('of-a-tab');
    await expect.poll(() => there.questions().length, inTime).toBe(1);
    await there.answer(there.questions()[0]?.requestId ?? '', { behavior: 'allow' });
    await expect.poll(() => there.state(), inTime).toBe('idle');
    await there.close();

    const other = await connectSession(url, { ticket });
    const told: SDKMessage[] = [];
    void (async () => {
      for await (const message of other.messages()) told.push(message);
    })();
    const { sessionId } = await bringBack(url, { host, ticket });
    // Who is still connected there is told.
    const elsewhere = 'The session of-a-tab runs elsewhere now.';
    await expect
      .poll(() => told.at(-1), inTime)
      .toMatchObject({
        subtype: 'session_moved',
        url: null,
        content: expect.stringContaining(elsewhere),
      });
    await expect(other.send('Are you there?')).rejects.toThrow(elsewhere);
    await other.close();
    const back = await openSession({ host, model: createWireModel(), resume: sessionId });
    expect(await host.workspace.fs.readFile('/workspace/a.txt', 'utf8')).toBe('moved');
    expect(texts(await readUntil(back, isResult))).toEqual([
      'user: write moved',
      'assistant: tool_use',
      'user: tool_result',
      'assistant: Done.',
    ]);
    await expect(
      moveSession(sessionId, url, { host, ticket: () => 'forged' }),
    ).rejects.toMatchObject({
      code: 'permission-denied',
    });
    await back.close();

    // Whoever fetches it is lost once the place has given it away.
    await moveSession(sessionId, url, { host, ticket });
    const lost = new AbortController();
    const losing: typeof fetch = async (address, init) => {
      lost.signal.throwIfAborted();
      const { fields } = await decodeFrame(init?.body as Uint8Array<ArrayBuffer>);
      const response = await fetch(address, init);
      if (fields['type'] === 'release') lost.abort();
      lost.signal.throwIfAborted();
      return response;
    };
    const unsure = { data: { isUnsure: true } };
    await expect(
      bringBack(url, { host, ticket, fetch: losing, signal: lost.signal, clock: atOnce }),
    ).rejects.toMatchObject(unsure);
    const { isCopy, sessionId: copy } = await reclaimSession(url, { ticket });
    expect(isCopy).toBe(true);
    const going = await connectSession(url, { ticket });
    expect(going.id).toBe(copy);
    const { n } = await going.send('Still there?');
    expect(texts(await readUntil(going, isResult, n))).toEqual([
      'user: Still there?',
      'assistant: Still there?',
    ]);
    await going.close();
    await host[Symbol.asyncDispose]();
  });
}
