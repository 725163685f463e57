// Fires one event of a session: selects the matching hooks, builds their inputs, runs them, and
// shows their messages to the person. Used by create-hooks.ts.
import { basename } from '../../core/path.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { SDKMessage } from '../../core/messages/sdk-message.ts';
import type { EffortLevel } from '../../core/messages/effort.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import { createRuleMatcher, getCallPath } from '../permissions/match-rule.ts';
import type { PermissionState } from '../permissions/permission-state.ts';
import type { NamedTool } from '../permissions/rules.ts';
import type { ValidCall } from '../calls/validate.ts';
import { canBlock } from './compile-hooks.ts';
import type { CompiledHook, CompiledHooks } from './compile-hooks.ts';
import { matcherFields } from './hook-events.ts';
import type { HookEvent } from './hook-events.ts';
import type { HookFields, HookInput } from './hook-inputs.ts';
import { toInformationalMessage, toResponseMessage, toStartedMessage } from './hook-messages.ts';
import type { HookRunName, MessageIds } from './hook-messages.ts';
import type { HookAnswer } from './read-answer.ts';
import type { SessionIds } from '../session/session-ids.ts';
import type { WorkPlace } from '../session/files/work-place.ts';
import { runHooks } from './run-hooks.ts';
import type { BackgroundHooks, HookOutcome } from './run-hooks.ts';

/** The parts of the session that appear in inputs. */
export interface HookSession {
  readonly id: string;
  readonly ids: Pick<SessionIds, 'next'>;
  readonly place: WorkPlace;
  readonly clock: Clock;
  readonly permissions: Pick<PermissionState, 'current'>;
  /** The effort of the next request. */
  readonly effort: () => EffortLevel | undefined;
  /** The sub-agent, if these are its hooks. */
  readonly agent?: { readonly id: string; readonly type: string } | undefined;
  /** True if each run is reported by `hook_started` and `hook_response`. */
  readonly includesEvents: boolean;
}

/** Everything that the events of a session share. */
export interface FirePorts {
  readonly session: HookSession;
  readonly hooks: CompiledHooks;
  readonly background: BackgroundHooks;
  readonly emit: (message: SDKMessage) => void;
  /** The last turn that has begun. */
  readonly turn: () => Place | undefined;
  /** Keeps the session's object from being unloaded until the result is disposed. */
  readonly work: () => Disposable | undefined;
}

/** The turn or task in which an event happens, and that a hook may stop. */
export interface Place {
  readonly promptId: string;
  /** Its name in messages: "the turn". */
  readonly name: string;
  /** Stops it. The reason may be empty. */
  stop(reason: string): void;
}

/** One event. */
export interface Occasion<E extends HookEvent> {
  readonly event: E;
  readonly fields: HookFields<E>;
  readonly signal: AbortSignal;
  /** The call that the event is about. Used for matchers, for `if`, and in messages. */
  readonly call?: ValidCall | AllowedCall;
  /** Default: the turn. */
  readonly place?: Place | undefined;
  /** The event isn't awaited. Its turn may be over, so its hooks can't stop one. */
  readonly isDetached?: true;
}

/** The results of the event's hooks, in the order of the hooks. */
export interface Fired {
  /** The answers of hooks that answered at once, and of those that failed and block. */
  readonly answers: readonly HookAnswer[];
  /** The turn was stopped while the hooks ran. */
  readonly isCancelled: boolean;
}

/** Fires an event. Never rejects. Gives undefined at once if no hook matches. */
export type Fire = <E extends HookEvent>(occasion: Occasion<E>) => Promise<Fired> | undefined;

/** Creates the function that fires the events of one session. */
export function createFire(ports: FirePorts): Fire {
  return (occasion) => {
    const subject = occasion.call?.tool ?? readSubject(occasion);
    const hooks = ports.hooks.select(occasion.event, subject);
    if (hooks.length === 0) return undefined;
    const fired = fire(hooks, subject, occasion, ports);
    if (!occasion.isDetached) return fired;
    const working = ports.work();
    return fired.finally(() => working?.[Symbol.dispose]());
  };
}

const nothing: Fired = { answers: [], isCancelled: false };

async function fire<E extends HookEvent>(
  selected: readonly CompiledHook[],
  subject: NamedTool,
  occasion: Occasion<E>,
  ports: FirePorts,
): Promise<Fired> {
  const { event, call, signal } = occasion;
  const { session, background, emit } = ports;
  const hooks = await filterByCondition(selected, call, ports);
  if (hooks.length === 0) return nothing;

  const hook_name = subject.name === '' ? event : `${event}:${subject.name}`;
  const names = hooks.map(() => ({ hook_id: session.ids.next(), hook_name, hook_event: event }));
  const tell = session.includesEvents ? emit : undefined;
  for (const name of names) tell?.(toStartedMessage(createIds(ports), name));
  const createInput = () => toInput(occasion, ports);
  const run = { event, createInput, toolUseId: call?.toolUse.id, signal };
  const outcomes = await runHooks(hooks, run, { clock: session.clock, background });
  outcomes.forEach((outcome, at) => {
    tell?.(toResponseMessage(createIds(ports), names[at] as HookRunName, outcome));
  });

  const answers = outcomes.flatMap((outcome, at) => toAnswers(outcome, event, hooks[at]));
  tellPerson(outcomes, hooks, occasion, ports);
  return { answers, isCancelled: outcomes.some(({ type }) => type === 'cancelled') };
}

/** Prepares the rule matcher only if a hook has an `if`. */
async function filterByCondition(
  hooks: readonly CompiledHook[],
  call: Occasion<HookEvent>['call'],
  { session }: FirePorts,
): Promise<readonly CompiledHook[]> {
  if (!call || hooks.every(({ condition }) => !condition)) return hooks;
  const { cwd, rulesFrom } = session.place;
  const target = getCallPath(call, cwd);
  const matches = await createRuleMatcher({ ...call, stage: 'valid' }, rulesFrom, target);
  return hooks.filter(({ condition }) => !condition || matches(condition));
}

function createIds({ session }: FirePorts): MessageIds {
  return { uuid: session.ids.next(), session_id: session.id };
}

function readSubject<E extends HookEvent>({ event, fields }: Occasion<E>): NamedTool {
  const field = matcherFields[event];
  const value = field && (fields as Readonly<Record<string, unknown>>)[field];
  if (typeof value !== 'string') return { name: '' };
  return { name: field === 'file_path' ? basename(value) : value };
}

// Security: each hook gets a copy, so that it can't change a call that was already checked. A value
// that can't be copied isn't data; the hook then fails.
function toInput<E extends HookEvent>(
  { event, fields, place }: Occasion<E>,
  { session, turn }: FirePorts,
): HookInput {
  const prompt_id = (place ?? turn())?.promptId;
  const level = session.effort();
  return {
    session_id: session.id,
    transcript_path: '',
    cwd: session.place.cwd,
    permission_mode: session.permissions.current().mode,
    ...(level && { effort: { level } }),
    ...(prompt_id !== undefined && { prompt_id }),
    ...(session.agent && { agent_id: session.agent.id, agent_type: session.agent.type }),
    hook_event_name: event,
    ...structuredClone(fields),
    // The cast: TypeScript can't prove that an event and its fields belong to one member of the
    // union.
  } as unknown as HookInput;
}

/**
 * Gives a failed hook that blocks the form of an answer. Security: a hook with an unreadable answer
 * may have meant to deny the event. So it blocks regardless of `onFailure`.
 */
function toAnswers(
  outcome: HookOutcome,
  event: HookEvent,
  hook: CompiledHook | undefined,
): HookAnswer[] {
  const block = (reason: string): HookAnswer[] => [
    { decision: 'block', reason, isSuppressed: false, specific: {} },
  ];
  switch (outcome.type) {
    case 'answered':
      return outcome.answer.background ? [] : [outcome.answer];
    case 'failed':
      if (!hook?.blocksOnFailure) return [];
      return block(`A hook that has to agree failed: ${outcome.message}.`);
    case 'misread':
      if (!canBlock.has(event)) return [];
      return block(`A hook's answer can't be understood: ${outcome.message}.`);
    case 'cancelled':
      return [];
  }
}

/** Shows the person hooks' messages, failures, and the reason for stopping the turn. */
function tellPerson<E extends HookEvent>(
  outcomes: readonly HookOutcome[],
  hooks: readonly CompiledHook[],
  { event, call, isDetached, place: own }: Occasion<E>,
  ports: FirePorts,
): void {
  const { emit } = ports;
  const place = own ?? ports.turn();
  const about = call && { tool_use_id: call.toolUse.id };
  const say = (content: string, level: 'info' | 'warning', stops = false) => {
    const details = { level, ...about, ...(stops && { prevent_continuation: true }) };
    emit(toInformationalMessage(createIds(ports), content, details));
  };
  outcomes.forEach((outcome, at) => {
    if (outcome.type === 'failed') {
      const effect = hooks[at]?.blocksOnFailure ? 'it has to agree, so it blocks' : 'it is ignored';
      say(`A ${event} hook failed (${outcome.message}); ${effect}.`, 'warning');
    }
    if (outcome.type === 'misread') {
      const effect = canBlock.has(event) ? 'so it blocks' : 'so it is ignored';
      say(
        `A ${event} hook's answer can't be understood (${outcome.message}), ${effect}.`,
        'warning',
      );
    }
    if (outcome.type !== 'answered') return;
    const { systemMessage, stop } = outcome.answer;
    if (systemMessage !== undefined) say(systemMessage, 'warning');
    if (stop === undefined || isDetached) return;
    say(stop || `A ${event} hook stopped ${place?.name ?? 'the turn'}.`, 'info', true);
    place?.stop(stop);
  });
}
