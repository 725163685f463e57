// The hook events about one call. It connects the stages of a call to the hooks. Used by
// create-hooks.ts.
import { toResultText } from '../../core/messages/blocks.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import { msSince } from '../../core/async/ms-since.ts';
import type { ToolUseContext } from '../../core/tool/context.ts';
import type { HostNote } from '../../core/permissions/permission.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { toMcpServer } from '../../core/mcp/mcp-server.ts';
import { toObservableInput } from '../../core/tool/observable-input.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import { settleStopped, settleWithDenial, settleWithError } from '../calls/settled.ts';
import type { Settled } from '../calls/settled.ts';
import { validateInput } from '../calls/validate.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Answer } from '../permissions/questions.ts';
import type { Fire, Fired, Place } from './fire-hooks.ts';
import { replaceOutput } from './hook-messages.ts';
import type { CallHooks, Hooks } from './hooks.ts';
import type { KeptNotes } from './kept-notes.ts';
import { listContext, mergeCallAnswers, mergeQuestionAnswers } from './run-hooks.ts';
import type { HookAnswer, QuestionDecision } from './read-answer.ts';

/** The session's hooks about calls. */
export interface SessionCallHooks extends Pick<
  Hooks,
  keyof CallHooks | 'answer' | 'notify' | 'forTask' | 'listHostNotes'
> {
  /** Forgets the calls of the previous turn. */
  clear(): void;
}

/** The parts of the session that these hooks use. */
export interface CallHookPorts {
  readonly fire: Fire;
  readonly clock: Clock;
  /** For events that nobody awaits. Aborted when the session ends. */
  readonly detached: AbortSignal;
  /** The running turn. */
  readonly turn: () => Place | undefined;
  /** Left out where the host never releases a session whose question waits. */
  readonly kept: KeptNotes | undefined;
  /** Takes hooks' messages about a background call, after its turn has recorded the results. */
  readonly tellLater: (texts: readonly string[]) => void;
}

interface KnownCall {
  call: ValidCall;
  startedAt: number;
  readonly notes: string[];
  /** The turn or task in which a question about the call is asked. */
  place: Place | undefined;
  /** The call runs in a background task, which outlives its turn. */
  isInTask: boolean;
}

export function createCallHooks(ports: CallHookPorts): SessionCallHooks {
  const { fire, clock, detached, turn, kept } = ports;
  const known = new Map<string, KnownCall>();
  const hostNotes: HostNote[] = [];
  const note = (callId: string, texts: readonly string[]) => {
    known.get(callId)?.notes.push(...texts);
  };
  const takeNotes = (callId: string) => [
    ...(kept?.take(callId) ?? []),
    ...(known.get(callId)?.notes.splice(0) ?? []),
  ];
  const know = (call: ValidCall, task: Place | undefined): KnownCall => {
    const place = task ?? turn();
    const isInTask = task !== undefined;
    const { id } = call.toolUse;
    // A call that continues another tool's call has passed before, with the same id.
    const notes = known.get(id)?.notes ?? [];
    const one: KnownCall = { call, startedAt: clock.now(), notes, place, isInTask };
    known.set(id, one);
    return one;
  };
  const describeTool = ({ tool, input }: Pick<ValidCall, 'tool' | 'input'>) => ({
    tool_name: tool.name,
    tool_input: toObservableInput(tool, input),
    ...(tool.mcpInfo && { mcp_server: toMcpServer(tool.mcpInfo) }),
  });
  const describeCall = (call: ValidCall | AllowedCall) => ({
    ...describeTool(call),
    tool_use_id: call.toolUse.id,
  });
  const elapsed = (callId: string) => msSince(known.get(callId)?.startedAt ?? clock.now(), clock);

  /** The hooks for calls in the running turn, or in `task`. */
  const hear = (task?: Place): CallHooks => ({
    takeNotes,
    passContext: (nestedId, outerId) => {
      note(outerId, takeNotes(nestedId));
      known.delete(nestedId);
    },
    begin(callId) {
      const one = known.get(callId);
      if (one) one.startedAt = clock.now();
    },

    beforeUse(call, context) {
      const one = know(call, task);
      const { place } = one;
      const { signal } = context.abortController;
      const fired = fire({ event: 'PreToolUse', call, place, signal, fields: describeCall(call) });
      return fired?.then(async (result) => {
        one.notes.push(...listContext(result.answers));
        const next = await applyCallVerdict(result, call, context);
        if (next.stage === 'valid') one.call = next;
        return next;
      });
    },

    afterUse(used, signal) {
      const { call, output } = used;
      const { id } = call.toolUse;
      // The call ran before a reload of the page.
      if (call.stage === 'valid') know(call, task);
      const fields = { tool_response: output, duration_ms: elapsed(id) };
      const occasion = { call, place: task, signal, fields: { ...describeCall(call), ...fields } };
      // A call whose result is an error counts as failed.
      const isFailure = used.block.is_error === true;
      const fired = isFailure ? undefined : fire({ event: 'PostToolUse', ...occasion });
      return fired?.then(({ answers }) => {
        const objection = answers.find(({ decision }) => decision === 'block')?.reason;
        if (objection !== undefined) note(id, [`A hook objects to this result: ${objection}`]);
        note(id, listContext(answers));
        const replacing = answers.findLast(({ specific }) => 'updatedToolOutput' in specific);
        const shown = replacing ? replaceOutput(call, replacing.specific.updatedToolOutput) : used;
        const text = toHostNote(answers, shown.block.is_error ? undefined : replacing);
        if (text !== '') hostNotes.push({ toolName: call.tool.name, text });
        hostNotes.splice(0, hostNotes.length - maxHostNotes);
        return shown;
      });
    },

    afterFailure(call, settled, signal) {
      const { id } = call.toolUse;
      const failure = { error: toResultText(settled.result), duration_ms: elapsed(id) };
      const fields = { ...describeCall(call), ...failure, is_interrupt: signal.aborted };
      const event = 'PostToolUseFailure';
      if (signal.aborted) {
        // If a person stops the turn, its hooks aren't awaited.
        void fire({ event, call, place: task, fields, signal: detached, isDetached: true });
        return undefined;
      }
      const fired = fire({ event, call, place: task, fields, signal });
      return fired?.then(({ answers }) => note(id, listContext(answers)));
    },

    refused(settled, signal) {
      const { denial, toolUse } = settled;
      const call = known.get(toolUse.id)?.call;
      if (!denial || !call) return undefined;
      const fields = { ...describeCall(call), reason: denial.message };
      const fired = fire({ event: 'PermissionDenied', call, place: task, signal, fields });
      return fired?.then(({ answers }) => {
        const mayRetry = answers.some(({ specific }) => specific.retry);
        if (!mayRetry) return settled;
        return { ...settled, result: addText(settled.result, 'You may try this call again.') };
      });
    },
  });

  return {
    ...hear(),
    clear() {
      for (const [id, { isInTask, notes }] of known) {
        if (isInTask) continue;
        // A hook that isn't awaited may have answered after the call's results were sent.
        ports.tellLater(notes);
        known.delete(id);
      }
    },
    forTask(callId, task) {
      const name = 'the background task';
      const place = { promptId: turn()?.promptId ?? '', name, stop: () => task.stop() };
      const one = known.get(callId);
      if (one) Object.assign(one, { place, isInTask: true });
      return {
        ...hear(place),
        [Symbol.dispose]() {
          ports.tellLater(takeNotes(callId));
          known.delete(callId);
        },
      };
    },

    answer({ toolUseID, input, suggestions, changes, proposedChanges }, signal) {
      const one = known.get(toolUseID);
      if (!one) return undefined;
      // A person's answer may have changed the input since.
      const call = { ...one.call, input };
      const fields = {
        ...describeTool(call),
        ...(suggestions && { permission_suggestions: suggestions }),
        ...(changes && { changes }),
        ...(proposedChanges && { proposed_changes: proposedChanges }),
      };
      const { place } = one;
      const fired = fire({ event: 'PermissionRequest', call, place, signal, fields });
      return fired?.then(({ answers }) => {
        const decision = mergeQuestionAnswers(answers);
        return decision && toAnswer(decision, call.tool.name);
      });
    },

    notify({ toolUseID, toolName, title, decisionReason }) {
      const message = `${title ?? toolName}: ${decisionReason ?? 'it is asked'}`;
      const fields = { message, notification_type: 'permission_prompt' };
      const fired = fire({ event: 'Notification', fields, signal: detached, isDetached: true });
      void fired?.then(({ answers }) => {
        const context = listContext(answers);
        if (!known.has(toolUseID)) return ports.tellLater(context);
        note(toolUseID, context);
        kept?.put(toolUseID, context);
      });
    },

    listHostNotes: () => hostNotes,
  };
}

// 10: the same number as the user's prompts that the classifier gets.
const maxHostNotes = 10;

/** 2 000 characters for all hooks of one call, as in the Claude Agent SDK. */
const maxHostNoteChars = 2_000;

/**
 * The hooks' notes about the call for the classifier. Security: the note of a hook whose output was
 * replaced by another one is left out.
 */
function toHostNote(answers: readonly HookAnswer[], standing: HookAnswer | undefined): string {
  const texts = answers.flatMap((answer) => {
    const { classifierContext, ...others } = answer.specific;
    const isVoid = 'updatedToolOutput' in others && answer !== standing;
    return classifierContext !== undefined && !isVoid ? [classifierContext] : [];
  });
  return clipText(texts.join('\n'), maxHostNoteChars);
}

function toAnswer(decision: QuestionDecision, toolName: string): Answer {
  const { behavior, message, interrupt = false, updatedInput, updatedPermissions } = decision;
  if (behavior === 'deny') {
    const text = message || `A hook refused ${toolName}.`;
    const reason = { type: 'hook', message: text } as const;
    return { type: 'refused', denial: { reason, message: text, interrupt } };
  }
  return {
    type: 'allowed',
    reason: { type: 'hook', message: 'it answered the question.' },
    ...(updatedInput && { updatedInput }),
    updatedPermissions: updatedPermissions ?? [],
  };
}

function addText(block: ToolResultBlock, text: string): ToolResultBlock {
  const { content } = block;
  return typeof content === 'string'
    ? { ...block, content: `${content}\n${text}` }
    : { ...block, content: [...(content ?? []), { type: 'text', text }] };
}

/**
 * The call with the hooks' changes, or its end. Never rejects.
 *
 * Security: a hook's decision is never final. A rewritten input is parsed like the model's. An
 * allow is only an opinion. In permissions/decide.ts, deny and ask rules, protected paths, the
 * tool's own objection and the mode have precedence.
 */
async function applyCallVerdict(
  { answers, isCancelled }: Fired,
  call: ValidCall,
  context: ToolUseContext,
): Promise<ValidCall | Settled> {
  const { toolUse, tool } = call;
  if (isCancelled) return settleStopped(toolUse);
  const { decision, reason, updatedInput } = mergeCallAnswers(answers);
  if (decision === 'deny') return refuse(call, reason || `A hook refused ${tool.name}.`);
  if (decision === 'defer') return defer(call, reason);
  const next = updatedInput ? await rewrite(call, updatedInput, context) : call;
  if (next.stage === 'settled' || !decision) return next;
  return { ...next, opinion: { behavior: decision, message: reason || 'it gave no reason.' } };
}

async function rewrite(
  { toolUse, tool, caller, requester }: ValidCall,
  updatedInput: Record<string, unknown>,
  context: ToolUseContext,
): Promise<ValidCall | Settled> {
  const valid = await validateInput(toolUse, tool, updatedInput, context);
  if (valid.stage === 'valid') {
    return { ...valid, ...(caller && { caller }), ...(requester && { requester }) };
  }
  const why = toResultText(valid.result);
  return settleWithError(toolUse, `${tool.name} was not run: a hook changed its input.\n${why}`);
}

function refuse({ toolUse }: ValidCall, message: string): Settled {
  return settleWithDenial(toolUse, {
    reason: { type: 'hook', message },
    message,
    interrupt: false,
  });
}

/**
 * Defers a call. A nested call can't be deferred, because its outer call and that call's state
 * would have to be stored.
 */
function defer(call: ValidCall, reason: string): Settled {
  const { toolUse, tool, caller, requester } = call;
  const waiting = requester ?? caller;
  if (waiting) return refuse(call, `A hook put ${tool.name} off, and ${waiting.name} can't wait.`);
  const why = reason && ` (${reason})`;
  const message = `${tool.name} was put off${why} and has not run. Call it again when the conversation goes on, if it is still wanted.`;
  return { ...settleWithError(toolUse, message), isDeferred: true };
}
