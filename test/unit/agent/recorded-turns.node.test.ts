// Recorded streams through the whole loop and Anthropic's client, whole and broken at every 10th
// event. Each prompt has its one result, and every request after it is one that the API accepts.
// Ours stand in test/fixtures/streams; more lie beside this checkout, where they are.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { nextTask } from '../../../src/core/async/next-task.ts';
import type { Clock } from '../../../src/core/tool/ports.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { listBreaches } from '../../support/models/api-rules.ts';
import { toSse } from '../../support/models/model-streams.ts';
import { listModel, playTurns, says } from '../../support/turns/play-turns.ts';

const root = new URL('../../../', import.meta.url);
const streams = ['test/fixtures/streams/', '../shared/data/streams/'].flatMap((path) => {
  const folder = new URL(path, root);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith('.sse'))
    .map((file): [string, string] => [file, readFileSync(new URL(file, folder), 'utf8')]);
});

type Ending = 'whole' | 'cut' | 'stall' | 'err' | 'nostop';

const overloaded =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';

/** The limit of silence is over as soon as all that was sent has been read, and more is waited for. */
class SilenceClock implements Clock {
  /** Nothing more will come of the answer. */
  isSilent = false;
  /** How often the limit was over. */
  silences = 0;

  now(): number {
    return 0;
  }

  after(_delayMs: number, callback: () => void): Disposable {
    let isOff = false;
    // A task later: what has come already is read before that.
    void nextTask().then(() => {
      if (isOff || !this.isSilent) return;
      this.silences += 1;
      callback();
    });
    return { [Symbol.dispose]: () => void (isOff = true) };
  }
}

/** The stream's text up to that event, and how it ends there. */
function toResponse(text: string, ending: Ending, at: number, clock: SilenceClock): Response {
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== '');
  const kept = ending === 'whole' ? events : events.slice(0, at);
  const sent = kept.map((event) => `${event}\n\n`).join('') + (ending === 'err' ? overloaded : '');
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(sent));
      if (ending === 'cut') controller.error(new TypeError('the connection broke'));
      else if (ending !== 'stall') controller.close();
    },
    pull: () => void (clock.isSilent = true),
    // Nobody listens any more.
    cancel: () => void (clock.isSilent = false),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** The first request gets the stream, each later one a word. */
async function play(text: string, ending: Ending, at = 0, withFallback = false) {
  const requests: (readonly MessageParam[])[] = [];
  const clock = new SilenceClock();
  const model = createAnthropicModel({
    clock,
    model: 'claude-test',
    apiKey: 'sk-test',
    maxRetries: 0,
    fetch: (_, init) => {
      const { messages } = JSON.parse(String(init?.body)) as { messages: readonly MessageParam[] };
      requests.push(messages);
      const done = toSse([...toEvents(says('Done.'))]);
      return Promise.resolve(
        requests.length === 1
          ? toResponse(text, ending, at, clock)
          : toResponse(done, 'whole', 0, clock),
      );
    },
  });
  const fallback = listModel('second', [says('Instead.')]);
  const options = { model, ...(withFallback && { fallbackModel: fallback }) };
  const { results } = await playTurns(options, ['Go.', 'And now?']);
  const sent = [...requests, ...fallback.requests.map(({ messages }) => messages)];
  return { results, breaches: sent.flatMap(listBreaches), silences: clock.silences };
}

const listEvents = (text: string) => text.split(/\r?\n\r?\n/);

/** What follows it isn't waited for. */
const isLast = (event: string) => /^event: (message_stop|error)$/mu.test(event);

describe.each(streams)('%s', (_, text) => {
  it('leads to requests that the API accepts', async () => {
    const { results, breaches } = await play(text, 'whole');
    expect(breaches).toEqual([]);
    expect(results).toHaveLength(2);
    expect(results[1]).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it.each<Ending>(['cut', 'stall', 'err', 'nostop'])(
    'does so too where it breaks at every 10th event: %s',
    async (ending) => {
      const events = listEvents(text);
      const count = events.length;
      // Long streams at 12 places, so that none takes more than its share.
      const step = Math.max(10, Math.ceil(count / 120) * 10);
      for (let at = 1, withFallback = false; at < count; at += step, withFallback = !withFallback) {
        const { results, breaches, silences } = await play(text, ending, at, withFallback);
        expect(breaches).toEqual([]);
        const falls = ending === 'stall' && !events.slice(0, at).some(isLast);
        expect([at, silences]).toEqual([at, falls ? 1 : 0]);
        expect(results).toHaveLength(2);
        expect(results[1]).toMatchObject({ subtype: 'success', result: 'Done.' });
      }
    },
  );
});
