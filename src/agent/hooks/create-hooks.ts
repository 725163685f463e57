// The hooks of a session. The events of the session and its turns are here; events about one call
// are in call-hooks.ts. Loaded by create-session.ts only for a query with hooks.
import { textOf, toResultText } from '../../core/messages/blocks.ts';
import type { ToolUseBlock } from '../../core/messages/blocks.ts';
import type { ErrorCode } from '../../core/errors.ts';
import type { AssistantMessage, MessageParam } from '../../core/messages/messages.ts';
import type { EffortLevel } from '../../core/messages/effort.ts';
import type { SessionFold } from '../journal/fold.ts';
import { toContext } from '../journal/record-context.ts';
import type { SessionJournal } from '../journal/session-journal.ts';
import type { SessionRoot } from '../session/files/session-root.ts';
import type { WorkPlace } from '../session/files/work-place.ts';
import type { SessionIds } from '../session/session-ids.ts';
import {
  findConfigurationPlace,
  listConfigurationPlaces,
} from '../definitions/configuration-files.ts';
import { toSystemReminder } from '../../core/messages/system-reminder.ts';
import type { QueryOptions } from '../query-options.ts';
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import { createCallHooks } from './call-hooks.ts';
import { compileHooks } from './compile-hooks.ts';
import { createFire } from './fire-hooks.ts';
import type { Place } from './fire-hooks.ts';
import { createKeptNotes } from './kept-notes.ts';
import { createWaitingTexts } from './waiting-texts.ts';
import type { HookFields, SDKAssistantMessageError } from './hook-inputs.ts';
import type { ElicitationResult } from '../../core/mcp/mcp-exchange.ts';
import type { HookAnswer } from './read-answer.ts';
import type { AskedCompaction, HookEnd, Hooks } from './hooks.ts';
import { createBackgroundHooks, findBlock, listContext } from './run-hooks.ts';
import { listWatchedNames, watchFiles } from './watch-files.ts';
import type { WatchedFiles } from './watch-files.ts';

// 8: a hook that always sends the model back would otherwise use tokens without end.
const MAX_SENT_BACK = 8;

/** The running turn, and the hooks' effects on it. */
interface RunningTurn extends Place {
  /** A hook's reason for stopping the turn; may be empty. */
  stopReason?: string;
}

/** The parts of the session that hooks use. */
interface HookedSession {
  readonly id: string;
  readonly ids: SessionIds;
  readonly journal: SessionJournal;
  readonly place: WorkPlace;
  readonly permissions: PermissionState;
  /** The effort of the next request. */
  readonly effort: () => EffortLevel | undefined;
  readonly emit: (message: SDKMessage) => void;
  /** Watches files. Left out for a sub-agent. */
  readonly watch?: SessionRoot['watch'];
  /** The session's background work and schedules. */
  readonly listWaiting: () => Pick<HookFields<'Stop'>, 'background_tasks' | 'session_crons'>;
  /**
   * The sub-agent, if these are its hooks. Its end fires SubagentStop, and it doesn't fire the
   * session's events.
   */
  readonly agent?: { readonly id: string; readonly type: string };
  /** The event fields of an agent that has become a member of a team. */
  readonly member?: () => HookFields<'TeammateIdle'> | undefined;
}

/**
 * Checks the option and creates the session's hooks.
 *
 * @throws SdkError `bad-usage` or `invalid-input`, like {@link compileHooks}
 */
export function createHooks(
  { hooks = {}, includeHookEvents = false, host, ...sources }: QueryOptions,
  {
    id,
    ids,
    journal,
    place,
    permissions,
    effort,
    emit,
    watch,
    listWaiting,
    agent,
    member,
  }: HookedSession,
): Hooks {
  const { clock, steps } = host;
  const work = () => steps?.work();
  const background = createBackgroundHooks(clock);
  const whole = new AbortController();
  /** Sent to the model with the next prompt. A sub-agent's first prompt comes at once. */
  const forPrompt = createWaitingTexts(agent ? undefined : journal);
  let turn: RunningTurn | undefined;
  let watched: WatchedFiles | undefined;
  const fire = createFire({
    session: {
      id,
      ids,
      place,
      clock,
      permissions,
      effort,
      agent,
      includesEvents: includeHookEvents,
    },
    hooks: compileHooks(hooks),
    background,
    emit,
    turn: () => turn,
    work,
  });
  const { clear, ...callHooks } = createCallHooks({
    fire,
    clock,
    detached: whole.signal,
    turn: () => turn,
    kept: steps && createKeptNotes(journal, steps.opening),
    tellLater: (texts) => forPrompt.put(texts),
  });

  const titleField = () => {
    const { title } = journal.fold.meta;
    return title !== undefined && { session_title: title };
  };

  function giveTitle(answers: readonly HookAnswer[]): void {
    const title = findLastSpecific(answers, 'sessionTitle');
    if (title === undefined || title === journal.fold.meta.title) return;
    journal.note({ type: 'meta', title });
  }

  function heedPaths(answers: readonly HookAnswer[] = []): void {
    const given = answers.flatMap(({ specific }) => (specific.watchPaths ? [specific] : []));
    if (given.length > 0) watched?.replace(given.flatMap(({ watchPaths = [] }) => watchPaths));
  }

  async function tellChange(fields: HookFields<'FileChanged'>): Promise<void> {
    const { signal } = whole;
    const fired = await fire({ event: 'FileChanged', fields, signal, isDetached: true });
    heedPaths(fired?.answers);
  }

  /** A change of settings counts from the next opening, and skills are read anew: nothing waits for the hooks. */
  function watchConfiguration(follow: SessionRoot['watch'], signal: AbortSignal): void {
    const places = listConfigurationPlaces(sources, place.rulesFrom.cwd);
    const tell = async ({ file_path }: HookFields<'FileChanged'>) => {
      const { source } = findConfigurationPlace(places, file_path) ?? {};
      if (source === undefined) return;
      const fields = { source, file_path };
      await fire({ event: 'ConfigChange', fields, signal: whole.signal, isDetached: true });
    };
    const options = { names: [], cwd: () => place.cwd, tell, clock, signal, work };
    watchFiles(follow, options).replace(places.map(({ path }) => path));
  }

  /** Stop: why the model must continue. Undefined if it may end its turn. */
  async function hearRest(
    { content }: AssistantMessage,
    signal: AbortSignal,
  ): Promise<readonly MessageParam[] | undefined> {
    // Counted from the journal, because a reload of the page must not reset the limit.
    const sentBack = journal.fold.turn?.sentBack ?? 0;
    const last = textOf(content, '\n');
    const { background_tasks, session_crons } = listWaiting();
    const fields = {
      // Without the agent itself, which is a task of the session too.
      background_tasks: background_tasks.filter(({ id }) => id !== agent?.id),
      session_crons,
      stop_hook_active: sentBack > 0,
      ...(last !== '' && { last_assistant_message: last }),
    };
    const fired = agent
      ? fire({
          event: 'SubagentStop',
          fields: { ...fields, agent_transcript_path: '', ...toAgentFields(agent) },
          signal,
        })
      : fire({ event: 'Stop', fields, signal });
    const answers = [...((await fired)?.answers ?? [])];
    const context = listContext(answers);
    let blocking = answers.find(({ decision }) => decision === 'block');
    const idle = blocking || context.length > 0 ? undefined : member?.();
    if (idle) {
      const heard = await fire({ event: 'TeammateIdle', fields: idle, signal });
      blocking = heard?.answers.find(({ decision }) => decision === 'block');
    }
    const why = blocking && `You are not done yet: ${blocking.reason ?? 'a hook says so.'}`;
    const words = why === undefined ? context : [why, ...context];
    if (words.length === 0 || signal.aborted || sentBack >= MAX_SENT_BACK) {
      forPrompt.put(context);
      return undefined;
    }
    return words.map(toSystemReminder);
  }

  return {
    ...callHooks,

    async start(model, signal, source = 'startup') {
      if (agent) {
        const fields = toAgentFields(agent);
        const fired = await fire({ event: 'SubagentStart', fields, signal });
        forPrompt.put(listContext(fired?.answers ?? []));
        return undefined;
      }
      if (hooks.FileChanged && watch) {
        const names = listWatchedNames(hooks);
        const cwd = () => place.cwd;
        watched = watchFiles(watch, { names, cwd, tell: tellChange, clock, signal, work });
      }
      if (hooks.ConfigChange && watch) watchConfiguration(watch, signal);
      const fields = { source, model, ...titleField() } as const;
      const fired = await fire({ event: 'SessionStart', fields, signal });
      const answers = fired?.answers ?? [];
      heedPaths(answers);
      // The next opening is a `resume` again, if no prompt comes before.
      forPrompt.put(listContext(answers), source === 'resume');
      if (source !== 'clear') giveTitle(answers);
      return findLastSpecific(answers, 'initialUserMessage');
    },

    async end() {
      // The hooks of other events aren't awaited any more. SessionEnd's hooks have their own time.
      whole.abort();
      if (agent) return background[Symbol.dispose]();
      const { signal } = new AbortController();
      const reason = journal.fold.moved ? 'clear' : 'other';
      await fire({ event: 'SessionEnd', fields: { reason }, signal, isDetached: true });
      background[Symbol.dispose]();
    },

    [Symbol.dispose]() {
      whole.abort();
      background[Symbol.dispose]();
    },

    startTurn(next, promptId) {
      const begun: RunningTurn = {
        promptId,
        name: 'the turn',
        stop(reason) {
          begun.stopReason ??= reason;
          next.stop();
        },
      };
      turn = begun;
      clear();
    },

    async beforeCompaction({ trigger, instructions = null }, signal) {
      const fields = { trigger: toSdkTrigger(trigger), custom_instructions: instructions };
      const fired = await fire({ event: 'PreCompact', fields, signal });
      return findBlock(fired?.answers ?? []);
    },

    async afterCompaction({ trigger, model }, summary, signal) {
      const fields = { trigger: toSdkTrigger(trigger), compact_summary: summary };
      await fire({ event: 'PostCompact', fields, signal });
      // A sub-agent's conversation isn't a session.
      if (agent) return [];
      const begun = { source: 'compact', model, ...titleField() } as const;
      const fired = await fire({ event: 'SessionStart', fields: begun, signal });
      heedPaths(fired?.answers);
      return listContext(fired?.answers ?? []).map(toSystemReminder);
    },

    noteInstructions(fields) {
      const { signal } = whole;
      void fire({ event: 'InstructionsLoaded', fields, signal, isDetached: true });
    },

    beforeModelSwitch(fields) {
      const { signal } = whole;
      const fired = fire({ event: 'PreModelSwitch', fields, signal, isDetached: true });
      return fired?.then(({ answers }) => findKept(answers));
    },

    afterModelSwitch(fields) {
      const { signal } = whole;
      const fired = fire({ event: 'PostModelSwitch', fields, signal, isDetached: true });
      return fired?.then(({ answers }) => forPrompt.put(listContext(answers)));
    },

    async beforeExpansion(fields, signal) {
      const fired = await fire({ event: 'UserPromptExpansion', fields, signal });
      const answers = fired?.answers ?? [];
      const blocked = findBlock(answers);
      if (blocked !== undefined) return { blocked, context: [] };
      return { context: listContext(answers).map(toSystemReminder) };
    },

    takeContext() {
      const { texts, states } = forPrompt.take();
      return { context: texts.map(toSystemReminder), states };
    },

    async takePrompt(prompt, signal) {
      const text = textOf(prompt.content, '\n');
      const fields = { prompt: text, source: 'sdk', ...titleField() } as const;
      const fired = await fire({ event: 'UserPromptSubmit', fields, signal });
      const answers = fired?.answers ?? [];
      const blocked = findBlock(answers);
      if (blocked !== undefined)
        return { end: toStopped('hook_stopped', blocked), context: [], states: [] };
      giveTitle(answers);
      const { texts, states } = forPrompt.take();
      return { context: [...texts, ...listContext(answers)].map(toSystemReminder), states };
    },

    async createWorktree(name, signal) {
      const fired = await fire({ event: 'WorktreeCreate', fields: { name }, signal });
      const blocked = findBlock(fired?.answers ?? []);
      if (blocked !== undefined) return { blocked };
      const path = fired?.answers.find(({ specific }) => specific.worktreePath)?.specific
        .worktreePath;
      return path === undefined ? undefined : { path };
    },

    async removeWorktree(worktree_path, signal) {
      await fire({ event: 'WorktreeRemove', fields: { worktree_path }, signal });
    },

    async changeCwd(old_cwd, new_cwd, signal) {
      const fired = await fire({ event: 'CwdChanged', fields: { old_cwd, new_cwd }, signal });
      heedPaths(fired?.answers);
    },

    elicit({ serverName, message, mode, url, elicitationId, requestedSchema }, signal) {
      const fields = {
        mcp_server_name: serverName,
        message,
        ...(mode && { mode }),
        ...(url !== undefined && { url }),
        ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
        ...(requestedSchema && { requested_schema: structuredClone({ ...requestedSchema }) }),
      };
      return fire({ event: 'Elicitation', fields, signal })?.then(({ answers }) =>
        findElicited(answers),
      );
    },

    hearElicitation({ serverName, mode, elicitationId }, { action, content }, signal) {
      const fields = {
        mcp_server_name: serverName,
        ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
        ...(mode && { mode }),
        action,
        ...(content && { content: structuredClone({ ...content }) }),
      };
      return fire({ event: 'ElicitationResult', fields, signal })?.then(({ answers }) =>
        findElicited(answers),
      );
    },

    announceTask(event, { id, subject, description }, signal) {
      const fields = {
        task_id: id,
        task_subject: subject,
        ...(description !== '' && { task_description: description }),
        ...member?.(),
      };
      const fired = fire({ event, fields, signal });
      return fired?.then(({ answers }) => {
        const reason = findBlock(answers);
        return reason === '' ? `a ${event} hook refused it.` : reason;
      });
    },

    afterBatch(settled, signal) {
      // Messages about background work. Those about ended calls are recorded with the calls.
      const notes = settled.flatMap(({ toolUse }) => callHooks.takeNotes(toolUse.id));
      const tool_calls = settled.map(({ toolUse, output, result }) => ({
        tool_name: toolUse.name,
        tool_input: toolUse.input,
        tool_use_id: toolUse.id,
        tool_response: output ?? toResultText(result),
      }));
      const fired = signal.aborted
        ? undefined
        : fire({ event: 'PostToolBatch', fields: { tool_calls }, signal });
      if (!fired)
        return notes.length > 0 ? Promise.resolve(notes.map(toSystemReminder)) : undefined;
      return fired.then(({ answers }) => {
        const blocked = findBlock(answers);
        if (blocked !== undefined) turn?.stop(blocked);
        return [...notes, ...listContext(answers)].map(toSystemReminder);
      });
    },

    async hearEnd(end, steps, { signal, maxTurns }) {
      if (!turn) return end;
      const running = turn;
      if (running.stopReason === undefined) {
        const deferred = findDeferred(journal.fold);
        if (deferred && !signal.aborted) {
          return toDeferred(deferred, readLastReply(journal.fold));
        }
        if (end?.type === 'failed') {
          const { code, message } = end.error;
          const fields = { error: toApiError(code), error_details: message };
          await fire({ event: 'StopFailure', fields, signal });
        }
        // A model that has refused would refuse again.
        if (end?.type !== 'completed' || end.message.stop_reason === 'refusal') return end;
        // The model was sent back to work before a reload of the page, and hasn't been told yet. If
        // the turn was stopped, that doesn't apply.
        const isSentBack = journal.fold.turn?.newest?.isSentBack && !signal.aborted;
        const work = isSentBack ? [] : await hearRest(end.message, signal);
        if (work) {
          await journal.record(...toContext('sent-back', work));
          return steps === maxTurns ? { type: 'max-turns', maxTurns } : undefined;
        }
      }
      const { stopReason } = running;
      if (stopReason === undefined) return end;
      const how = end?.type === 'completed' ? 'stop_hook_prevented' : 'hook_stopped';
      return toStopped(how, readLastReply(journal.fold) || stopReason);
    },
  };
}

/** If several hooks give the field, the last one in the option's order decides. */
function findLastSpecific(
  answers: readonly HookAnswer[],
  field: 'sessionTitle' | 'initialUserMessage',
): string | undefined {
  return answers.findLast(({ specific }) => field in specific)?.specific[field];
}

/** Security: a refusal beats an acceptance. The code that asked checks the result. */
function findElicited(answers: readonly HookAnswer[]): ElicitationResult | undefined {
  if (findBlock(answers) !== undefined) return { action: 'decline' };
  const given = answers.flatMap(({ specific }) => specific.elicited ?? []);
  const found = given.find(({ action }) => action !== 'accept') ?? given[0];
  return found as ElicitationResult | undefined;
}

function toAgentFields({ id, type }: NonNullable<HookedSession['agent']>) {
  return { agent_id: id, agent_type: type };
}

/** A compaction after an overflow is `auto` too, because nobody requested it. */
function toSdkTrigger(trigger: AskedCompaction['trigger']): 'manual' | 'auto' {
  return trigger === 'manual' ? 'manual' : 'auto';
}

/** The model's last text in this turn; empty if there is none since the prompt. */
function readLastReply({ messages, sources, turn }: SessionFold): string {
  const from = sources.findIndex((source) => source >= (turn?.n ?? 0));
  const said = from === -1 ? [] : messages.slice(from);
  const last = said.findLast(({ role }) => role === 'assistant');
  return last ? textOf(last.content, '\n') : '';
}

/**
 * The first call of the newest reply that a hook has deferred, maybe before a reload of the page.
 */
function findDeferred({ turn, calls }: SessionFold): ToolUseBlock | undefined {
  return turn?.newest?.uses.find(({ id }) => calls.get(id)?.settled?.isDeferred);
}

function toDeferred({ id, name, input }: ToolUseBlock, result: string): HookEnd {
  const deferred_tool_use = { id, name, input: input as Record<string, unknown> };
  const how = { stop_reason: 'tool_deferred', terminal_reason: 'tool_deferred' };
  return { type: 'hook', result: { result, ...how, deferred_tool_use } };
}

function toStopped(terminal_reason: string, result: string): HookEnd {
  return { type: 'hook', result: { result, stop_reason: null, terminal_reason } };
}

/** The SDK's name of the error. */
function toApiError(code: ErrorCode): SDKAssistantMessageError {
  switch (code) {
    case 'model-authentication':
      return 'authentication_failed';
    case 'model-bad-request':
    case 'model-context-window':
      return 'invalid_request';
    case 'model-rate-limited':
      return 'rate_limit';
    case 'model-overloaded':
    case 'model-server':
      return 'server_error';
    default:
      return 'unknown';
  }
}

/** Why the model stays. Nobody is asked here, so `ask` keeps it, too. */
function findKept(answers: readonly HookAnswer[]): string | undefined {
  const blocked = answers.find(({ decision }) => decision === 'block');
  if (blocked) return blocked.reason ?? '';
  for (const wanted of ['deny', 'ask'] as const) {
    const kept = answers.find(({ specific }) => specific.permissionDecision === wanted);
    if (kept) return kept.specific.permissionDecisionReason ?? '';
  }
  return undefined;
}
