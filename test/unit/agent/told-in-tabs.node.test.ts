// What isn't recorded of a session is told in its other tabs too: text that streams, and progress.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openSession } from '../../../src/agent/open-session.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { isResult, silentModel, texts } from '../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../support/turns/play-turns.ts';
import { openTabs } from '../../support/sessions/session-tabs.ts';

const noInput = z.strictObject({});

/** Of five characters: a piece each. */
const words = ['One, ', 'two, ', 'six, ', 'ten.'];

/** Says a word with each `speak`, and the rest with the last one. Others of its replies come at once. */
function speakingModel() {
  let wake = () => {};
  let spoken = 0;
  let requests = 0;
  const speak = (count = 1) => {
    spoken += count;
    wake();
  };
  const model: Model = {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream() {
      requests += 1;
      const isFirst = requests === 1;
      let said = 0;
      for (const event of toEvents(says(isFirst ? words.join('') : 'Again.'), 5)) {
        if (isFirst && event.type === 'content_block_delta') {
          while (said >= spoken) await new Promise<void>((resolve) => (wake = resolve));
          said += 1;
        }
        yield event;
      }
    },
  };
  return { model, speak };
}

async function open(options: QueryOptions): Promise<AgentSession> {
  const session = await openSession({
    permissionMode: 'bypassPermissions',
    includePartialMessages: true,
    ...options,
  });
  onTestFinished(() => session.close());
  return session;
}

interface Reading {
  readonly told: SDKMessage[];
  /** Resolves once something that was told is so. */
  until(is: (told: readonly SDKMessage[]) => boolean): Promise<void>;
}

function read(session: AgentSession): Reading {
  const told: SDKMessage[] = [];
  let wake = () => {};
  const reading = async () => {
    for await (const one of session.messages()) {
      told.push(one);
      wake();
    }
  };
  void reading();
  return {
    told,
    async until(is) {
      while (!is(told)) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

/** The text that streamed, as a view shows it: from the newest reply's beginning on. */
function streamed(told: readonly SDKMessage[]): string {
  let text = '';
  for (const message of told) {
    if (message.type !== 'stream_event') continue;
    const { event } = message;
    if (event.type === 'message_start') text = '';
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      text += String(event.delta['text']);
    }
  }
  return text;
}

const startsIn = (told: readonly SDKMessage[]) =>
  told.filter((each) => each.type === 'stream_event' && each.event.type === 'message_start').length;

describe('a reply that streams', () => {
  it('is told in the other tabs as it comes, also in one that opens in the midst of it', async () => {
    const openTab = await openTabs();
    const [one, two, three, four] = [
      await openTab(),
      await openTab(),
      await openTab(),
      await openTab(),
    ];
    const { model, speak } = speakingModel();
    const first = await open({ host: one.host, model, sessionId: 's1' });
    const following = { model: silentModel, resume: 's1' } as const;
    const second = read(await open({ host: two.host, ...following }));
    const silent = read(
      await open({ host: four.host, ...following, includePartialMessages: false }),
    );
    await first.send('Go.');
    speak();
    await second.until((told) => streamed(told) === words[0]);
    speak();
    await second.until((told) => streamed(told) === words.slice(0, 2).join(''));
    const third = read(await open({ host: three.host, ...following }));
    await third.until((told) => streamed(told) === words.slice(0, 2).join(''));
    speak();
    for (const each of [second, third]) {
      await each.until((told) => streamed(told) === words.slice(0, 3).join(''));
    }
    speak();
    const whole = `assistant: ${words.join('')}`;
    for (const each of [second, third, silent]) {
      await each.until((told) => told.some(isResult));
      expect(texts(each.told).filter((text) => text === whole)).toHaveLength(1);
    }
    // Of the reply's end nothing is told behind its whole message.
    for (const { told } of [second, third]) {
      const end = told.findIndex(({ type }) => type === 'assistant');
      expect(told.slice(end).filter(({ type }) => type === 'stream_event')).toEqual([]);
      expect(startsIn(told)).toBe(1);
    }
    expect(silent.told.filter(({ type }) => type === 'stream_event')).toEqual([]);
  });

  it('is told of a query in another tab', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const { model, speak } = speakingModel();
    const options = { host: one.host, model, sessionId: 's1', includePartialMessages: true };
    const asking = query({ prompt: 'Go.', options });
    const all = (async () => {
      for await (const _ of asking);
    })();
    await new Promise<void>((resolve, reject) => {
      one.host.workspace.streams.onAppend(() => resolve(), reject);
    });
    const second = read(await open({ host: two.host, model: silentModel, resume: 's1' }));
    speak(2);
    await second.until((told) => streamed(told) === words.slice(0, 2).join(''));
    speak(2);
    await second.until((told) => told.some(isResult));
    await all;
  });

  it('is begun anew by the tab that takes the session over', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const { model, speak } = speakingModel();
    // Its tab is killed, so it can't be closed.
    const first = await openSession({
      ...{ host: one.host, model, sessionId: 's1', permissionMode: 'bypassPermissions' },
      includePartialMessages: true,
    });
    const second = read(
      await open({ host: two.host, model: listModel('other', [says('Anew.')]), resume: 's1' }),
    );
    await first.send('Go.');
    speak();
    await second.until((told) => streamed(told) === words[0]);
    one.kill();
    await second.until((told) => told.some(isResult));
    expect(streamed(second.told)).toBe('Anew.');
    expect(startsIn(second.told)).toBe(2);
    expect(texts(second.told)).toEqual(['user: Go.', 'assistant: Anew.']);
  });
});

describe('the progress of a call', () => {
  it('is told in the other tabs behind its call, also where it can’t be cloned', async () => {
    const openTab = await openTabs();
    const [one, two] = [await openTab(), await openTab()];
    const { promise: released, resolve: release } = createDeferred();
    const definition: ToolDef<typeof noInput, null, unknown> = {
      name: 'Count',
      inputSchema: noInput,
      description: () => Promise.resolve('Counts.'),
      prompt: () => Promise.resolve(''),
      mapToolResultToToolResultBlockParam: (_output, tool_use_id) =>
        ({ type: 'tool_result', tool_use_id, content: 'Counted.' }) as const,
      async call(_input, _context, _canUseTool, _message, onProgress) {
        onProgress?.({ counted: 1 });
        onProgress?.({ count: () => 2 });
        await released;
        return { data: null };
      },
    };
    const tool = buildTool(definition) as unknown as Tool;
    const calls = asks({ type: 'tool_use', id: 'c1', name: 'Count', input: {} });
    const model = listModel('claude-test', [calls, says('Done.')]);
    const first = await open({ host: one.host, model, sessionId: 's1', tools: [tool] });
    const session = await open({ host: two.host, model: silentModel, resume: 's1' });
    const { told, until } = read(session);
    const progress = () =>
      told.filter((each) => each.type === 'tool_progress' && each.phase === undefined);
    await first.send('Go.');
    await until(() => progress().length === 2);
    release();
    const steps = progress();
    expect(steps).toMatchObject([
      { tool_use_id: 'c1', progress: { counted: 1 } },
      { tool_use_id: 'c1', tool_name: 'Count' },
    ]);
    expect(steps[1]).not.toHaveProperty('progress');
    const asked = told.findIndex(({ type }) => type === 'assistant');
    expect(told.findIndex(({ type }) => type === 'tool_progress')).toBeGreaterThan(asked);
  });
});
