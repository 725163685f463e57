// Folds one SDKMessage into the transcript. Only this file knows what each type means to a person.
// Messages of types that this version doesn't know change nothing.
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
import type { AssistantMessage, ModelEvent } from '../core/messages/messages.ts';
import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKCompactBoundaryMessage,
  SDKMessage,
  SDKStatusMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
  SDKUserMessage,
} from '../core/messages/sdk-message.ts';
import { addProgress, createCallDraft } from './transcript-draft.ts';
import type {
  CallDraft,
  EntryDraft,
  NoticeDraft,
  TextDraft,
  TranscriptDraft,
} from './transcript-draft.ts';
import type { CallTask, RunningTask, TaskAgent } from './transcript.ts';

/** A streamed message that its finished form hasn't replaced yet. */
interface OpenMessage {
  readonly blocks: Map<number, EntryDraft>;
  /** Streamed entries that the finished message hasn't claimed. */
  readonly unclaimed: EntryDraft[];
}

/** A background task, running or over. */
export interface TaskDraft extends CallTask, RunningTask {}

/** What folding remembers between messages. */
export interface FoldState {
  readonly draft: TranscriptDraft;
  /** The streaming messages by parent call: nested ones stream beside the main one. */
  readonly open: Map<string | null, OpenMessage>;
  /** Ids of prompts that are in the transcript: an echo of one isn't shown twice. */
  readonly prompts: Set<string>;
  /** Background tasks by their ids, oldest first. Their calls may not be in the transcript yet. */
  readonly tasks: Map<string, TaskDraft>;
  /**
   * Calls that wait for others, with their states once they start. Such a call may not be in the
   * transcript yet.
   */
  readonly queued: Map<string, CallState>;
  /** The entries of each message of the turn, by the message's uuid: it may be retracted. */
  readonly said: Map<string, readonly EntryDraft[]>;
  /** The retry that the session waits for. The next one replaces it. */
  retry: NoticeDraft | null;
  /** A notice of what the session is busy with beside a reply. */
  status: NoticeDraft | null;
  readonly now: () => number;
  readonly createId: () => string;
}

/**
 * Applies one message. Order matters, as in the session; a message about a call that isn't in the
 * transcript is left alone. Never throws for what a message holds.
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
    case 'tool_progress': {
      if (message.phase !== undefined) foldPhase(state, message.tool_use_id, message.phase);
      const call = state.draft.call(message.tool_use_id);
      if (!call) return;
      call.elapsedSeconds = message.elapsed_time_seconds;
      if (message.progress !== undefined) addProgress(call, message.progress);
      return state.draft.touch(call);
    }
    case 'system':
      if (message.subtype === 'permission_denied') {
        settle(state, message.tool_use_id, 'output-denied', message.message);
      } else if (message.subtype === 'api_retry') {
        foldRetry(state, describeRetry(message));
      } else if (message.subtype === 'informational') {
        const level = message.level === 'warning' ? 'warning' : 'information';
        addNotice(state, level, message.content);
      } else if (message.subtype === 'local_command_output') {
        addNotice(state, 'information', message.content);
      } else if (message.subtype === 'compact_boundary') {
        addNotice(state, 'information', describeCompaction(message));
      } else if (message.subtype === 'session_role_changed' && message.role === 'runner') {
        addNotice(
          state,
          'information',
          'The tab that ran this has let it go. It goes on in this one.',
        );
      } else if (message.subtype === 'conversation_rewound') {
        if (message.n !== undefined) state.draft.rewind(message.n, message.to);
      } else if (message.subtype === 'session_moved') {
        addNotice(state, message.is_unsure ? 'warning' : 'information', message.content);
      } else if (message.subtype === 'status') {
        foldStatus(state, message);
      } else if (message.subtype === 'model_refusal_fallback') {
        retract(state, message.retracted_message_uuids);
        addNotice(state, 'warning', message.content);
      } else if (message.subtype === 'task_started') {
        setTask(state, toTask(message));
      } else if (message.subtype === 'task_progress') {
        foldTaskProgress(state, message);
      } else if (message.subtype === 'task_updated') {
        foldTaskUpdate(state, message);
      } else if (message.subtype === 'task_notification') {
        foldTaskEnd(state, message);
      }
      return;
    case 'result':
      if (message.subtype !== 'success') {
        // The error tells the result of the last try, so the retry's notice would repeat it.
        if (retry) state.draft.remove(retry);
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
      return state.draft.endTurn(state.now(), message);
  }
}

/** Removes a refused reply, which has left the conversation. */
function retract(state: FoldState, uuids: readonly string[]): void {
  for (const entry of uuids.flatMap((uuid) => state.said.get(uuid) ?? [])) {
    state.draft.remove(entry);
  }
  for (const uuid of uuids) state.said.delete(uuid);
}

/** Adds a notice about the session to the current turn, or to a turn of its own. */
export function addNotice(
  state: FoldState,
  level: NoticeDraft['level'],
  text: string,
): NoticeDraft {
  const id = state.createId();
  const notice: NoticeDraft = { kind: 'notice', id, parentToolUseId: null, level, text };
  state.draft.add(notice, state.now());
  return notice;
}

/** Tells the end of a task where a person reads now, and at the call that started it. */
function foldTaskEnd(state: FoldState, message: SDKTaskNotificationMessage): void {
  const { task_id: taskId, tool_use_id: toolUseId, status, summary, decision } = message;
  const task = state.tasks.get(taskId);
  const verdict = decision && { decision };
  const agent = task?.agent && countUp(task.agent, message.usage);
  if (task) setTask(state, { ...task, status, summary, ...verdict, ...(agent && { agent }) });
  // The other agents of a workflow go on.
  if (findTaskOf(state, toolUseId)?.taskId === taskId) closeInside(state, toolUseId);
  // The call that waited for this agent has its report.
  if (agent?.isBackground === false) return;
  const text = agent && task ? describeAgentEnd(task.description, status) : summary;
  addNotice(state, status === 'failed' ? 'warning' : 'information', text);
}

function toTask(message: SDKTaskStartedMessage): TaskDraft {
  const {
    task_id: taskId,
    tool_use_id: toolUseId,
    description,
    subagent_type: type,
    is_backgrounded: isBackground = false,
    can_be_backgrounded: canBeBackgrounded = false,
    parent_task_id,
  } = message;
  return {
    taskId,
    toolUseId,
    description,
    status: 'running',
    summary: '',
    ...(type !== undefined && {
      agent: { type, isBackground, canBeBackgrounded, totalTokens: 0, toolUses: 0 },
    }),
    ...(parent_task_id !== undefined && { parentTaskId: parent_task_id }),
  };
}

function countUp(agent: TaskAgent, usage: SDKTaskNotificationMessage['usage']): TaskAgent {
  if (!usage) return agent;
  return { ...agent, totalTokens: usage.total_tokens, toolUses: usage.tool_uses };
}

function foldTaskProgress(state: FoldState, message: SDKTaskProgressMessage): void {
  const { task_id: taskId, usage } = message;
  const task = state.tasks.get(taskId);
  if (task?.agent) setTask(state, { ...task, agent: countUp(task.agent, usage) });
}

/** Notes that an agent at rest goes on. A notification tells how an agent ends. */
function foldTaskUpdate(state: FoldState, { task_id, patch }: SDKTaskUpdatedMessage): void {
  const task = state.tasks.get(task_id);
  if (!task || patch.status !== 'running') return;
  const left = { isBackground: true, canBeBackgrounded: false };
  const agent = task.agent && { agent: { ...task.agent, ...left } };
  setTask(state, { ...task, status: 'running', summary: '', ...agent });
}

function describeAgentEnd(
  description: string,
  status: SDKTaskNotificationMessage['status'],
): string {
  const end = { completed: 'has reported', failed: 'has failed', stopped: 'was stopped' }[status];
  return `The agent “${description}” ${end}.`;
}

/** Ends everything inside of a task that has ended. */
function closeInside(state: FoldState, toolUseId: string): void {
  const open = state.open.get(toolUseId);
  if (open) endStreams(state, open);
  state.open.delete(toolUseId);
  const call = state.draft.call(toolUseId);
  if (!call) return;
  for (const inner of state.draft.calls(call)) {
    if (inner.parentToolUseId === toolUseId) closeCall(state, inner);
  }
}

/** Ends the tasks that still run, of which no message will tell any more. */
export function closeTasks(state: FoldState): void {
  for (const task of state.tasks.values()) {
    if (task.status !== 'running') continue;
    setTask(state, { ...task, status: 'stopped' });
    closeInside(state, task.toolUseId);
  }
}

/** A call's own task is its first: a workflow's run comes before the agents that it starts. */
function findTaskOf({ tasks }: FoldState, toolUseId: string): TaskDraft | undefined {
  for (const task of tasks.values()) if (task.toolUseId === toolUseId) return task;
  return undefined;
}

function setTask(state: FoldState, task: TaskDraft): void {
  state.tasks.set(task.taskId, task);
  const call = state.draft.call(task.toolUseId);
  if (!call) return;
  setTasksOf(state, call);
  state.draft.touch(call);
}

function setTasksOf({ tasks }: FoldState, call: CallDraft): void {
  const [own, ...agents] = [...tasks.values()].filter(({ toolUseId }) => toolUseId === call.id);
  call.task = own ?? null;
  if (agents.length > 0) call.agentCount = agents.length;
}

/** Marks a call as waiting, or gives it its former state back. */
function foldPhase(state: FoldState, id: string, phase: 'queued' | 'running'): void {
  const call = state.draft.call(id);
  const isAnswered = call?.state === 'approval-responded';
  const before = state.queued.get(id) ?? (isAnswered ? call.state : 'input-available');
  if (phase === 'queued') state.queued.set(id, before);
  else state.queued.delete(id);
  // The end of its block tells the rest about a call whose input is still to come.
  if (!call || call.state === 'input-streaming' || call.state.startsWith('output-')) return;
  call.state = phase === 'queued' ? 'input-queued' : before;
}

/**
 * Shows one line that counts up: a server that is away for long must not push the transcript out.
 */
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
  // The store tells the permission mode.
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

/**
 * Ends entries that nothing will answer any more, so that no row spins for ever. Running tasks go
 * on.
 */
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

/** True if the call is a running task, or inside of one at any depth. */
function isInTask(state: FoldState, toolUseId: string | null): boolean {
  for (let id = toolUseId; id !== null;) {
    if (findTaskOf(state, id)?.status === 'running') return true;
    id = state.draft.call(id)?.parentToolUseId ?? null;
  }
  return false;
}

function closeCall(state: FoldState, call: CallDraft): void {
  if (call.state.startsWith('output-')) return;
  call.state = 'output-stopped';
  call.resultText = 'Stopped before it was finished.';
  state.draft.touch(call);
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
  if (entry.kind === 'notice') return false;
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
  } else if (entry.kind !== 'notice') {
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
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Folds a finished message, which is the truth: it completes what streamed, and adds what didn't.
 */
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

/**
 * Counts the replies of a sub-agent until a message tells the sum. Messages that are read again
 * have no progress.
 */
function countReply(
  state: FoldState,
  { agent_id: agentId = '', parent_tool_use_id: parent }: Omit<SDKAssistantMessage, 'message'>,
  { content, usage }: AssistantMessage,
): void {
  const task = state.tasks.get(agentId);
  // Another parent is a cell of the agent's, and that call was counted.
  if (!task?.agent || task.status !== 'running' || task.toolUseId !== parent) return;
  const { toolUses, totalTokens } = task.agent;
  const tokens =
    usage.input_tokens +
    usage.output_tokens +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0);
  const agent = {
    ...task.agent,
    toolUses: toolUses + content.filter(isToolUseBlock).length,
    totalTokens: totalTokens + tokens,
  };
  setTask(state, { ...task, agent });
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

/**
 * Ends the streams of a message that was cut. Its text stays readable, but nothing may look as if
 * it still came.
 */
function endStreams(state: FoldState, message: OpenMessage): void {
  for (const entry of message.unclaimed.splice(0)) {
    if (entry.kind === 'call') settle(state, entry.id, 'output-stopped', 'Stopped before it ran.');
    else if (entry.kind !== 'notice') entry.isStreaming = false;
    state.draft.touch(entry);
  }
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
    settle(state, block.tool_use_id, end, toResultText(block));
  }
  const { kind = 'agent' } = message.origin ?? {};
  if (message.parent_tool_use_id === null && kind !== 'agent') {
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
  const prompt = textOf(blocks, '\n');
  const images = blocks.filter(isImageBlock);
  state.draft.startTurn(id, prompt, images, state.now());
}

function endState(call: CallDraft | undefined, block: ToolResultBlock): CallDraft['state'] {
  if (!block.is_error) return 'output-available';
  return call?.state === 'output-denied' ? 'output-denied' : 'output-error';
}

function settle(state: FoldState, id: string, end: CallDraft['state'], text: string): void {
  state.queued.delete(id);
  const call = state.draft.call(id);
  if (!call) return;
  call.state = end;
  call.resultText = text;
  state.draft.touch(call);
}

function describeRetry(retry: SDKAPIRetryMessage): string {
  const status = retry.error_status === null ? 'no answer' : `status ${retry.error_status}`;
  const seconds = Math.max(1, Math.round(retry.retry_delay_ms / 1000));
  return (
    `The model's server didn't answer as it should (${status}). ` +
    `Trying again in ${seconds} s (try ${retry.attempt} of ${retry.max_retries}).`
  );
}
