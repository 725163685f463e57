import { describe, expect, it } from 'vitest';
import type { ViewedCall } from '../../../src/core/tool/call-state.ts';
import { SdkError } from '../../../src/core/errors.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import { createAppBridge } from '../../../src/react/apps/app-bridge.ts';
import type { AppBridgePorts } from '../../../src/react/apps/app-bridge.ts';

const output = { content: [{ type: 'text', text: 'Sun.' }], structuredContent: { degrees: 12 } };

const call: ViewedCall = {
  toolName: 'mcp__weather__forecast',
  state: 'output-available',
  input: { city: 'Oslo' },
  output,
  progress: [],
  droppedProgress: 0,
  resultText: 'Sun.',
  elapsedSeconds: 0,
  task: null,
};

function open(more: Partial<AppBridgePorts> = {}, shown: ViewedCall = call) {
  const posted: unknown[] = [];
  const noted: unknown[] = [];
  const waiting = new Map<number, (message: unknown) => void>();
  const clock = createVirtualClock();
  const bridge = createAppBridge(shown, {
    clock,
    post(message) {
      posted.push(message);
      const { id, method } = message as { id?: number; method?: string };
      if (id !== undefined && method === undefined) waiting.get(id)?.(message);
    },
    context: () => ({
      theme: 'dark',
      displayMode: 'inline',
      styles: { variables: {} },
      locale: 'en',
    }),
    callTool: async (name, input) => {
      noted.push(['call', name, input]);
      return { content: [] };
    },
    tellModel: async (text) => noted.push(['tell', text]),
    propose: (text) => noted.push(['propose', text]),
    askToOpen: async (url) => {
      noted.push(['open', url]);
      return true;
    },
    resize: (height) => noted.push(['resize', height]),
    shrink: () => noted.push(['shrink']),
    close: () => noted.push(['close']),
    ...more,
  });
  let next = 0;
  const ask = (method: unknown, params?: unknown) =>
    new Promise<{ result?: unknown; error?: { code: number; message: string } }>((resolve) => {
      next += 1;
      waiting.set(next, resolve as never);
      bridge.hear({ jsonrpc: '2.0', id: next, method, ...(params !== undefined && { params }) });
    });
  const tell = (method: string, params: unknown = {}) =>
    bridge.hear({ jsonrpc: '2.0', method, params });
  return { bridge, posted, noted, ask, tell, clock };
}

describe('the bridge of an app', () => {
  it('gives the app its call once it says that it is there', async () => {
    const { ask, tell, posted } = open();
    expect((await ask('ui/initialize', {})).result).toMatchObject({
      protocolVersion: '2026-01-26',
      hostContext: { theme: 'dark', displayMode: 'inline' },
    });
    posted.length = 0;
    tell('ui/notifications/initialized');
    tell('ui/notifications/initialized');
    expect(posted).toEqual([
      { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: call.input } },
      { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: output },
    ]);
  });

  it('gives the text of a call that has failed', () => {
    const { tell, posted } = open({}, { ...call, state: 'output-error', output: undefined });
    tell('ui/notifications/initialized');
    expect(posted.at(-1)).toMatchObject({
      params: { content: [{ type: 'text', text: 'Sun.' }], isError: true },
    });
  });

  it('carries out what an app may want', async () => {
    const { ask, tell, noted } = open();
    const text = (words: string) => ({ type: 'text', text: words });
    await ask('tools/call', { name: 'refresh', arguments: { city: 'Oslo' } });
    await ask('ui/message', { role: 'user', content: [text('Warm?')] });
    await ask('ui/update-model-context', {
      content: [text('One.')],
      structuredContent: { two: 2 },
    });
    await ask('ui/open-link', { url: 'https://example.com/' });
    await ask('ui/request-display-mode', { mode: 'inline' });
    tell('ui/notifications/size-changed', { height: 300 });
    tell('ui/notifications/request-teardown');
    expect(noted).toEqual([
      ['call', 'refresh', { city: 'Oslo' }],
      ['propose', 'Warm?'],
      ['tell', 'One.\n{"two":2}'],
      ['open', 'https://example.com/'],
      ['shrink'],
      ['resize', 300],
      ['close'],
    ]);
  });

  it.each([
    ['ui/open-link', { url: 'javascript:alert(1)' }],
    ['ui/open-link', { url: 'http://example.com' }],
    ['ui/open-link', { url: 'file:///etc/passwd' }],
    ['ui/open-link', { url: `https://example.com/${'a'.repeat(2_000)}` }],
    ['ui/open-link', {}],
    ['ui/message', { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] }],
    ['ui/message', { role: 'user', content: [{ type: 'image', data: '' }] }],
    ['ui/message', { role: 'user', content: [] }],
    ['ui/message', { role: 'user', content: [{ type: 'text', text: 'a'.repeat(10_001) }] }],
  ])('does not do %s with %j', async (method, params) => {
    const { ask, noted } = open();
    expect((await ask(method, params)).result).toEqual({ isError: true });
    expect(noted).toEqual([]);
  });

  it.each([
    ['tools/call', { name: 1 }, -32602],
    ['tools/call', { name: 'refresh', arguments: 'all' }, -32602],
    ['ui/update-model-context', { content: [{ type: 'audio' }] }, -32602],
    ['ui/update-model-context', { structuredContent: 'x' }, -32602],
    ['resources/read', { uri: 'file:///' }, -32601],
    ['sampling/createMessage', {}, -32601],
    ['ui/download-file', {}, -32601],
    ['toString', {}, -32601],
    ['__proto__', {}, -32601],
  ])('refuses %s with %j', async (method, params, code) => {
    const { ask, noted } = open();
    expect((await ask(method, params)).error?.code).toBe(code);
    expect(noted).toEqual([]);
  });

  it.each([
    null,
    'text',
    { method: 'ping', id: 1 },
    { jsonrpc: '2.0', method: 5, id: 1 },
    { jsonrpc: '2.0', method: 'ping', id: {}, params: {} },
    { jsonrpc: '2.0', method: 'ping', id: 1, params: 'all' },
    { jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: Infinity } },
    { jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: '9' } },
    { jsonrpc: '2.0', method: 'notifications/unknown' },
  ])('hears nothing in %j', (message) => {
    const { bridge, posted, noted } = open();
    bridge.hear(message);
    expect([posted, noted]).toEqual([[], []]);
  });

  it('makes no app wide by itself', async () => {
    const { ask, noted } = open();
    const { result } = await ask('ui/request-display-mode', { mode: 'fullscreen' });
    expect([result, noted]).toEqual([{ mode: 'inline' }, []]);
  });

  it('tells the server neither why it was refused nor what has broken', async () => {
    const errors = [
      new SdkError('permission-denied', 'The rule deny(mcp__weather) says no.'),
      new TypeError('host.secret is undefined'),
    ];
    const { ask } = open({ callTool: () => Promise.reject(errors.shift()) });
    expect((await ask('tools/call', { name: 'a' })).error?.message).toBe('It was refused.');
    expect((await ask('tools/call', { name: 'a' })).error?.message).toBe('It failed.');
  });

  it('answers 16 at once, and refuses what comes above', async () => {
    const { ask } = open({ callTool: () => new Promise(() => undefined) });
    for (let at = 0; at < 16; at += 1) void ask('tools/call', { name: 'a' });
    expect((await ask('tools/call', { name: 'a' })).error?.code).toBe(-32000);
  });

  it('takes ten new heights a second, and the last of those above it', async () => {
    const { tell, noted, clock } = open();
    for (let height = 1; height <= 30; height += 1)
      tell('ui/notifications/size-changed', { height });
    const first = Array.from({ length: 10 }, (_, at) => ['resize', at + 1]);
    expect(noted).toEqual(first);
    clock.advance(999);
    expect(noted).toEqual(first);
    clock.advance(1);
    await expect.poll(() => noted).toEqual([...first, ['resize', 30]]);
    expect(clock.pending()).toBe(0);
  });

  it('tells the model two states a second, and the last of those above it', async () => {
    const { ask, noted, clock } = open();
    const update = (text: string) =>
      ask('ui/update-model-context', { content: [{ type: 'text', text }] });
    const asked = ['1', '2', '3', '4', '5'].map(update);
    expect(noted).toEqual([
      ['tell', '1'],
      ['tell', '2'],
    ]);
    await Promise.all(asked.slice(0, 4));
    clock.advance(1_000);
    expect((await asked[4])?.result).toEqual({});
    expect(noted).toEqual([
      ['tell', '1'],
      ['tell', '2'],
      ['tell', '5'],
    ]);
  });

  it('hears a hundred messages a second, of whatever kind', async () => {
    const { ask, tell, noted, clock } = open();
    for (let at = 0; at < 99; at += 1) tell('notifications/unknown');
    expect((await ask('ping')).result).toEqual({});
    expect((await ask('tools/call', { name: 'a' })).error?.code).toBe(-32000);
    tell('ui/notifications/request-teardown');
    expect(noted).toEqual([]);
    clock.advance(1_000);
    expect((await ask('tools/call', { name: 'a' })).result).toEqual({ content: [] });
  });

  it('waits for an app that puts something away', async () => {
    const { bridge, tell, posted } = open();
    tell('ui/notifications/initialized');
    const end = bridge.tellEnd();
    const { id, method } = posted.at(-1) as { id: string; method: string };
    expect(method).toBe('ui/resource-teardown');
    bridge.hear({ jsonrpc: '2.0', id, result: {} });
    await end;
  });
});
