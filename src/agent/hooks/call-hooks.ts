// The events about one call, from the stations' terms to the hooks' and back. Used by create-hooks.ts.
import { toResultText } from '../../core/blocks.ts';
import type { ToolResultBlock } from '../../core/blocks.ts';
import type { Clock } from '../../core/ports.ts';
import type { AllowedCall } from '../authorize.ts';
import type { Answer } from '../permissions/questions.ts';
import type { ValidCall } from '../validate.ts';
import { applyCallVerdict } from './apply-call-verdict.ts';
import type { Fire } from './fire-hooks.ts';
import type { HookKit } from './hook-kit.ts';
import type { Hooks } from './hooks.ts';
import { listContext, mergeQuestionAnswers } from './merge-answers.ts';
import type { QuestionDecision } from './read-answer.ts';
import { replaceOutput } from './replace-output.ts';

/** The hooks' part for each call, and what they had to say to the model about it. */
export interface CallHooks extends Pick<
  Hooks,
  | 'beforeUse'
  | 'answer'
  | 'notify'
  | 'begin'
  | 'afterUse'
  | 'afterFailure'
  | 'refused'
  | 'passContext'
> {
  /** Gives them once. */
  takeNotes(callId: string): readonly string[];
  /** Forgets all calls: a new turn begins. */
  clear(): void;
}

interface KnownCall {
  call: ValidCall;
  startedAt: number;
  readonly notes: string[];
}

/** `detached` is for events that nobody waits for: aborted when the session ends. */
export function createCallHooks(
  fire: Fire,
  kit: HookKit,
  clock: Clock,
  detached: AbortSignal,
): CallHooks {
  const known = new Map<string, KnownCall>();
  const note = (callId: string, texts: readonly string[]) => {
    known.get(callId)?.notes.push(...texts);
  };
  const takeNotes = (callId: string) => known.get(callId)?.notes.splice(0) ?? [];
  const elapsed = (callId: string) => clock.now() - (known.get(callId)?.startedAt ?? clock.now());

  return {
    takeNotes,
    clear: () => known.clear(),
    passContext: (nestedId, outerId) => {
      note(outerId, takeNotes(nestedId));
      known.delete(nestedId);
    },
    begin(callId) {
      const one = known.get(callId);
      if (one) one.startedAt = clock.now();
    },

    beforeUse(call, context) {
      const one: KnownCall = { call, startedAt: clock.now(), notes: [] };
      known.set(call.toolUse.id, one);
      const { signal } = context.abortController;
      const fired = fire({ event: 'PreToolUse', call, signal, fields: describeCall(call) });
      return fired?.then(async (result) => {
        one.notes.push(...listContext(result.answers));
        const next = await applyCallVerdict(result, call, context, kit);
        if (next.stage === 'valid') one.call = next;
        return next;
      });
    },

    answer({ toolUseID, input, suggestions, changes }, signal) {
      const one = known.get(toolUseID);
      if (!one) return undefined;
      // A person's answer may have changed the input since.
      const call = { ...one.call, input };
      const fields = {
        tool_name: call.tool.name,
        tool_input: input,
        ...(suggestions && { permission_suggestions: suggestions }),
        ...(changes && { changes }),
      };
      const fired = fire({ event: 'PermissionRequest', call, signal, fields });
      return fired?.then(({ answers }) => {
        const decision = mergeQuestionAnswers(answers);
        return decision && toAnswer(decision, call.tool.name);
      });
    },

    notify({ toolName, title, decisionReason }) {
      const message = `${title ?? toolName}: ${decisionReason ?? 'it is asked'}`;
      const fields = { message, notification_type: 'permission_prompt' };
      void fire({ event: 'Notification', fields, signal: detached, isDetached: true });
    },

    afterUse(used, signal) {
      const { call, output } = used;
      const { id } = call.toolUse;
      const fields = { tool_response: output, duration_ms: elapsed(id) };
      const occasion = { call, signal, fields: { ...describeCall(call), ...fields } };
      // A call that tells of an error is one that failed.
      const isFailure = used.block.is_error === true;
      const fired = isFailure ? undefined : fire({ event: 'PostToolUse', ...occasion });
      return fired?.then(({ answers }) => {
        const objection = answers.find(({ decision }) => decision === 'block')?.reason;
        if (objection !== undefined) note(id, [`A hook objects to this result: ${objection}`]);
        note(id, listContext(answers));
        const replacing = answers.findLast(({ specific }) => 'updatedToolOutput' in specific);
        return replacing ? replaceOutput(call, replacing.specific.updatedToolOutput) : used;
      });
    },

    afterFailure(call, settled, signal) {
      const { id } = call.toolUse;
      const failure = { error: toResultText(settled.result), duration_ms: elapsed(id) };
      const fields = { ...describeCall(call), ...failure, is_interrupt: signal.aborted };
      const event = 'PostToolUseFailure';
      if (signal.aborted) {
        // Who stopped the turn doesn't wait for its hooks.
        void fire({ event, call, fields, signal: detached, isDetached: true });
        return undefined;
      }
      const fired = fire({ event, call, fields, signal });
      return fired?.then(({ answers }) => note(id, listContext(answers)));
    },

    refused(settled, signal) {
      const { denial, toolUse } = settled;
      const call = known.get(toolUse.id)?.call;
      if (!denial || !call) return undefined;
      const fields = { ...describeCall(call), reason: denial.message };
      const fired = fire({ event: 'PermissionDenied', call, signal, fields });
      return fired?.then(({ answers }) => {
        const mayRetry = answers.some(({ specific }) => specific.retry);
        if (!mayRetry) return settled;
        return { ...settled, result: addText(settled.result, 'You may try this call again.') };
      });
    },
  };
}

function describeCall({ tool, input, toolUse }: ValidCall | AllowedCall) {
  return { tool_name: tool.name, tool_input: input, tool_use_id: toolUse.id };
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
