import { describe, expect, it } from 'vitest';
import { placeBreakpoints } from '../../../../src/agent/context/breakpoints.ts';
import type { ContentBlock, UserBlock } from '../../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import { writeBreakpoints } from '../../../../src/model/write-breakpoints.ts';
import { createSimulatedCache } from '../../../support/models/simulated-cache.ts';

const user = (...content: readonly UserBlock[]): MessageParam => ({ role: 'user', content });
const model = (...content: readonly ContentBlock[]): MessageParam => ({
  role: 'assistant',
  content,
});
const text = (words: string) => ({ type: 'text', text: words }) as const;
const call = (id: string) => ({ type: 'tool_use', id, name: 'Look', input: {} }) as const;
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'seen' }) as const;
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'signed' } as const;
const system = [text('Be kind.'), text('Use tools.')];

const place = (messages: readonly MessageParam[]) =>
  placeBreakpoints({ system, messages }, { ttl: '5m', steadyTools: 3 }).messages;

describe('placeBreakpoints', () => {
  it('chooses the steady tools, the system prompt, the previous request’s end and this one’s', () => {
    const messages = [
      user(text('Go.')),
      model(text('I look.'), call('a'), call('b')),
      user(result('a'), result('b')),
      user(text('A reminder.')),
    ];
    expect(placeBreakpoints({ system, messages }, { ttl: '1h', steadyTools: 3 })).toEqual({
      ttl: '1h',
      tool: 2,
      system: 1,
      messages: [
        { message: 0, block: 0 },
        { message: 3, block: 0 },
      ],
    });
  });

  it('chooses the end alone in the first request', () => {
    expect(place([{ role: 'user', content: 'Go.' }])).toEqual([{ message: 0, block: 0 }]);
  });

  it('chooses nothing where there is nothing', () => {
    const none = placeBreakpoints({ system: [], messages: [] }, { ttl: '5m', steadyTools: 0 });
    expect(none).toEqual({ ttl: '5m', messages: [] });
  });

  it.each<[string, readonly ContentBlock[], number]>([
    ['passes over thinking', [text('One.'), thinking], 0],
    ['passes over redacted thinking', [text('One.'), { type: 'redacted_thinking', data: 'x' }], 0],
    ['passes over an empty text', [text('One.'), text('')], 0],
    ['passes over a text of spaces', [text('One.'), text(' \n')], 0],
    ['passes over a block of a kind that is unknown', [text('One.'), { type: 'dream' }], 0],
    ['takes a server’s call', [text('One.'), { type: 'server_tool_use', id: 's' }], 1],
    ['takes a server’s result', [text('One.'), { type: 'web_search_tool_result' }], 1],
  ])('%s', (_, content, block) => {
    // As a paused reply is sent back.
    expect(place([user(text('Go.')), model(...content)])).toEqual([
      { message: 0, block: 0 },
      { message: 1, block },
    ]);
  });

  it('goes back to an earlier message where a message has no place', () => {
    expect(place([user(text('Go.')), model(thinking)])).toEqual([{ message: 0, block: 0 }]);
  });
});

describe('writeBreakpoints', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const tools = ['a', 'b'].map((name) => ({
    name,
    description: '',
    input_schema: { type: 'object' as const },
  }));

  it('writes cache_control in those places alone, and takes away what others have put', () => {
    const own = { ...text('mine'), ...mark };
    const messages: MessageParam[] = [
      { role: 'user', content: 'Go.' },
      model(call('a')),
      user({ ...result('a'), content: [own], ...mark }, own),
    ];
    const before = structuredClone(messages);
    const breakpoints = placeBreakpoints({ system, messages }, { ttl: '5m', steadyTools: 1 });
    expect(writeBreakpoints({ system, messages, tools, breakpoints })).toEqual({
      system: [system[0], { ...system[1], ...mark }],
      messages: [
        user({ ...text('Go.'), ...mark }),
        model(call('a')),
        user({ ...result('a'), content: [text('mine')] }, { ...text('mine'), ...mark }),
      ],
      tools: [{ ...tools[0], ...mark }, tools[1]],
    });
    expect(messages).toEqual(before);
  });

  it('names the hour, and not the five minutes, which are the API’s default', () => {
    const messages = [user(text('Go.'))];
    const breakpoints = placeBreakpoints({ system: [], messages }, { ttl: '1h', steadyTools: 0 });
    expect(writeBreakpoints({ system: [], messages, tools: [], breakpoints }).messages).toEqual([
      user({ ...text('Go.'), cache_control: { type: 'ephemeral', ttl: '1h' } }),
    ]);
  });

  it('writes none for a request that has none', () => {
    const request = { system, messages: [user(text('Go.'))], tools };
    expect(writeBreakpoints(request)).toEqual(request);
  });
});

describe('the simulated cache', () => {
  const send = (cache: ReturnType<typeof createSimulatedCache>, messages: MessageParam[]) => {
    const breakpoints = placeBreakpoints({ system, messages }, { ttl: '5m', steadyTools: 0 });
    return cache.send({ system, messages, tools: [], breakpoints });
  };

  it('reads what an earlier request wrote, also over more than 20 blocks', () => {
    const cache = createSimulatedCache();
    const ids = Array.from({ length: 26 }, (_, at) => `call-${at}`);
    const first = [user(text('x'.repeat(400)))];
    const begun = send(cache, first);
    const next = [...first, model(...ids.map(call)), user(...ids.map(result))];
    expect(send(cache, next).read).toBe(begun.written);
    const end = placeBreakpoints({ system, messages: next }, { ttl: '5m', steadyTools: 0 });
    const alone = createSimulatedCache();
    send(alone, first);
    const messages = end.messages.slice(-1);
    const without = alone.send({
      system,
      messages: next,
      tools: [],
      breakpoints: { ttl: '5m', messages },
    });
    expect(without.read).toBe(0);
  });

  it('refuses what the API refuses', () => {
    const cache = createSimulatedCache();
    const messages = [user(text('Go.')), model(thinking)];
    const breakpoints = { ttl: '5m', messages: [{ message: 1, block: 0 }] } as const;
    expect(() => cache.send({ system, messages, tools: [], breakpoints })).toThrow('thinking');
  });
});
