// Every order in which calls may come, be understood, allowed, refused, end, fail, be cut and stopped,
// against a naive model. Each state of the model is visited once, and each way out of it is taken.
import { describe, expect, it } from 'vitest';
import { createSchedule } from '../../../src/agent/calls/schedule.ts';
import type { CallKind, Schedule, SchedulePolicy } from '../../../src/agent/calls/schedule.ts';
import { listEvents, tellNaively } from '../../support/stages/naive-schedule.ts';
import type { Answer, NaiveSchedule, ScheduleEvent } from '../../support/stages/naive-schedule.ts';

const kindOf = (toolName: string, changes: Partial<CallKind>): CallKind => ({
  toolName,
  isReadOnly: true,
  isConcurrencySafe: true,
  maxRunning: Infinity,
  cutsSiblings: false,
  isCutByPrompt: false,
  ...changes,
});

/** By a letter each, so that a message of calls is a word. */
const kinds: Readonly<Record<string, CallKind>> = {
  /** Reads, beside others. */
  r: kindOf('Read', {}),
  /** Writes, alone. */
  w: kindOf('Write', { isReadOnly: false, isConcurrencySafe: false }),
  /** A cell that reads: its failure cuts its siblings. */
  c: kindOf('Cell', { cutsSiblings: true }),
  /** One at a time. */
  o: kindOf('Only', { maxRunning: 1 }),
  /** Cut by what the user says. */
  s: kindOf('Sleep', { isCutByPrompt: true }),
  /** Reads, but alone. */
  a: kindOf('Alone', { isConcurrencySafe: false }),
};

function toKind(letter: string): CallKind {
  const kind = kinds[letter];
  if (!kind) throw new Error(`No kind ${letter}.`);
  return kind;
}

function tell(schedule: Schedule, event: ScheduleEvent, word: string): Answer {
  let cut: readonly number[] = [];
  if (event.type === 'add') schedule.add(event.call);
  else if (event.type === 'classify') {
    schedule.classify(event.call, toKind(word[event.call] as string));
  } else if (event.type === 'allow') schedule.allow(event.call);
  else if (event.type === 'settle') cut = schedule.settle(event.call, event.end);
  else if (event.type === 'prompt') cut = schedule.hearPrompt();
  else schedule[event.type]();
  return { cut, ...schedule.decide() };
}

const keyOf = ({ calls, ...rest }: NaiveSchedule) =>
  calls
    .map(({ phase, ...was }) => phase.slice(-3) + Number(was.isCut) + Number(was.isInvalid))
    .join() +
  [rest.isClosed, rest.isStopped, rest.isPrompted, rest.wasRefused].map(Number).join('');

/** What happens by itself, so that a longer word has no more states than can be walked through. */
type Shortcut = (event: ScheduleEvent, world: NaiveSchedule) => readonly ScheduleEvent[];

const none: Shortcut = () => [];
/** Understood and allowed with its coming; what is skipped or cut ends at once. */
const atOnce: Shortcut = (event) =>
  event.type === 'add'
    ? [
        { type: 'classify', call: event.call },
        { type: 'allow', call: event.call },
      ]
    : [];

/** Walks through all states of the word; gives how many there are. */
function walk(
  word: string,
  maxRunning: number,
  policy: SchedulePolicy,
  shortcut: Shortcut,
): number {
  const first: NaiveSchedule = {
    maxRunning,
    policy,
    calls: [...word].map((letter) => ({
      kind: toKind(letter),
      phase: 'absent',
      isCut: false,
      isInvalid: false,
    })),
    isClosed: false,
    isStopped: false,
    isPrompted: false,
    wasRefused: false,
  };
  const open: { readonly world: NaiveSchedule; readonly path: readonly ScheduleEvent[] }[] = [
    { world: first, path: [] },
  ];
  const seen = new Set([keyOf(first)]);
  for (let state = open.pop(); state; state = open.pop()) {
    const events = listEvents(state.world);
    // Whatever happened, each call comes to its end: something outside can always go on.
    if (events.every(({ type }) => type === 'stop' || type === 'prompt')) {
      const isOver = state.world.calls.every(({ phase }) => phase === 'over');
      if (!isOver) throw new Error(`${word}: stuck after ${JSON.stringify(state.path)}`);
    }
    for (const event of events) {
      const world = {
        ...state.world,
        calls: state.world.calls.map((call) => ({ ...call })),
      };
      const schedule = createSchedule(maxRunning, policy);
      for (const earlier of state.path) tell(schedule, earlier, word);
      const path = [...state.path];
      for (const told of [event, ...shortcut(event, world)]) {
        path.push(told);
        const answer = JSON.stringify(tell(schedule, told, word));
        const { cut, start, skip } = tellNaively(world, told);
        const expected = JSON.stringify({ cut, skip, start });
        if (answer !== expected) {
          throw new Error(
            `${word}, ${maxRunning} at once, ${policy}: ${answer} and not ${expected} after ${JSON.stringify(path)}`,
          );
        }
      }
      const key = keyOf(world);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push({ world, path });
    }
  }
  return seen.size;
}

function words(letters: string, length: number): string[] {
  if (length === 0) return [''];
  return words(letters, length - 1).flatMap((word) => [...letters].map((letter) => word + letter));
}

describe('the schedule is what the naive model says, in every state', () => {
  it.each([
    // Every order of coming, starting, ending, failing, being cut and stopped.
    ['default', 'rwc', 5, 10, atOnce],
    ['default', 'rc', 5, 2, atOnce],
    ['default', 'wo', 5, 3, atOnce],
    ['default', 'ws', 5, 2, atOnce],
    ['sema', 'rw', 5, 10, atOnce],
    ['sema', 'ra', 5, 2, atOnce],
    // And of being understood, allowed and refused.
    ['default', 'rwc', 3, 2, none],
    ['default', 'os', 3, 2, none],
    ['sema', 'rwa', 3, 2, none],
  ] as const)(
    'with the %s policy, calls of %s, up to %i of them, %i at once',
    (policy, letters, length, maxRunning, shortcut) => {
      let states = 0;
      for (let count = 1; count <= length; count += 1) {
        for (const word of words(letters, count)) {
          states += walk(word, maxRunning, policy, shortcut);
        }
      }
      // So that a walk which goes nowhere is no proof.
      expect(states).toBeGreaterThan(1_000);
    },
  );
});
