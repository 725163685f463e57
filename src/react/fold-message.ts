// Folds one SDKMessage into the transcript. Only this file and fold-task.ts know what each type means
// to a person. Messages of types that this version doesn't know change nothing.
import {
  isImageBlock,
  isTextBlock,
  isThinkingBlock,
  isToolResultBlock,
  isToolUseBlock,
  textOf,
  toResultText,
} from '../core/messages/blocks.ts';
import type { ContentBlock, ToolResultBlock } from '../core/messages/blocks.ts';
import type { CallState } from '../core/tool/call-state.ts';
import type { ModelEvent } from '../core/messages/messages.ts';
import { parseJson } from '../core/text/parse-json.ts';
import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKCompactBoundaryMessage,
  SDKMessage,
  SDKResultMessage,
  SDKStatusMessage,
  SDKToolProgressMessage,
  SDKUserMessage,
} from '../core/messages/sdk-message.ts';
import { addNotice, closeCall, endStreams, settleCall } from './fold-state.ts';
import type { FoldState, OpenMessage } from './fold-state.ts';
import { countReply, foldTask, isInTask, setTasksOf } from './fold-task.ts';
import { addProgress, createCallDraft } from './transcript-draft.ts';
import type { CallDraft, EntryDraft, TextDraft } from './transcript-draft.ts';

const takenOver = 'The tab that ran this has let it go. It goes on in this one.';

/**
 * Applies one message. Messages must come in the session's order. A message about a call that isn't in the transcript
 * changes nothing. Never throws, whatever a message holds.
 */
export function foldMessage(state: FoldState, message: SDKMessage): void {
  const { retry } = state;
  if (message.type !== 'system') state.retry = null;
  switch (message.type) {
    case 'stream_event':
      return foldEvent(state, message.event, message.parent_tool_use_id);
    case 'assistant':
      retract(state, message.supersedes ?? []);
      return foldAssistant(state, message);
    case 'user':
      return foldUser(state, message);
    case 'tool_progress':
      return foldProgress(state, message);
    case 'system':
      return foldSystem(state, message);
    case 'result':
      // The error tells the result of the last try, so the retry's notice would repeat it.
      if (retry && message.subtype !== 'success') state.draft.remove(retry);
      return foldResult(state, message);
  }
}

function foldProgress(state: FoldState, message: SDKToolProgressMessage): void {
  if (message.phase !== undefined) foldPhase(state, message.tool_use_id, message.phase);
  const call = state.draft.call(message.tool_use_id);
  if (!call) return;
  call.elapsedSeconds = message.elapsed_time_seconds;
  if (message.progress !== undefined) addProgress(call, message.progress);
  state.draft.touch(call);
}

function foldSystem(
  state: FoldState,
  message: Extract<SDKMessage, { readonly type: 'system' }>,
): void {
  switch (message.subtype) {
    case 'permission_denied':
      return settleCall(state, message.tool_use_id, 'output-denied', message.message);
    case 'api_retry':
      return foldRetry(state, describeRetry(message));
    case 'informational': {
      const level = message.level === 'warning' ? 'warning' : 'information';
      addNotice(state, level, message.content);
      return;
    }
    case 'local_command_output':
      addNotice(state, 'information', message.content);
      return;
    case 'compact_boundary':
      addNotice(state, 'information', describeCompaction(message));
      return;
    case 'session_role_changed':
      if (message.role === 'runner') addNotice(state, 'information', takenOver);
      return;
    case 'conversation_rewound':
      if (message.n !== undefined) state.draft.rewind(message.n, message.to);
      return;
    case 'session_moved':
      addNotice(state, message.is_unsure ? 'warning' : 'information', message.content);
      return;
    case 'status':
      return foldStatus(state, message);
    case 'model_refusal_fallback':
      retract(state, message.retracted_message_uuids);
      addNotice(state, 'warning', message.content);
      return;
    case 'task_started':
    case 'task_progress':
    case 'task_updated':
    case 'task_notification':
      return foldTask(state, message);
  }
}

function foldResult(state: FoldState, message: SDKResultMessage): void {
  if (message.subtype !== 'success') {
    // A person who stopped the turn knows that, so it is no failure.
    const level = message.terminal_reason?.startsWith('aborted') ? 'information' : 'error';
    for (const error of message.errors) addNotice(state, level, error);
  } else if (message.is_error && message.local_command === undefined) {
    // The model may have refused, for one. A command's failure was told as its output.
    addNotice(state, 'error', message.result);
  }
  closeOpenCalls(state);
  // A status whose end was never told was that of another tab, which is gone.
  if (state.status) state.draft.remove(state.status);
  state.status = null;
  state.draft.endTurn(state.now(), message);
}

/** Removes a refused reply, which has left the conversation. */
function retract(state: FoldState, uuids: readonly string[]): void {
  for (const entry of uuids.flatMap((uuid) => state.said.get(uuid) ?? [])) {
    state.draft.remove(entry);
  }
  for (const uuid of uuids) state.said.delete(uuid);
}

/** Marks a call as waiting, or gives it its former state back. */
function foldPhase(state: FoldState, id: string, phase: 'queued' | 'running'): void {
  const call = state.draft.call(id);
  const isAnswered = call?.state === 'approval-responded';
  const before = state.queued.get(id) ?? (isAnswered ? call.state : 'input-available');
  if (phase === 'queued') state.queued.set(id, before);
  else state.queued.delete(id);
  // For a call whose input still streams, the end of its block sets the state.
  if (!call || call.state === 'input-streaming' || call.state.startsWith('output-')) return;
  call.state = phase === 'queued' ? 'input-queued' : before;
}

/** Shows one line that counts the retries, because a line for each would fill the transcript. */
function foldRetry(state: FoldState, text: string): void {
  if (state.retry) {
    state.retry.text = text;
    state.draft.touch(state.retry);
  } else {
    state.retry = addNotice(state, 'warning', text);
  }
}

/** Shows a status while it lasts. */
function foldStatus(state: FoldState, message: SDKStatusMessage): void {
  const { status, compact_error: error } = message;
  // The store handles the permission mode.
  if (message.permissionMode !== undefined) return;
  if (state.status) state.draft.remove(state.status);
  state.status =
    status === 'compacting'
      ? addNotice(state, 'information', 'Summing up the conversation …')
      : null;
  if (error !== undefined) addNotice(state, 'warning', error);
}

function describeCompaction({ compact_metadata: counted }: SDKCompactBoundaryMessage): string {
  const { pre_tokens: before, post_tokens: after } = counted;
  const share = after === undefined ? '' : `: some ${after} tokens in the place of ${before}`;
  return `The conversation before this was summed up${share}.`;
}

/** Ends entries for which no further message will come, so that no row shows work for ever. Running tasks continue. */
export function closeOpenCalls(state: FoldState): void {
  for (const [parent, message] of state.open) {
    if (isInTask(state, parent)) continue;
    endStreams(state, message);
    state.open.delete(parent);
  }
  for (const call of state.draft.calls()) {
    if (!isInTask(state, call.parentToolUseId)) closeCall(state, call);
  }
}

function foldEvent(state: FoldState, event: ModelEvent, parent: string | null): void {
  if (event.type === 'message_start') {
    // A second start begins the message again, so what the first one streamed is dropped.
    const cut = state.open.get(parent);
    for (const entry of cut?.unclaimed ?? []) state.draft.remove(entry);
    state.open.set(parent, { blocks: new Map(), unclaimed: [] });
    return;
  }
  const message = state.open.get(parent);
  if (!message) return;
  if (event.type === 'content_block_start') {
    const entry = startEntry(state, event.content_block, parent);
    if (!entry) return;
    message.blocks.set(event.index, entry);
    message.unclaimed.push(entry);
    state.draft.add(entry, state.now());
  } else if (event.type === 'content_block_delta') {
    const entry = message.blocks.get(event.index);
    if (entry && applyDelta(entry, event.delta)) state.draft.touch(entry);
  } else if (event.type === 'content_block_stop') {
    const entry = message.blocks.get(event.index);
    if (entry) endEntry(state, entry);
  }
}

function startEntry(
  state: FoldState,
  block: ContentBlock,
  parent: string | null,
): EntryDraft | undefined {
  if (isToolUseBlock(block)) {
    const call = createCallDraft(block.id, block.name, parent);
    setTasksOf(state, call);
    return call;
  }
  if (isTextBlock(block)) return createText(state, 'text', block.text, parent);
  if (isThinkingBlock(block)) return createText(state, 'thinking', block.thinking, parent);
  return undefined;
}

function createText(
  state: FoldState,
  kind: TextDraft['kind'],
  text: string,
  parentToolUseId: string | null,
): TextDraft {
  return { kind, id: state.createId(), text, isStreaming: true, parentToolUseId };
}

/** True when the delta changed what a person sees. */
function applyDelta(entry: EntryDraft, delta: { readonly type: string }): boolean {
  const fields = delta as Readonly<Record<string, unknown>>;
  if (entry.kind === 'call') {
    if (delta.type !== 'input_json_delta') return false;
    entry.inputText += String(fields['partial_json'] ?? '');
    return true;
  }
  if (entry.kind === 'notice' || entry.kind === 'prompt') return false;
  const piece = delta.type === 'text_delta' ? fields['text'] : fields['thinking'];
  if (typeof piece !== 'string') return false;
  entry.text += piece;
  return true;
}

function endEntry(state: FoldState, entry: EntryDraft): void {
  if (entry.kind === 'call') {
    if (entry.state !== 'input-streaming') return;
    entry.input = parseInput(entry.inputText);
    entry.state = toComplete(state, entry.id);
  } else if ('isStreaming' in entry) {
    entry.isStreaming = false;
  }
  state.draft.touch(entry);
}

/**
 * The state of a call with complete input. The call may have been queued before its message came.
 */
function toComplete(state: FoldState, id: string): CallState {
  return state.queued.has(id) ? 'input-queued' : 'input-available';
}

/** Bad JSON is the model's error and comes back as the call's result. Here it just isn't shown. */
function parseInput(text: string): unknown {
  return text.trim() === '' ? {} : parseJson(text);
}

/** Folds a finished message. It replaces what streamed, and adds what didn't stream. */
function foldAssistant(state: FoldState, { message, ...rest }: SDKAssistantMessage): void {
  const parent = rest.parent_tool_use_id;
  const open = state.open.get(parent);
  const said: EntryDraft[] = [];
  for (const block of message.content) {
    const entry = claim(state, open, block) ?? addFinished(state, block, parent);
    if (!entry) continue;
    said.push(entry);
    if (entry.kind === 'call' && isToolUseBlock(block)) {
      entry.input = block.input;
      if (entry.state === 'input-streaming') entry.state = toComplete(state, entry.id);
    } else if (entry.kind === 'text' && isTextBlock(block)) {
      entry.text = block.text;
      entry.isStreaming = false;
    } else if (entry.kind === 'thinking' && isThinkingBlock(block)) {
      entry.text = block.thinking;
      entry.isStreaming = false;
    }
    state.draft.touch(entry);
  }
  state.said.set(rest.uuid, said);
  if (rest.agent_id !== undefined) countReply(state, rest, message);
  if (rest.aborted && open) endStreams(state, open);
}

/** Finds the streamed entry that a finished block completes. */
function claim(
  state: FoldState,
  open: OpenMessage | undefined,
  block: ContentBlock,
): EntryDraft | undefined {
  if (isToolUseBlock(block)) {
    const call = state.draft.call(block.id);
    if (call && open) release(open, call);
    return call;
  }
  const entry = open?.unclaimed.find((candidate) => candidate.kind === block.type);
  if (entry && open) release(open, entry);
  return entry;
}

function release(open: OpenMessage, entry: EntryDraft): void {
  const at = open.unclaimed.indexOf(entry);
  if (at >= 0) open.unclaimed.splice(at, 1);
}

function addFinished(
  state: FoldState,
  block: ContentBlock,
  parent: string | null,
): EntryDraft | undefined {
  const entry = startEntry(state, block, parent);
  if (entry) state.draft.add(entry, state.now());
  return entry;
}

function foldUser(state: FoldState, message: SDKUserMessage): void {
  const { content } = message.message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const results = blocks.filter(isToolResultBlock);
  for (const block of results) {
    const call = state.draft.call(block.tool_use_id);
    // One output belongs to one result. With several results nobody can tell whose it is.
    if (call && results.length === 1) {
      call.output = message.tool_use_result;
      if (message.decision) call.decision = message.decision;
      const { app } = message.mcp_meta ?? {};
      if (app) call.app = { ...app, toolUseId: block.tool_use_id };
    }
    const end = message.is_stopped ? 'output-stopped' : endState(call, block);
    settleCall(state, block.tool_use_id, end, toResultText(block));
  }
  const { kind } = message.origin ?? { kind: 'human' };
  if (message.parent_tool_use_id === null && kind !== 'agent' && kind !== 'human') {
    // The agent begins this turn by itself.
    const ownId = message.uuid ?? state.createId();
    state.draft.number(ownId, message.n);
    return state.draft.startOwnTurn(ownId, kind, state.now());
  }
  const isPrompt = results.length === 0 && !message.isSynthetic && !message.parent_tool_use_id;
  if (!isPrompt) return;
  if (message.uuid !== undefined && state.prompts.has(message.uuid)) {
    state.draft.number(message.uuid, message.n);
    // The prompt of another tab may have been first.
    return state.draft.takeUpTurn(message.uuid);
  }
  const id = message.uuid ?? state.createId();
  state.prompts.add(id);
  state.draft.number(id, message.n);
  const text = textOf(blocks, '\n');
  const images = blocks.filter(isImageBlock);
  if (message.joins_turn) {
    state.draft.add({ kind: 'prompt', id, parentToolUseId: null, text, images }, state.now());
  } else state.draft.startTurn(id, text, images, state.now());
}

function endState(call: CallDraft | undefined, block: ToolResultBlock): CallDraft['state'] {
  if (!block.is_error) return 'output-available';
  return call?.state === 'output-denied' ? 'output-denied' : 'output-error';
}

function describeRetry(retry: SDKAPIRetryMessage): string {
  const status = retry.error_status === null ? 'no answer' : `status ${retry.error_status}`;
  const seconds = Math.max(1, Math.round(retry.retry_delay_ms / 1000));
  return (
    `The model's server didn't answer as it should (${status}). ` +
    `Trying again in ${seconds} s (try ${retry.attempt} of ${retry.max_retries}).`
  );
}
