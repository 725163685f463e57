// A session as a person sees it, without React: SDKMessages and permission questions go in, a
// transcript comes out. It serves sessions in this tab and remote ones alike.
import { createId } from '../core/ids.ts';
import { SdkError } from '../core/errors.ts';
import type { SDKMessage, SDKSystemMessage } from '../core/messages/sdk-message.ts';
import type { SlashCommand } from '../core/commands/slash-command.ts';
import { closeOpenCalls, foldMessage } from './fold-message.ts';
import { addNotice } from './fold-state.ts';
import type { FoldState } from './fold-state.ts';
import { closeTasks } from './fold-task.ts';
import type { PermissionEvent, PermissionQueue } from './permission-queue.ts';
import { createTranscriptDraft } from './transcript-draft.ts';
import type { SessionSnapshot } from './transcript.ts';

/** The options of a store. All of them may be left out. */
export interface TranscriptStoreOptions {
  /** Lets each call show whether its question is open, answered or refused. */
  readonly permissions?: PermissionQueue;
  /**
   * Calls listeners after a change. Left out: at once. A page passes `nextFrame`, so that a fast
   * stream renders once per frame. `getSnapshot` is always up to date.
   */
  readonly schedule?: (notify: () => void) => void;
  readonly now?: () => number;
}

/** One session's transcript as it grows, for `useSyncExternalStore` or any other subscriber. */
export interface TranscriptStore {
  /** The same object until something changes. */
  getSnapshot(): SessionSnapshot;
  subscribe(listener: () => void): () => void;
  /** Takes one message of the session, in the order in which they came. */
  apply(message: SDKMessage): void;
  /** Takes out a prompt that was applied, but couldn't be sent. */
  withdraw(promptId: string): void;
  /** Sets the commands that a prompt may begin with, for {@link SessionSnapshot.commands}. */
  setCommands(commands: readonly SlashCommand[]): void;
  /** Call this if the session failed, because its iterator threw. Shows the error and ends the turn. */
  fail(error: unknown): void;
  /** Call this when no more messages come. What still runs is shown as stopped. */
  end(): void;
}

/**
 * Creates a store for one session. It neither reads the session nor owns it: the code that reads the session's
 * messages calls {@link TranscriptStore.apply} for each.
 *
 * Every call in the transcript ends. At the turn's `result`, or when the session fails, an open call is shown as
 * stopped.
 *
 * @example
 * ```ts
 * for await (const message of query({ prompt, options })) store.apply(message);
 * ```
 */
export function createTranscriptStore(options: TranscriptStoreOptions = {}): TranscriptStore {
  const now = options.now ?? Date.now;
  const schedule = options.schedule ?? ((notify) => notify());
  const draft = createTranscriptDraft();
  const fold: FoldState = {
    draft,
    open: new Map(),
    prompts: new Set(),
    said: new Map(),
    tasks: new Map(),
    queued: new Map(),
    retry: null,
    status: null,
    now,
    createId,
  };
  const listeners = new Set<() => void>();
  let init: SDKSystemMessage | null = null;
  let permissionMode: SessionSnapshot['permissionMode'] = null;
  let commands: SessionSnapshot['commands'] = null;
  let role: SessionSnapshot['role'] = null;
  let isReconnecting = false;
  let suggestion: SessionSnapshot['suggestion'] = null;
  let goal: SessionSnapshot['goal'] = null;
  /** The session with which the conversation continues, once that is open. */
  let next: string | undefined;
  let snapshot: SessionSnapshot = {
    turns: [],
    isRunning: false,
    tasks: [],
    init,
    permissionMode,
    commands,
    suggestion,
    goal,
    role,
    isReconnecting,
  };
  let isStale = false;
  let isScheduled = false;

  const changed = () => {
    isStale = true;
    if (isScheduled) return;
    isScheduled = true;
    schedule(() => {
      isScheduled = false;
      for (const listener of listeners) listener();
    });
  };

  const end = () => {
    isReconnecting = false;
    closeTasks(fold);
    closeOpenCalls(fold);
    // A turn that is over keeps its result.
    if (draft.isRunning) draft.endTurn(now(), null);
    changed();
  };

  options.permissions?.onEvent((event) => {
    if (followQuestion(fold, event)) changed();
  });

  return {
    getSnapshot() {
      if (isStale) {
        const tasks = [...fold.tasks.values()].filter(({ status }) => status === 'running');
        const { isRunning } = draft;
        const turns = draft.snapshot();
        const own = { init, permissionMode, commands, suggestion, goal, role, isReconnecting };
        snapshot = { turns, isRunning, tasks, ...own };
        isStale = false;
      }
      return snapshot;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    apply(message) {
      if (message.type === 'prompt_suggestion') ({ suggestion } = message);
      if (message.type === 'conversation_reset') next = message.new_conversation_id;
      if (message.type === 'system' && message.subtype === 'init') {
        init = message;
        ({ permissionMode } = message);
        // Only a session that runs elsewhere says where it runs.
        role ??= 'runner';
        // If the message is of an earlier session, the old session is shown, and its transcript stays.
        if (message.session_id === next) {
          forget(fold);
          goal = null;
        }
        next = undefined;
      }
      if (message.type === 'system' && message.subtype === 'status') {
        permissionMode = message.permissionMode ?? permissionMode;
      }
      if (message.type === 'system' && message.subtype === 'commands_changed') {
        ({ commands } = message);
      }
      if (message.type === 'system' && message.subtype === 'session_role_changed') {
        ({ role } = message);
      }
      if (message.type === 'system' && message.subtype === 'session_connection_changed') {
        isReconnecting = message.connection === 'waiting';
      }
      foldMessage(fold, message);
      const isRewound = message.type === 'system' && message.subtype === 'conversation_rewound';
      // A remaining goal is sent again after the rewind.
      if (isRewound) goal = null;
      if (message.type === 'active_goal') goal = message.value;
      if (draft.isRunning || isRewound) suggestion = null;
      // Without partial messages a question can come before the message of its call.
      for (const question of options.permissions?.getSnapshot() ?? []) {
        followQuestion(fold, { type: 'asked', question });
      }
      changed();
    },
    withdraw(promptId) {
      fold.prompts.delete(promptId);
      draft.dropTurn(promptId);
      changed();
    },
    setCommands(known) {
      commands = known;
      changed();
    },
    fail(error) {
      const isOurs = SdkError.isInstance(error);
      const text = error instanceof Error || isOurs ? error.message : String(error);
      addNotice(fold, 'error', text);
      end();
    },
    end,
  };
}

/** Empties the state, because the conversation continues in a new, empty session. */
function forget({ draft, open, prompts, said, tasks, queued }: FoldState): void {
  draft.clear();
  for (const known of [open, prompts, said, tasks, queued]) known.clear();
}

/** Shows the outcome of a question on its call. True if that changed something. */
function followQuestion({ draft }: FoldState, event: PermissionEvent): boolean {
  const call = draft.call(event.question.toolUseId);
  // A no that the session has refused was no outcome: the question is asked again.
  const isAskedAgain = event.type === 'asked' && call?.state === 'output-denied';
  if (!call || (call.state.startsWith('output-') && !isAskedAgain)) return false;
  if (event.type === 'asked' && call.state === 'approval-requested') return false;
  if (isAskedAgain) delete call.denial;
  if (event.type === 'asked') call.state = 'approval-requested';
  else if (event.type === 'withdrawn') call.state = 'input-available';
  else call.state = event.type === 'denied' ? 'output-denied' : 'approval-responded';
  if (event.message !== undefined) call.denial = event.message;
  draft.touch(call);
  return true;
}
