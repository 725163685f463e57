// The guest's report about its cell, read by the host.
import { parseJson } from '../../core/text/parse-json.ts';

/**
 * The report of the guest's cell runtime. Security: the guest controls it, so every field is
 * validated.
 */
export interface GuestState {
  readonly outcome: GuestOutcome | undefined;
  readonly nextTimer: number;
  readonly pendingTimers: number;
  /** True while tests run: they fail by rejections that nobody handles. */
  readonly takesRejections: boolean;
  readonly testFailures: number;
  /** The value of the guest's `process.exitCode`. */
  readonly exitCode: number;
}

export type SettledState = GuestState & { readonly outcome: GuestOutcome };

export interface GuestOutcome {
  readonly ok: boolean;
  readonly display: string | undefined;
  /** JSON text of the outcome's value. */
  readonly value: unknown;
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

export function isSettled(state: GuestState): state is SettledState {
  return state.outcome !== undefined;
}

export function readState(value: unknown): GuestState {
  const state = toRecord(typeof value === 'string' ? (JSON.parse(value) as unknown) : undefined);
  const number = (key: string, fallback: number) =>
    typeof state[key] === 'number' ? state[key] : fallback;
  return {
    outcome: state['outcome'] === undefined ? undefined : readOutcome(toRecord(state['outcome'])),
    nextTimer: number('nextTimer', -1),
    pendingTimers: number('pendingTimers', 0),
    takesRejections: state['takesRejections'] === true,
    testFailures: number('testFailures', 0),
    exitCode: number('exitCode', 0),
  };
}

/** Leaves out names that are too long to show. */
export function readKeptNames(value: unknown): readonly string[] {
  const names: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
  if (!Array.isArray(names)) return [];
  return names.filter((name) => typeof name === 'string').filter(({ length }) => length <= 100);
}

/** Ports at which a server can listen; as with names, no more than 1 000. */
export function readOpenPorts(value: unknown): readonly number[] {
  const ports: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
  if (!Array.isArray(ports)) return [];
  const isPort = (port: number) => Number.isInteger(port) && port > 0 && port <= 65_535;
  return ports.map(Number).filter(isPort).slice(0, 1000);
}

function readOutcome(outcome: Readonly<Record<string, unknown>>): GuestOutcome {
  const text = (key: string) => (typeof outcome[key] === 'string' ? outcome[key] : '');
  return {
    ok: outcome['ok'] === true,
    display: typeof outcome['display'] === 'string' ? outcome['display'] : undefined,
    value: typeof outcome['value'] === 'string' ? parseJson(outcome['value']) : undefined,
    name: text('name'),
    message: text('message'),
    stack: text('stack'),
  };
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
