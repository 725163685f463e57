// A random history of agents on branches and on `main`, and of a person who types: whole queries over a real inline
// host. A file has slots far apart, and each edit writes its author into its slot. So the final files show what
// happened to every edit.
import { readBranch } from '../../../src/agent/agents/agent-branch.ts';
import type { Host } from '../../../src/agent/host.ts';
import { loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import { query } from '../../../src/agent/query.ts';
import { isTextBlock, isToolResultBlock, toResultText } from '../../../src/core/messages/blocks.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { SdkError } from '../../../src/core/errors.ts';
import type { MessageParam } from '../../../src/core/messages/messages.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../models/model-streams.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { readAll } from './run-hooked.ts';

const fileCount = 2;
const slotCount = 3;
const initial = 'initial';

/** An edit of one slot, and the value that its author saw before. */
interface SlotEdit {
  readonly path: string;
  readonly slot: number;
  readonly from: string;
  readonly to: string;
}

interface PlannedEdit {
  readonly path: string;
  readonly slot: number;
}

/** How a history has ended. */
export interface BranchHistory {
  /** The differences between `main` and a naive model. Empty: none. */
  readonly faults: readonly string[];
  readonly merged: number;
  readonly left: number;
  readonly retried: number;
}

const toPath = (file: number) => `/workspace/f${file}.txt`;
const toLine = (slot: number, value: string) => `slot ${slot}: ${value}`;

function toText(values: readonly string[]): string {
  // There are lines in between, so that edits of two slots never touch.
  return values.map((value, slot) => `${toLine(slot, value)}\n${'.\n'.repeat(6)}`).join('');
}

function readSlots(text: string): string[] {
  return [...text.matchAll(/slot \d+: (.*)/gu)].map(([, value = '']) => value);
}

/** One agent, its plan, and what it did. */
class Scribe {
  readonly landed: SlotEdit[] = [];
  readonly name: string;
  readonly isIsolated: boolean;
  #plan: readonly PlannedEdit[];
  #done = 0;
  #open: SlotEdit | undefined;
  #count = 0;
  #slots: string[] = [];
  #isReading = true;
  #hasRetried = false;

  constructor(name: string, isIsolated: boolean, plan: readonly PlannedEdit[]) {
    this.name = name;
    this.isIsolated = isIsolated;
    this.#plan = plan;
  }

  /** The agent's next reply, after this message. */
  answer(last: MessageParam | undefined): ContentBlock {
    this.#hear(last);
    const edit = this.#plan[this.#done];
    if (!edit) return { type: 'text', text: `${this.name} is done.` };
    const id = `${this.name}-${(this.#count += 1)}`;
    const { path, slot } = edit;
    if (this.#isReading) {
      return { type: 'tool_use', id, name: 'Read', input: { file_path: path } };
    }
    const from = this.#slots[slot] ?? '';
    this.#open = { path, slot, from, to: id };
    const input = {
      file_path: path,
      old_string: toLine(slot, from),
      new_string: toLine(slot, id),
    };
    return { type: 'tool_use', id, name: 'Edit', input };
  }

  #hear(last: MessageParam | undefined): void {
    const blocks = typeof last?.content === 'string' ? [] : (last?.content ?? []);
    const result = blocks.flatMap((block) => (isToolResultBlock(block) ? [block] : []))[0];
    if (!result) return this.#hearPrompt(last);
    if (this.#open) {
      // A refused edit was too late, and isn't a lost edit.
      if (result.is_error !== true) this.landed.push(this.#open);
      this.#open = undefined;
      this.#done += 1;
      this.#isReading = true;
    } else {
      this.#slots = readSlots(toResultText(result));
      this.#isReading = false;
    }
  }

  /** After a conflict the files have the others' values, so the lost edits are made again. */
  #hearPrompt(last: MessageParam | undefined): void {
    const text = typeof last?.content === 'string' ? last.content : '';
    const [, named] = /^Nothing of your work is merged yet: (.*?) had been/u.exec(text) ?? [];
    if (named === undefined || this.#hasRetried) return;
    this.#hasRetried = true;
    const paths = named.split(', ');
    const again = this.landed.filter(({ path }) => paths.includes(path));
    for (const edit of again) this.landed.splice(this.landed.indexOf(edit), 1);
    this.#plan = again;
    this.#done = 0;
    this.#isReading = true;
  }
}

/** Plays the history of this seed to its end, and judges it. */
export async function playBranchHistory(seed: number): Promise<BranchHistory> {
  const random = createRandom(seed);
  await using host = await createInlineHost({});
  const { fs } = host.workspace;
  const files = Array.from({ length: fileCount }, (_, file) => toPath(file));
  const unedited = toText(Array.from({ length: slotCount }, () => initial));
  for (const path of files) await fs.writeFile(path, unedited);
  const scribes = Array.from({ length: 4 }, (_, at) => {
    const plan = Array.from({ length: 1 + random.below(3) }, () => planEdit(random));
    return new Scribe(`agent-${at}`, at < 2 || random.chance(0.5), plan);
  });
  const typed: SlotEdit[] = [];
  let typing = 0;
  const type = async () => {
    typing += 1;
    typed.push(await typeSlot(host, planEdit(random), `person-${typing}`));
  };
  const sessionId = `history-${seed}`;
  await readAll(
    query({
      prompt: 'Go.',
      options: {
        host,
        sessionId,
        toolSearch: false,
        tools: ['Agent', 'Read', 'Edit'],
        model: createModel(scribes, random, type),
        canUseTool: async () => {
          if (random.chance(0.2)) await type();
          if (random.chance(0.1)) return { behavior: 'deny', message: 'No.' };
          return { behavior: 'allow' };
        },
      },
    }),
  );
  const fold = await loadJournal(host.workspace, sessionId);
  const agents = [...fold.agents.values()];
  const reports = agents.map((agent) => ({
    scribe: scribes.find(({ name }) => name === agent.record.name),
    branch: readBranch(agent),
  }));
  const isLost = ({ branch }: (typeof reports)[number]) =>
    branch?.report?.worktreeBranch !== undefined;
  const edits = [
    ...typed,
    ...reports.filter((one) => !isLost(one)).flatMap(({ scribe }) => scribe?.landed ?? []),
  ];
  const branches = await host.workspace.roots.list({ kind: 'branch' });
  const left = reports.filter(isLost).map(({ branch }) => branch?.root);
  const faults = [
    ...(agents.length === 4 ? [] : [`${agents.length} agents were begun`]),
    ...(branches
      .map(({ id }) => id)
      .toSorted()
      .join() === left.toSorted().join()
      ? []
      : ['another branch is left, or one is missing']),
  ];
  for (const path of files) {
    const text = await fs.readFile(path, 'utf8');
    readSlots(text).forEach((value, slot) => {
      const own = edits.filter((edit) => edit.path === path && edit.slot === slot);
      const fault = findFork(own, value);
      if (fault !== undefined) faults.push(`${path}, slot ${slot}: ${fault}`);
    });
  }
  const ended = reports.flatMap(({ branch }) => branch?.report ?? []);
  return {
    faults,
    merged: ended.filter(({ mergeNote = '' }) => mergeNote.includes('were merged')).length,
    left: left.length,
    retried: agents.filter((agent) =>
      agent.fold.messages.some(({ content }) => String(content).startsWith('Nothing of your')),
    ).length,
  };
}

function planEdit(random: Random): PlannedEdit {
  return { path: toPath(random.below(fileCount)), slot: random.below(slotCount) };
}

/**
 * The naive model of merges: a slot changes from one value to the next, and each edit knew the
 * value before. Undefined: all edits form one chain that ends with `value`, so no edit has undone
 * another.
 */
function findFork(edits: readonly SlotEdit[], value: string): string | undefined {
  let current = initial;
  const left = new Set(edits);
  for (;;) {
    const next = [...left].filter(({ from }) => from === current);
    const [edit] = next;
    if (!edit) break;
    if (next.length > 1) return `${next.map(({ to }) => to).join(' and ')} both replace ${current}`;
    left.delete(edit);
    current = edit.to;
  }
  if (left.size > 0) return `${[...left].map(({ to }) => to).join()} is in no line to ${current}`;
  return current === value ? undefined : `it is ${value}, and should be ${current}`;
}

/** Somebody saves a file, with a version: an editor that has an older one reads it again. */
async function typeSlot(
  { workspace }: Host,
  { path, slot }: PlannedEdit,
  to: string,
): Promise<SlotEdit> {
  for (;;) {
    const [state] = await workspace.lookUp([path]);
    const values = readSlots(await workspace.fs.readFile(path, 'utf8'));
    const from = values[slot] ?? '';
    const content = new TextEncoder().encode(toText(values.with(slot, to)));
    const baseVersion = state?.version ?? 0;
    const written = { type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 0 } as const;
    const changeSet = { baseSeq: workspace.seq(), changes: [written] };
    try {
      await workspace.commit(changeSet, { author: { kind: 'user' } });
      return { path, slot, from, to };
    } catch (error) {
      if (!SdkError.isInstance(error) || error.code !== 'ECONFLICT') throw error;
    }
  }
}

function createModel(scribes: readonly Scribe[], random: Random, type: () => Promise<void>): Model {
  return {
    name: 'claude-test',
    apiKeySource: 'none',
    async *stream({ messages }) {
      const scribe = scribes.find(({ name }) => messages.some((one) => isTaskOf(one, name)));
      for (let waits = random.below(40); waits > 0; waits -= 1) await Promise.resolve();
      if (scribe && random.chance(0.25)) await type();
      const isFirst = !scribe && messages.every(({ role }) => role === 'user');
      const said: readonly ContentBlock[] = scribe
        ? [scribe.answer(messages.at(-1))]
        : isFirst
          ? scribes.map(toAgentCall)
          : [{ type: 'text', text: 'I wait.' }];
      const stop_reason = said[0]?.type === 'tool_use' ? 'tool_use' : 'end_turn';
      yield* toEvents(assistantMessage(said, { stop_reason }));
    },
  };
}

function isTaskOf({ role, content }: MessageParam, name: string): boolean {
  if (role !== 'user') return false;
  const text = typeof content === 'string' ? content : content.filter(isTextBlock)[0]?.text;
  return text !== undefined && (text === `Task of ${name}` || text.endsWith(`\n\nTask of ${name}`));
}

function toAgentCall({ name, isIsolated }: Scribe): ContentBlock {
  const input = {
    name,
    description: `What ${name} does`,
    prompt: `Task of ${name}`,
    ...(isIsolated && { isolation: 'worktree' }),
  };
  return { type: 'tool_use', id: `call-${name}`, name: 'Agent', input };
}
