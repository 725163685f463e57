import { expect, it } from 'vitest';
import { recordSpans } from '../../../src/trace/record-spans.ts';
import type { SpanLike } from '../../../src/trace/record-spans.ts';
import type { TraceEvent, TraceInput } from '../../../src/trace/trace.ts';

interface RecordedSpan extends SpanLike {
  readonly name: string;
  readonly parent: string | undefined;
  readonly kind: number;
  readonly attributes: Record<string, unknown>;
  readonly times: number[];
  status?: number;
}

type Context = { readonly span?: RecordedSpan };

/** Spans of events that come a millisecond apart, in the order of their start. */
function record(events: readonly TraceInput[]): RecordedSpan[] {
  const spans: RecordedSpan[] = [];
  const callOff = recordSpans<Context>(
    {
      follow(listener) {
        for (const [at, event] of events.entries()) listener({ ...event, at } as TraceEvent);
        return () => {};
      },
    },
    {
      context: {},
      conversationId: 's1',
      setSpan: (_context, span) => ({ span: span as RecordedSpan }),
      tracer: {
        startSpan(name, { kind, startTime, attributes }, { span: parent }) {
          const span: RecordedSpan = {
            name,
            kind,
            parent: parent?.name,
            attributes: { ...attributes },
            times: [startTime],
            setAttributes: (more) => Object.assign(span.attributes, more),
            setStatus: ({ code }) => (span.status = code),
            end: (time) => void span.times.push(time ?? Number.NaN),
          };
          spans.push(span);
          return span;
        },
      },
    },
  );
  callOff();
  return spans;
}

const lines = (spans: readonly RecordedSpan[]) =>
  spans.map(({ name, parent, times }) => `${parent ?? '-'} > ${name} ${times.join('-')}`);

const events: readonly TraceInput[] = [
  { type: 'turn-start' },
  { type: 'request-start', model: 'claude' },
  { type: 'call-start', callId: 'a', toolName: 'Repl' },
  {
    type: 'request-end',
    reply: {
      id: 'msg_1',
      model: 'claude-1',
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 5,
        output_tokens: 7,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 20,
      },
    },
  },
  { type: 'call-delta', callId: 'a', isAsked: true },
  { type: 'call-delta', callId: 'a', isAsked: false },
  { type: 'call-delta', callId: 'a', phase: 'queued' },
  { type: 'call-delta', callId: 'a', phase: 'running' },
  { type: 'call-delta', callId: 'a', worker: '2' },
  { type: 'call-start', callId: 'n', toolName: 'Read', parentId: 'a' },
  { type: 'call-end', callId: 'n', state: 'output-denied' },
  { type: 'call-delta', callId: 'a', phase: 'settling' },
  { type: 'call-end', callId: 'a', state: 'output-available' },
  { type: 'turn-end', reason: 'completed' },
];

it('makes a span of each turn, request, call and stage, inside each other', () => {
  expect(lines(record(events))).toEqual([
    '- > invoke_agent rockpool 0-13',
    'invoke_agent rockpool > chat claude 1-3',
    'invoke_agent rockpool > execute_tool Repl 2-12',
    'execute_tool Repl > rockpool.checking 2-4',
    'execute_tool Repl > rockpool.ask 4-5',
    'execute_tool Repl > rockpool.checking 5-6',
    'execute_tool Repl > rockpool.queued 6-7',
    'execute_tool Repl > rockpool.running 7-11',
    'execute_tool Repl > execute_tool Read 9-10',
    'execute_tool Read > rockpool.checking 9-10',
    'execute_tool Repl > rockpool.settling 11-12',
  ]);
});

it('names what they are about as the semantic conventions do, and holds nothing that was said', () => {
  const [turn, request, call] = record(events);
  expect(turn?.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'rockpool',
    'gen_ai.conversation.id': 's1',
  });
  expect([request?.kind, request?.attributes]).toEqual([
    2,
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude',
      'gen_ai.conversation.id': 's1',
      'gen_ai.response.id': 'msg_1',
      'gen_ai.response.model': 'claude-1',
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.usage.input_tokens': 125,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.cache_read.input_tokens': 100,
      'gen_ai.usage.cache_creation.input_tokens': 20,
    },
  ]);
  expect(call?.attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'Repl',
    'gen_ai.tool.call.id': 'a',
    'gen_ai.tool.type': 'function',
    'rockpool.worker': '2',
  });
});

it('has what a sub-agent does below the call that has begun it', () => {
  const spans = record([
    { type: 'turn-start' },
    { type: 'call-start', callId: 'a', toolName: 'Agent' },
    { type: 'request-start', model: 'small', parentId: 'a' },
    { type: 'request-start', model: 'large' },
    { type: 'request-end', reply: {}, parentId: 'a' },
    { type: 'request-end', reply: {} },
    { type: 'call-start', callId: 'b', toolName: 'Read', parentId: 'a' },
    { type: 'call-end', callId: 'b', state: 'output-available' },
    { type: 'call-end', callId: 'a', state: 'output-available' },
    { type: 'turn-end', reason: 'completed' },
  ]);
  expect(lines(spans).filter((line) => !line.includes('rockpool.'))).toEqual([
    '- > invoke_agent rockpool 0-9',
    'invoke_agent rockpool > execute_tool Agent 1-8',
    'execute_tool Agent > chat small 2-4',
    'invoke_agent rockpool > chat large 3-5',
    'execute_tool Agent > execute_tool Read 6-7',
  ]);
});

it('marks what failed, was refused or stopped, with its kind', () => {
  const spans = record([
    { type: 'turn-start' },
    { type: 'request-start', model: 'm' },
    { type: 'request-end', reply: {}, error: 'model-server' },
    { type: 'call-start', callId: 'a', toolName: 'Read' },
    { type: 'call-end', callId: 'a', state: 'stopped' },
    { type: 'turn-end', reason: 'failed' },
  ]);
  const marked = spans.flatMap(({ name, status, attributes }) =>
    status === undefined ? [] : [[name, status, attributes['error.type']]],
  );
  expect(marked).toEqual([
    ['invoke_agent rockpool', 2, 'turn_failed'],
    ['chat m', 2, 'model-server'],
    ['execute_tool Read', 2, 'aborted'],
  ]);
});
