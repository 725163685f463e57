// Removes everything dangerous from the entries of an imported session: a file is untrusted. The
// messages are kept. Permissions don't apply, nothing runs, and the session is tainted.
import type { ToolUseBlock } from '../../core/messages/blocks.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { JournalRecord } from '../../core/session/journal.ts';
import { appState, modelState } from '../../core/session/session-states.ts';
import { cronKeys, pullRequestKeys, wakeupKey } from './trigger-keys.ts';
import { encodeRecord, packIfLarge } from './journal-codec.ts';
import type { EncodedRecord } from './journal-codec.ts';
import { worktreeState } from './worktree-state.ts';

/** The identity of the imported session. */
export interface ImportedSession {
  readonly id: string;
  readonly seed: string;
  readonly cwd: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/**
 * The entries as they may be recorded here, without a gap, and those that make the session one of ours.
 *
 * Kinds that would act keep their number as `{ type: 'dropped', kind }`. These are rules, modes and answers; the work
 * tree, the chosen model and the app state; checkpoints, tasks, and sub-agents with all of theirs. Calls are dropped
 * because one that didn't end would run again. No sandbox of ours has made the sandbox's state, and the versions of
 * what was read are another workspace's. Prompts that no turn has taken up, and what would begin turns later, are
 * dropped, too. What was paid elsewhere counts for nothing. Calls without results get one that says so, and an open
 * turn is ended.
 */
export function toImportedEntries(
  entries: readonly EncodedRecord[],
  { id, seed, cwd, version, time }: ImportedSession,
): EncodedRecord[] {
  const takers = [...fieldsOf(entries, 'turn'), ...fieldsOf(entries, 'joined')];
  const taken = new Set(takers.map(({ prompt }) => prompt));
  const kept = entries.map((entry, index) => toHarmless(entry, index + 1, taken));
  const forkedFrom = toOrigin(entries);
  const first: JournalRecord = {
    type: 'session',
    format: 1,
    id,
    seed,
    cwd,
    version,
    ...(forkedFrom && { forkedFrom }),
  };
  const last: readonly JournalRecord[] = [
    ...listMissingResults(entries),
    ...(hasOpenTurn(entries) ? [endedTurn] : []),
    { type: 'permissions', updates: [], taintedBy: 'import' },
  ];
  const whole = [first, ...kept.slice(1), ...last];
  return whole.map((record, index) =>
    isEncoded(record)
      ? packIfLarge({ ...record, value: { ...(record.value as object), n: index + 1 } })
      : encodeRecord({ ...record, n: index + 1, time }),
  );
}

const endedTurn: JournalRecord = {
  type: 'result',
  message: {
    subtype: 'error_during_execution',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: { input_tokens: 0, output_tokens: 0 },
    modelUsage: {},
    permission_denials: [],
    errors: ['The session was imported; what was open in it was ended.'],
    terminal_reason: 'imported',
  },
};

// The states of pages of servers, and of what such pages send to the model.
const appKeys = 'mcp-app';

/** States with these key prefixes would have effects here. */
const droppedKeys: readonly string[] = [appKeys, cronKeys, pullRequestKeys, wakeupKey];

/**
 * States that apply only where they were recorded: a work tree's files don't exist here. Security:
 * an untrusted file must not choose a model that is paid here, nor replace states of the host's
 * tools.
 */
const droppedStates: ReadonlySet<string> = new Set([worktreeState, modelState, appState]);

/** Kinds whose fields have no effects. */
const harmless: ReadonlySet<unknown> = new Set([
  'prompt',
  'joined',
  'context',
  'request',
  'reply',
  'results',
  'state',
  'usage',
  'compacted',
  'cleared',
  'snipped',
  'rewound',
  'result',
  'meta',
]);

function toHarmless(entry: EncodedRecord, n: number, taken: ReadonlySet<unknown>): EncodedRecord {
  const value = isRecord(entry.value) ? entry.value : {};
  const { type, agent, ...rest } = value;
  const time = typeof rest.time === 'number' ? rest.time : 0;
  if (agent !== undefined) return dropped(type, n, time);
  if (type === 'prompt' && !taken.has(rest.uuid)) return dropped(type, n, time);
  if (type === 'turn') {
    const { checkpoint: _, ...turn } = value;
    return { ...entry, value: turn };
  }
  if (type === 'settled') {
    // The contents of `vm` would have no reader: they are left out with it, and all others are made
    // again. Security: the page in `mcpMeta` is a stranger's, and would be shown as that of a
    // server of ours.
    const { vm: _, kept: __, ports: ___, mcpMeta: ____, ...settled } = value;
    return { ...entry, value: { ...settled, reads: [] } };
  }
  const key = String(rest.key);
  const acts = droppedStates.has(key) || droppedKeys.some((keys) => key.startsWith(keys));
  if (type === 'state' && acts) return dropped(type, n, time);
  // Security: earlier costs would count for the user's budget, and a negative cost would raise it.
  if (type === 'usage') return { ...entry, value: { ...value, usd: 0 } };
  if (type === 'rewound') return { ...entry, value: { type, to: rest.to, n, time } };
  return harmless.has(type) ? entry : dropped(type, n, time);
}

function fieldsOf(entries: readonly EncodedRecord[], type: string): Record<string, unknown>[] {
  return entries.flatMap(({ value }) => (isRecord(value) && value.type === type ? [value] : []));
}

/** A result that puts a call off leaves its turn open. */
function hasOpenTurn(whole: readonly EncodedRecord[]): boolean {
  let isOpen = false;
  for (const { value } of listPath(whole)) {
    if (!isRecord(value)) continue;
    if (value.type === 'turn') isOpen = true;
    if (value.type !== 'result') continue;
    const message = isRecord(value.message) ? value.message : {};
    if (message.deferred_tool_use === undefined) isOpen = false;
  }
  return isOpen;
}

/** The API accepts no call without a result. Calls that a rewind has reverted need none. */
function listMissingResults(whole: readonly EncodedRecord[]): JournalRecord[] {
  const entries = listPath(whole);
  const reply = fieldsOf(entries, 'reply').at(-1);
  const step = Number(reply?.step);
  if (!reply || fieldsOf(entries, 'results').some((results) => results.step === step)) return [];
  const content = isRecord(reply.message) ? reply.message.content : undefined;
  const uses = (Array.isArray(content) ? content : []).filter(
    (block): block is ToolUseBlock => isRecord(block) && block.type === 'tool_use',
  );
  if (uses.length === 0 || reply.end === 'void') return [];
  const results = uses.map(({ id: tool_use_id }) => ({
    type: 'tool_result' as const,
    tool_use_id,
    content: 'The session was imported before this call had a result. It may have run elsewhere.',
    is_error: true,
  }));
  return [{ type: 'results', step, message: { role: 'user', content: results } }];
}

/** The main agent's entries that count at the end: a rewind removes those after its target. */
function listPath(entries: readonly EncodedRecord[]): EncodedRecord[] {
  const path: EncodedRecord[] = [];
  for (let n = entries.length; n > 0;) {
    const entry = entries[n - 1];
    if (!entry) break;
    path.push(entry);
    const to = isRecord(entry.value) && entry.value.type === 'rewound' ? Number(entry.value.to) : n;
    n = to < n ? to : n - 1;
  }
  return path.reverse().filter(({ value }) => isRecord(value) && value.agent === undefined);
}

function dropped(kind: unknown, n: number, time: number): EncodedRecord {
  return { value: { type: 'dropped', kind: String(kind), n, time }, contents: [] };
}

function toOrigin(entries: readonly EncodedRecord[]): { id: string; n: number } | undefined {
  const first = entries[0]?.value;
  const id = isRecord(first) ? first.id : undefined;
  return typeof id === 'string' ? { id, n: entries.length } : undefined;
}

function isEncoded(record: EncodedRecord | JournalRecord): record is EncodedRecord {
  return 'value' in record && 'contents' in record;
}
