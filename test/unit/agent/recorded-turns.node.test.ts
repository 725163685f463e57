// Recorded streams through the whole loop and Anthropic's client, whole and broken at every 10th event:
// each prompt has its one result, and every request after it is one that the API accepts. Ours stand in
// test/fixtures/streams; more lie beside this checkout, where they are.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../../src/core/messages.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { listBreaches } from '../../support/api-rules.ts';
import { toSse } from '../../support/model-streams.ts';
import { listModel, playTurns, says } from '../../support/play-turns.ts';

const root = new URL('../../../', import.meta.url);
const streams = ['test/fixtures/streams/', '../shared/data/streams/'].flatMap((path) => {
  const folder = new URL(path, root);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files
    .filter((file) => file.endsWith('.sse'))
    .map((file): [string, string] => [file, readFileSync(new URL(file, folder), 'utf8')]);
});

type Ending = 'whole' | 'cut' | 'err' | 'nostop';

const overloaded =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';

/** The stream's text up to that event, and how it ends there. */
function toResponse(text: string, ending: Ending, at: number): Response {
  const events = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== '');
  const kept = ending === 'whole' ? events : events.slice(0, at);
  const sent = kept.map((event) => `${event}\n\n`).join('') + (ending === 'err' ? overloaded : '');
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(sent));
      if (ending === 'cut') controller.error(new TypeError('the connection broke'));
      else controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** The first request gets the stream, each later one a word. */
async function play(text: string, ending: Ending, at = 0, withFallback = false) {
  const requests: (readonly MessageParam[])[] = [];
  const model = createAnthropicModel({
    model: 'claude-test',
    apiKey: 'sk-test',
    maxRetries: 0,
    fetch: (_, init) => {
      const { messages } = JSON.parse(String(init?.body)) as { messages: readonly MessageParam[] };
      requests.push(messages);
      const done = toSse([...toEvents(says('Done.'))]);
      return Promise.resolve(
        requests.length === 1 ? toResponse(text, ending, at) : toResponse(done, 'whole', 0),
      );
    },
  });
  const fallback = listModel('second', [says('Instead.')]);
  const options = { model, ...(withFallback && { fallbackModel: fallback }) };
  const { results } = await playTurns(options, ['Go.', 'And now?']);
  const sent = [...requests, ...fallback.requests.map(({ messages }) => messages)];
  return { results, breaches: sent.flatMap(listBreaches) };
}

const countEvents = (text: string) => text.split(/\r?\n\r?\n/).length;

describe.each(streams)('%s', (_, text) => {
  it('leads to requests that the API accepts', async () => {
    const { results, breaches } = await play(text, 'whole');
    expect(breaches).toEqual([]);
    expect(results).toHaveLength(2);
    expect(results[1]).toMatchObject({ subtype: 'success', result: 'Done.' });
  });

  it.each<Ending>(['cut', 'err', 'nostop'])(
    'does so too where it breaks at every 10th event: %s',
    async (ending) => {
      const count = countEvents(text);
      // Long streams at 12 places, so that none takes more than its share.
      const step = Math.max(10, Math.ceil(count / 120) * 10);
      for (let at = 1, withFallback = false; at < count; at += step, withFallback = !withFallback) {
        const { results, breaches } = await play(text, ending, at, withFallback);
        expect(breaches).toEqual([]);
        expect(results).toHaveLength(2);
        expect(results[1]).toMatchObject({ subtype: 'success', result: 'Done.' });
      }
    },
  );
});
