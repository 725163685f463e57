// The part of an agent's state that a rewind reverts: conversation, read versions, tool states, sandbox and the open
// turn. fold.ts applies the entries of the agent's journal to it.
import { isToolResultBlock, isToolUseBlock, textOf } from '../../core/messages/blocks.ts';
import type { ToolUseBlock, UserBlock } from '../../core/messages/blocks.ts';
import type { Version } from '../../core/change-set.ts';
import type { KeptState } from '../../core/session/state-change.ts';
import type {
  BlockRecord,
  ClearedRecord,
  CompactedRecord,
  JournalEntry,
  PromptRecord,
  ReplyRecord,
  RequestRecord,
  SettledRecord,
  SnippedRecord,
  StateRecord,
  TurnRecord,
  VmChange,
} from '../../core/session/journal.ts';
import type { MessageParam } from '../../core/messages/messages.ts';
import { closeServerCalls, toKeptContent } from '../messages/kept-content.ts';
import { worktreeState } from './worktree-state.ts';

/** The newest request and the reply so far. */
export interface FoldedRequest {
  readonly request: RequestRecord & JournalEntry;
  /** The complete blocks of its reply, by their index. */
  readonly blocks: Map<number, BlockRecord>;
  reply?: ReplyRecord | undefined;
  /** The uuids of void replies that this reply replaces. */
  readonly supersedes: string[];
  /** The calls of the reply. */
  uses: readonly ToolUseBlock[];
  /** How many of the reply's calls have a result that viewers know: always the first ones. */
  told: number;
  /** The results that viewers get with the newest entry, in the order of the blocks. */
  telling: readonly SettledRecord[];
  /** The conversation contains its results. */
  hasResults: boolean;
  /** A Stop hook has sent the model back to work after it. */
  isSentBack?: true;
}

/** A turn without a result. */
export interface FoldedTurn {
  readonly n: number;
  readonly turn: TurnRecord;
  readonly prompt: PromptRecord | undefined;
  /** The number of requests with a kept reply. */
  steps: number;
  /** How often a Stop hook has sent the model back to work. */
  sentBack: number;
  /** A person has stopped it. */
  isStopped?: true;
  /**
   * A hook has deferred one of its calls, so it has a result but isn't over. It continues when the
   * session is opened again or a prompt comes.
   */
  isPutOff?: true;
  newest?: FoldedRequest;
  /** The prompts that have joined it, each with the number of that entry, oldest first. */
  readonly joined: {
    readonly n: number;
    readonly prompt: PromptRecord;
    readonly isBlocked: boolean;
  }[];
}

/** The part of the state that a rewind reverts. */
export interface Branch {
  messages: MessageParam[];
  /** For each message, the number of its entry; 0 for a summary. */
  sources: number[];
  prompts: string[];
  /** The removed parts, by the calls that have removed them. */
  readonly snips: Map<string, SnippedRecord>;
  /**
   * The entry at which the first change since the newest request is. Earlier messages were sent,
   * and the server may have them cached.
   */
  cutAt: number | undefined;
  readonly reads: Map<string, Version>;
  readonly states: FoldedStates;
  readonly reminders: Map<string, string>;
  readonly vm: Map<string, VmChange[]>;
  readonly kept: Map<string, KeptState>;
  /** The state of the agent's work tree as it was at the newest request. */
  workplace: unknown;
  turn: FoldedTurn | undefined;
}

/** The states of features, by key. */
export class FoldedStates extends Map<string, unknown> {
  /**
   * Why the newest value of a key can't be read. The key has no value then, not even an older one.
   */
  readonly lost = new Map<string, string>();

  take({ key, value, lost }: StateRecord): void {
    if (lost === undefined) {
      this.set(key, value);
      this.lost.delete(key);
    } else {
      this.delete(key);
      this.lost.set(key, lost);
    }
  }
}

/** The start of every conversation. */
export function emptyBranch(): Branch {
  return {
    messages: [],
    sources: [],
    prompts: [],
    snips: new Map(),
    cutAt: undefined,
    reads: new Map(),
    states: new FoldedStates(),
    reminders: new Map(),
    vm: new Map(),
    kept: new Map(),
    workplace: undefined,
    turn: undefined,
  };
}

/** Applies the entry. `prompt`: the prompt that a turn takes up, or that joins it. */
export function applyToBranch(
  branch: Branch,
  entry: JournalEntry,
  prompt: PromptRecord | undefined,
): void {
  const append = (...messages: readonly MessageParam[]) => {
    // After our results a server may still add its own, and the model may continue by itself.
    const goesOn = entry.type === 'results' || entry.type === 'reply';
    if (messages.length > 0 && !goesOn) endServerCalls(branch);
    for (const message of messages) {
      branch.messages.push(message);
      branch.sources.push(entry.n);
    }
  };
  const newest = branch.turn?.newest;
  switch (entry.type) {
    case 'turn':
      branch.workplace = branch.states.get(worktreeState);
      branch.turn = { n: entry.n, turn: entry, prompt, steps: 0, sentBack: 0, joined: [] };
      if (!prompt || entry.isBlocked) break;
      append(entry.message ?? prompt.message);
      if (!prompt.origin) branch.prompts.push(textOf(prompt.message.content, '\n'));
      break;
    case 'joined':
      if (!prompt || !branch.turn) break;
      branch.turn.joined.push({ n: entry.n, prompt, isBlocked: entry.blocked !== undefined });
      if (entry.blocked !== undefined) break;
      append(prompt.message);
      branch.prompts.push(textOf(prompt.message.content, '\n'));
      break;
    case 'opened':
      delete branch.turn?.isPutOff;
      break;
    case 'stopped':
      if (branch.turn) branch.turn.isStopped = true;
      break;
    case 'context':
      if (branch.turn && entry.source === 'sent-back') {
        branch.turn.sentBack += 1;
        if (newest) newest.isSentBack = true;
      }
      append(...entry.messages);
      break;
    case 'request':
      branch.cutAt = undefined;
      branch.workplace = branch.states.get(worktreeState);
      if (!branch.turn) break;
      branch.turn.newest = {
        request: entry,
        blocks: new Map(),
        uses: [],
        told: 0,
        telling: [],
        supersedes:
          newest?.reply?.end === 'void'
            ? [...newest.supersedes, ...toSuperseded(newest.reply)]
            : [],
        hasResults: false,
      };
      break;
    case 'block':
      if (newest?.request.step !== entry.step) break;
      beginAnew(newest);
      newest.blocks.set(entry.index, entry);
      break;
    case 'reply': {
      if (newest?.request.step === entry.step) {
        beginAnew(newest);
        newest.reply = entry;
        newest.uses = entry.message.content.filter(isToolUseBlock);
      }
      if (entry.end === 'void') break;
      if (branch.turn) branch.turn.steps += 1;
      // The API accepts no message without content.
      const content = toKeptContent(entry.message, entry.end === 'whole');
      if (content.length > 0) append({ role: 'assistant', content });
      break;
    }
    case 'settled':
      learn(branch, entry.reads);
      for (const path of entry.writes ?? []) {
        // Without a version the model has to read the file again.
        if (entry.seq === undefined) branch.reads.delete(path);
        else branch.reads.set(path, entry.seq);
      }
      if (entry.kept) branch.kept.set(entry.tool, { names: entry.kept, ports: entry.ports ?? [] });
      if (entry.vm) {
        const { tool, form } = entry.vm;
        const before = form === 'whole' ? [] : (branch.vm.get(tool) ?? []);
        branch.vm.set(tool, [...before, entry.vm]);
      }
      break;
    case 'results':
      if (newest?.request.step === entry.step) newest.hasResults = true;
      learn(branch, entry.reads ?? []);
      append(entry.message);
      break;
    case 'state':
      branch.states.take(entry);
      if (entry.reminder === undefined) branch.reminders.delete(entry.key);
      else branch.reminders.set(entry.key, entry.reminder);
      break;
    case 'compacted':
      compact(branch, entry);
      break;
    case 'cleared':
      branch.messages = clear(branch, entry);
      break;
    case 'snipped':
      snip(branch, entry);
      break;
    case 'move-in':
      // The versions before it belong to another workspace.
      branch.reads.clear();
      learn(branch, entry.reads);
      for (const path of entry.writes)
        if (entry.seq !== undefined) branch.reads.set(path, entry.seq);
      break;
    case 'result':
      branch.workplace = branch.states.get(worktreeState);
      // Its call has no result yet.
      if (branch.turn && newest?.hasResults === false && entry.message['deferred_tool_use']) {
        branch.turn.isPutOff = true;
      } else branch.turn = undefined;
      break;
    default:
  }
}

function learn({ reads }: Branch, changes: SettledRecord['reads']): void {
  for (const [path, version] of changes) {
    if (version > 0) reads.set(path, version);
    else reads.delete(path);
  }
}

/** Calls whose work is kept are still shown. */
function toSuperseded({ uuid, message }: ReplyRecord): string[] {
  return message.content.some(isToolUseBlock) ? [] : [uuid];
}

/** The server has started its reply again: the earlier blocks are void. */
function beginAnew(newest: FoldedRequest): void {
  if (!newest.reply) return;
  newest.supersedes.push(...toSuperseded(newest.reply));
  newest.reply = undefined;
  newest.uses = [];
  newest.told = 0;
  newest.blocks.clear();
}

/** The server can't continue its calls any more, because something else follows. */
function endServerCalls({ messages, sources }: Branch): void {
  const start = messages.findLastIndex(({ role }) => role !== 'assistant') + 1;
  const replies = messages.slice(start);
  const closed = closeServerCalls(replies);
  if (closed === replies) return;
  const from = sources.slice(start);
  messages.splice(start);
  sources.splice(start);
  closed.forEach((message, at) => {
    if (!message) return;
    messages.push(message);
    sources.push(from[at] ?? 0);
  });
}

function compact(branch: Branch, { keepFrom, summary }: CompactedRecord): void {
  const first = branch.sources.findIndex((source) => source >= keepFrom);
  const from = first === -1 ? branch.sources.length : first;
  branch.messages = [...summary, ...branch.messages.slice(from)];
  branch.sources = [...summary.map(() => 0), ...branch.sources.slice(from)];
}

function clear({ messages, sources }: Branch, { calls }: ClearedRecord): MessageParam[] {
  return messages.map((message, at) => {
    if (message.role !== 'user' || typeof message.content === 'string') return message;
    const texts = new Map(
      calls.flatMap(({ id, text, source }) =>
        source === undefined || source === sources[at] ? [[id, text] as const] : [],
      ),
    );
    const isHere = (block: UserBlock) => isToolResultBlock(block) && texts.has(block.tool_use_id);
    if (!message.content.some(isHere)) return message;
    const content = message.content.map((block): UserBlock => {
      const text = isToolResultBlock(block) ? texts.get(block.tool_use_id) : undefined;
      return text === undefined ? block : { ...block, content: text };
    });
    return { role: 'user', content };
  });
}

/** The message at which the first change since the newest request is. */
export function findCut({ cutAt, sources }: Branch): number | undefined {
  const at = cutAt === undefined ? -1 : sources.indexOf(cutAt);
  return at === -1 ? undefined : at;
}

/** Messages between the removed parts are kept. */
function snip(branch: Branch, record: SnippedRecord): void {
  const { messages, sources } = branch;
  branch.snips.set(record.callId, record);
  const gone = new Set(record.parts.flatMap(({ entries }) => entries));
  const at = sources.findIndex((source) => gone.has(source));
  const cut = sources[at];
  if (cut === undefined) return;
  const stays = sources.map((source) => !gone.has(source));
  branch.messages = messages.flatMap((message, index) => [
    ...(index === at ? [record.message] : []),
    ...(stays[index] ? [message] : []),
  ]);
  // The note has the age of the parts that it replaces, so a compaction orders it correctly.
  branch.sources = sources.filter((_, index) => index === at || stays[index]);
  branch.cutAt = Math.min(cut, branch.cutAt ?? cut);
}

/**
 * The start of a sub-agent's conversation: at most `most` messages of its parent at the parent's
 * newest request. Other texts of that request aren't in the conversation, and parts of it may have
 * been removed since.
 */
export function inherit(branch: Branch, parent: Branch, most: number): void {
  const { messages, sources, prompts, reads, vm, kept, turn } = parent;
  const sentAt = turn?.newest?.request.n ?? 0;
  const since = sources.findIndex((source) => source > sentAt);
  const count = since === -1 ? most : Math.min(most, since);
  for (const message of messages.slice(0, count)) {
    branch.messages.push(message);
    branch.sources.push(0);
  }
  branch.prompts.push(...prompts);
  replace(branch.reads, reads);
  replace(branch.vm, vm);
  replace(branch.kept, kept);
}

/** Makes the map contain exactly these values. */
export function replace<Value>(map: Map<string, Value>, values: ReadonlyMap<string, Value>): void {
  map.clear();
  for (const [key, value] of values) map.set(key, value);
}
