// Writes a session's trace as OpenTelemetry spans, by the semantic conventions for generative AI. A
// turn is `invoke_agent`, a request `chat`, and a call `execute_tool` with a span for each stage.
// The conventions' status is Development: when their names change, these do.
// https://github.com/open-telemetry/semantic-conventions-genai
import type { Usage } from '../core/messages/messages.ts';
import type { CallEndState, CallPhase, Trace, TraceEvent } from './trace.ts';

type Attributes = Record<string, string | number | string[]>;

/** The part of `@opentelemetry/api`'s `Span` that is used. */
export interface SpanLike {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(endTime?: number): void;
}

/**
 * The part of `@opentelemetry/api`'s `Tracer` that is used. `Context` is that package's type, which
 * isn't imported here.
 */
export interface TracerLike<Context> {
  startSpan(
    name: string,
    options: { kind: number; startTime: number; attributes: Attributes },
    context: Context,
  ): SpanLike;
}

/** The context that links the spans to each other and to the caller's span. */
export interface SpanOptions<Context> {
  readonly tracer: TracerLike<Context>;
  /** `context.active()`: the parent of the turns' spans. */
  readonly context: Context;
  /** `trace.setSpan`. */
  setSpan(context: Context, span: SpanLike): Context;
  /** The provider of the models, as the conventions name it. @defaultValue 'anthropic' */
  readonly provider?: string;
  /** The session's id. */
  readonly conversationId: string;
}

// SpanKind and SpanStatusCode of `@opentelemetry/api`, whose numbers never change.
const internal = 0;
const client = 2;
const error = 2;

interface OpenSpan<Context> {
  readonly span: SpanLike;
  readonly context: Context;
}

interface OpenCall<Context> extends OpenSpan<Context> {
  station: SpanLike | undefined;
  phase: CallPhase;
  isAsked: boolean;
}

/**
 * Records spans of the kept and all later events, until the returned function is called. Spans
 * contain no prompt, input or output. A tracer's error fails no turn: it is reported as an uncaught
 * error.
 */
export function recordSpans<Context>(trace: Trace, options: SpanOptions<Context>): () => void {
  const { tracer, provider = 'anthropic' } = options;
  let turn: OpenSpan<Context> | undefined;
  /** The request spans by the id of the sub-agent's call; null: the main agent. */
  const requests = new Map<string | null, SpanLike>();
  const calls = new Map<string, OpenCall<Context>>();

  function start(
    name: string,
    startTime: number,
    attributes: Attributes,
    parent: Context,
    kind = internal,
  ): OpenSpan<Context> {
    const span = tracer.startSpan(name, { kind, startTime, attributes }, parent);
    return { span, context: options.setSpan(parent, span) };
  }
  const here = () => turn?.context ?? options.context;

  function enter(call: OpenCall<Context>, at: number): void {
    call.station?.end(at);
    const name = call.isAsked ? 'ask' : call.phase;
    call.station = start(`rockpool.${name}`, at, {}, call.context).span;
  }

  const handle = (event: TraceEvent): void => {
    const { at } = event;
    switch (event.type) {
      case 'turn-start':
        turn = start(
          'invoke_agent rockpool',
          at,
          {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.agent.name': 'rockpool',
            'gen_ai.conversation.id': options.conversationId,
          },
          options.context,
        );
        return;
      case 'turn-end':
        if (event.reason === 'failed') fail(turn?.span, 'turn_failed');
        turn?.span.end(at);
        turn = undefined;
        return;
      case 'request-start': {
        const outer = event.parentId === undefined ? undefined : calls.get(event.parentId);
        const { span } = start(
          `chat ${event.model}`,
          at,
          {
            'gen_ai.operation.name': 'chat',
            'gen_ai.request.model': event.model,
            'gen_ai.conversation.id': options.conversationId,
            'gen_ai.provider.name': provider,
          },
          outer?.context ?? here(),
          client,
        );
        requests.set(event.parentId ?? null, span);
        return;
      }
      case 'request-end': {
        const { id, model, stop_reason: reason, usage } = event.reply;
        const request = requests.get(event.parentId ?? null);
        request?.setAttributes({
          ...(id !== undefined && { 'gen_ai.response.id': id }),
          ...(model !== undefined && { 'gen_ai.response.model': model }),
          ...(reason && { 'gen_ai.response.finish_reasons': [reason] }),
          ...(usage && toUsage(usage)),
        });
        if (event.error !== undefined) fail(request, event.error);
        request?.end(at);
        requests.delete(event.parentId ?? null);
        return;
      }
      case 'call-start': {
        const parent = event.parentId === undefined ? undefined : calls.get(event.parentId);
        const opened = start(
          `execute_tool ${event.toolName}`,
          at,
          {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': event.toolName,
            'gen_ai.tool.call.id': event.callId,
            'gen_ai.tool.type': 'function',
          },
          parent?.context ?? here(),
        );
        const call: OpenCall<Context> = {
          ...opened,
          station: undefined,
          phase: 'checking',
          isAsked: false,
        };
        enter(call, at);
        calls.set(event.callId, call);
        return;
      }
      case 'call-delta': {
        const call = calls.get(event.callId);
        if (!call) return;
        if (event.worker !== undefined)
          call.span.setAttributes({ 'rockpool.worker': event.worker });
        const { phase = call.phase, isAsked = call.isAsked } = event;
        if (phase === call.phase && isAsked === call.isAsked) return;
        Object.assign(call, { phase, isAsked });
        enter(call, at);
        return;
      }
      case 'call-end': {
        const call = calls.get(event.callId);
        if (!call) return;
        calls.delete(event.callId);
        call.station?.end(at);
        const type = errorTypes[event.state];
        if (type !== undefined) fail(call.span, type);
        call.span.end(at);
      }
    }
  };
  return trace.follow(handle);
}

const errorTypes: Readonly<Record<CallEndState, string | undefined>> = {
  'output-available': undefined,
  'output-error': 'tool_error',
  'output-denied': 'permission_denied',
  stopped: 'aborted',
};

function fail(span: SpanLike | undefined, type: string): void {
  span?.setAttributes({ 'error.type': type });
  span?.setStatus({ code: error });
}

/** The conventions count tokens that were read from or written to a cache as input too. */
function toUsage(usage: Usage): Attributes {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return {
    'gen_ai.usage.input_tokens': usage.input_tokens + read + written,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': read,
    'gen_ai.usage.cache_creation.input_tokens': written,
  };
}
