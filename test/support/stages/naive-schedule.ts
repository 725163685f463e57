// A slow model of the schedule, written from the sentences of docs/scheduling.md. It checks all calls for each
// decision, and stores only the events that it got. All of it is data, so that a test can visit every reachable
// state.
import type { CallEnd, CallKind, SchedulePolicy } from '../../../src/agent/calls/schedule.ts';

export interface NaiveCall {
  readonly kind: CallKind;
  phase: 'absent' | 'come' | 'understood' | 'allowed' | 'running' | 'skipped' | 'over';
  isCut: boolean;
  /** The call ended before it was known whether it is safe. */
  isInvalid: boolean;
}

export interface NaiveSchedule {
  readonly maxRunning: number;
  readonly policy: SchedulePolicy;
  readonly calls: NaiveCall[];
  isClosed: boolean;
  isStopped: boolean;
  isPrompted: boolean;
  wasRefused: boolean;
}

export type ScheduleEvent =
  | { readonly type: 'add' | 'classify' | 'allow'; readonly call: number }
  | { readonly type: 'settle'; readonly call: number; readonly end: CallEnd }
  | { readonly type: 'close' | 'stop' | 'prompt' };

export interface Answer {
  readonly cut: readonly number[];
  readonly start: readonly number[];
  readonly skip: readonly number[];
}

/** Applies an event, and returns what must follow. */
export function tellNaively(world: NaiveSchedule, event: ScheduleEvent): Answer {
  const cut = hear(world, event);
  for (const call of cut) at(world, call).isCut = true;
  const skip = indexes(world, (call) => call.phase === 'allowed' && neverStarts(world, call));
  for (const call of skip) at(world, call).phase = 'skipped';
  const start: number[] = [];
  for (const [index, call] of world.calls.entries()) {
    if (call.phase !== 'allowed' || !mayStart(world, index)) continue;
    call.phase = 'running';
    start.push(index);
  }
  return { cut, start, skip };
}

function hear(world: NaiveSchedule, event: ScheduleEvent): number[] {
  const running = (concerns: (call: NaiveCall) => boolean) =>
    indexes(world, (call) => call.phase === 'running' && !call.isCut && concerns(call));
  switch (event.type) {
    case 'add':
      at(world, event.call).phase = 'come';
      return [];
    case 'classify':
      at(world, event.call).phase = 'understood';
      return [];
    case 'allow':
      at(world, event.call).phase = 'allowed';
      return [];
    case 'close':
      world.isClosed = true;
      return [];
    case 'stop':
      world.isStopped = true;
      return [];
    case 'prompt': {
      // A prompt cuts the calls of tools with `interruptBehavior: 'cancel'`, and then nothing starts any more.
      const cut = running(({ kind }) => kind.isCutByPrompt);
      world.isPrompted = true;
      world.isStopped ||= cut.length > 0;
      return cut;
    }
    case 'settle': {
      const call = at(world, event.call);
      // A failing call of such a tool cuts those that run beside it; a cut call didn't fail.
      const cuts =
        event.end === 'failed' && call.phase === 'running' && !call.isCut && call.kind.cutsSiblings;
      call.isInvalid = call.phase === 'come';
      call.phase = 'over';
      if (event.end === 'refused' || event.end === 'cut') world.wasRefused = true;
      return cuts ? running(() => true) : [];
    }
  }
}

// Sema's policy: after any refusal or cut, later calls that aren't read-only are never asked about.
function neverStarts(world: NaiveSchedule, { kind }: NaiveCall): boolean {
  if (world.isStopped) return true;
  return world.policy === 'sema' && world.wasRefused && !kind.isReadOnly;
}

function mayStart(world: NaiveSchedule, index: number): boolean {
  const { calls, maxRunning, policy } = world;
  const { kind } = at(world, index);
  const running = calls.filter(({ phase }) => phase === 'running');
  const ofItsTool = running.filter((other) => other.kind.toolName === kind.toolName);
  if (running.length >= maxRunning || ofItsTool.length >= kind.maxRunning) return false;
  const openBefore = calls.slice(0, index).filter(({ phase }) => phase !== 'over');
  const isAlone = openBefore.length === 0 && running.length === 0;
  // Sema's policy: in parallel only when every call of the whole message is read-only.
  const areAllReadOnly =
    world.isClosed &&
    !calls.some(({ phase, isInvalid }) => phase === 'come' || isInvalid) &&
    calls.every((call) => call.kind.isReadOnly);
  if (policy === 'sema' && !areAllReadOnly) return isAlone;
  // A safe call starts when nothing but safe calls runs or waits before it; any other runs alone.
  const isKnownSafe = ({ phase, kind: { isConcurrencySafe } }: NaiveCall) =>
    isConcurrencySafe && phase !== 'come';
  const areSafe = [...openBefore, ...running].every(isKnownSafe);
  return kind.isConcurrencySafe ? areSafe : isAlone;
}

/** All events that may happen next. */
export function listEvents(world: NaiveSchedule): ScheduleEvent[] {
  const events: ScheduleEvent[] = [];
  const next = world.calls.findIndex(({ phase }) => phase === 'absent');
  if (next >= 0) events.push({ type: 'add', call: next });
  else if (!world.isClosed && world.policy === 'sema') events.push({ type: 'close' });
  for (const [call, { phase, isCut }] of world.calls.entries()) {
    const settle = (end: CallEnd) => events.push({ type: 'settle', call, end });
    if (phase === 'come') {
      events.push({ type: 'classify', call });
      settle('failed');
    }
    if (phase === 'understood') {
      events.push({ type: 'allow', call });
      settle('refused');
    }
    if (phase === 'skipped' || (phase === 'running' && isCut)) settle('cut');
    if (phase === 'running' && !isCut) {
      settle('done');
      settle('failed');
    }
  }
  if (!world.isStopped) events.push({ type: 'stop' });
  const heedsPrompt = world.calls.some(({ kind }) => kind.isCutByPrompt);
  if (!world.isPrompted && heedsPrompt) events.push({ type: 'prompt' });
  return events;
}

function indexes(world: NaiveSchedule, concerns: (call: NaiveCall) => boolean): number[] {
  return [...world.calls.keys()].filter((index) => concerns(at(world, index)));
}

function at({ calls }: NaiveSchedule, index: number): NaiveCall {
  const call = calls[index];
  if (!call) throw new Error(`The test has no call ${index}.`);
  return call;
}
