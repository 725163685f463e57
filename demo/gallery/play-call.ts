// Plays one call through the real fold of the transcript. It makes the messages of a session up to the state to show.
// The result's text is the tool's mapping of the example's output.
import type { CallState } from '../../src/core/tool/call-state.ts';
import type { CallDecision, DecisionReason } from '../../src/core/permissions/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../src/core/messages/sdk-message.ts';
import { readSummary } from '../../src/trace/call-display.ts';
import type { Tool } from 'rockpool/browser';
import { createPermissionQueue, createTranscriptStore } from 'rockpool/react';
import type { CallEntry, PermissionQueue } from 'rockpool/react';
import type { ToolExample, Variant } from './tool-example.ts';

/** Every state of a call in order, and its state in the transcript. */
export const galleryStates = {
  streaming: 'input-streaming',
  queued: 'input-queued',
  waiting: 'approval-requested',
  running: 'input-available',
  done: 'output-available',
  refused: 'output-denied',
  failed: 'output-error',
  stopped: 'output-stopped',
} as const satisfies Readonly<Record<string, CallState>>;

export type GalleryState = keyof typeof galleryStates;

/** A call, and the question about it if one is open. */
export interface PlayedCall {
  readonly entry: CallEntry;
  readonly permissions: PermissionQueue;
}

/** `variant`: the variant of a finished call. */
export function playCall(
  tool: Tool,
  example: ToolExample,
  state: GalleryState,
  variant: Variant<unknown, unknown> = {},
): PlayedCall {
  const id = `${tool.name}-${state}`;
  const permissions = createPermissionQueue();
  const store = createTranscriptStore({ permissions });
  const input = (variant.input ?? example.input) as Record<string, unknown>;
  const output = variant.output ?? example.output;
  for (const message of toBeginning(tool, id, input, state)) store.apply(message);
  if (state === 'waiting' || state === 'refused') {
    const { name } = tool;
    const summary = readSummary(tool, input);
    const said = tool.userFacingName(input);
    const plain = summary === null ? said : `${said}: ${summary}`;
    const title = tool.genToolPermission?.(input).title ?? plain;
    const { signal } = new AbortController();
    const asked = { signal, toolUseID: id, requestId: `${id}-question`, title };
    void permissions.canUseTool(name, input, asked);
  }
  if (state === 'refused') {
    const [question] = permissions.getSnapshot();
    const message = 'Ask me before you do that.';
    if (question) permissions.answer(question.id, { type: 'deny', message });
  }
  const changed: DecisionReason = { type: 'user', changedInput: true };
  const reason = variant.isChanged ? changed : undefined;
  for (const message of toEnd(tool, id, { ...example, output }, state, reason)) {
    store.apply(message);
  }
  if (variant.isTask) store.apply(toTaskStarted(id));
  const entry = store.getSnapshot().turns[0]?.entries.find((one) => one.id === id);
  if (entry?.kind !== 'call') throw new Error(`${id} isn't in its transcript.`);
  return { entry, permissions };
}

const common = { uuid: 'gallery', session_id: 'gallery' };

function toBeginning(
  { name }: Tool,
  id: string,
  input: Record<string, unknown>,
  state: GalleryState,
): readonly SDKMessage[] {
  const json = JSON.stringify(input);
  const block = { type: 'tool_use', id, name, input: {} };
  const start = toEvent({ type: 'content_block_start', index: 0, content_block: block });
  const delta = (text: string) =>
    toEvent({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: text },
    });
  const opened = [toPrompt('Show it.'), toEvent(messageStart), start];
  // Two thirds: a text is then cut in its middle.
  if (state === 'streaming') return [...opened, delta(json.slice(0, (json.length * 2) / 3))];
  const complete = [...opened, delta(json), toEvent({ type: 'content_block_stop', index: 0 })];
  if (state !== 'queued') return complete;
  return [...complete, { ...toProgress(name, id, undefined, 0), phase: 'queued' }];
}

function toEnd(
  tool: Tool,
  id: string,
  { output, progress = [], failure, failed }: ToolExample,
  state: GalleryState,
  reason: DecisionReason | undefined,
): readonly SDKMessage[] {
  const { name } = tool;
  const told = progress.map((payload) => toProgress(name, id, payload, 4));
  switch (state) {
    case 'streaming':
    case 'queued':
    case 'waiting':
      return [];
    case 'running':
      return told.length > 0 ? told : [toProgress(name, id, undefined, 4)];
    case 'done': {
      const block = tool.mapToolResultToToolResultBlockParam(output, id);
      const decision = reason && toDecision(name, 'allow', reason);
      return [
        ...told,
        { ...toResult(block), tool_use_result: output, ...(decision && { decision }) },
      ];
    }
    case 'refused': {
      const message = 'The user said no: Ask me before you do that.';
      const decision = toDecision(name, 'deny', { type: 'user' });
      return [
        {
          type: 'system',
          subtype: 'permission_denied',
          tool_name: name,
          tool_use_id: id,
          message,
          ...common,
        },
        { ...toResult(toErrorBlock(id, message)), decision },
      ];
    }
    case 'failed': {
      const data = failed !== undefined && { tool_use_result: failed };
      return [...told, { ...toResult(toErrorBlock(id, failure)), ...data }];
    }
    case 'stopped': {
      const text = `${name} was stopped before it was finished. Nothing that it did was kept.`;
      return [...told, { ...toResult(toErrorBlock(id, text)), is_stopped: true }];
    }
  }
}

const messageStart = {
  type: 'message_start',
  message: {
    id: 'msg_gallery',
    type: 'message',
    role: 'assistant',
    model: 'gallery',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0 },
  },
} as const;

type StreamEvent = Extract<SDKMessage, { type: 'stream_event' }>;

function toEvent(event: StreamEvent['event']): StreamEvent {
  return { type: 'stream_event', event, parent_tool_use_id: null, ...common };
}

export function toPrompt(text: string): SDKUserMessage {
  return {
    type: 'user',
    message: { role: 'user', content: text },
    parent_tool_use_id: null,
    ...common,
  };
}

function toProgress(
  name: string,
  id: string,
  progress: unknown,
  seconds: number,
): Extract<SDKMessage, { type: 'tool_progress' }> {
  return {
    type: 'tool_progress',
    tool_use_id: id,
    tool_name: name,
    parent_tool_use_id: null,
    elapsed_time_seconds: seconds,
    ...(progress !== undefined && { progress }),
    ...common,
  };
}

type ResultBlock = ReturnType<Tool['mapToolResultToToolResultBlockParam']>;

export function toResult(block: ResultBlock, parent: string | null = null): SDKUserMessage {
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    parent_tool_use_id: parent,
    ...common,
  };
}

function toTaskStarted(id: string): SDKMessage {
  return {
    type: 'system',
    subtype: 'task_started',
    task_id: 'b1',
    tool_use_id: id,
    description: 'Watch the tests',
    task_type: 'repl',
    ...common,
  };
}

function toErrorBlock(id: string, content: string): ResultBlock {
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}

function toDecision(
  toolName: string,
  behavior: 'allow' | 'deny',
  reason: DecisionReason,
): CallDecision {
  return { toolName, behavior, reason, principal: { kind: 'agent' } };
}
