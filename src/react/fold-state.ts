// What folding remembers between messages, and what every part of it does to the transcript.
import type { CallState } from '../core/tool/call-state.ts';
import type { CallDraft, EntryDraft, NoticeDraft, TranscriptDraft } from './transcript-draft.ts';
import type { CallTask, RunningTask } from './transcript.ts';

/** A streamed message that its finished form hasn't replaced yet. */
export interface OpenMessage {
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

export function settleCall(
  state: FoldState,
  id: string,
  end: CallDraft['state'],
  text: string,
): void {
  state.queued.delete(id);
  const call = state.draft.call(id);
  if (!call) return;
  call.state = end;
  call.resultText = text;
  state.draft.touch(call);
}

export function closeCall(state: FoldState, call: CallDraft): void {
  if (call.state.startsWith('output-')) return;
  call.state = 'output-stopped';
  call.resultText = 'Stopped before it was finished.';
  state.draft.touch(call);
}

/**
 * Ends the streams of a message that was cut. Its text stays readable, but nothing may look as if
 * it still came.
 */
export function endStreams(state: FoldState, message: OpenMessage): void {
  for (const entry of message.unclaimed.splice(0)) {
    if (entry.kind === 'call')
      settleCall(state, entry.id, 'output-stopped', 'Stopped before it ran.');
    else if ('isStreaming' in entry) entry.isStreaming = false;
    state.draft.touch(entry);
  }
}
