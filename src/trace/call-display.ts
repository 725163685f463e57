// Describes a call in words for a status line, a terminal or a transcript's search. The result is
// plain data from the tool's own members, so it can be sent to another realm.
import type { CallState, ViewedCall } from '../core/tool/call-state.ts';
import { toSummary } from '../core/tool/summary.ts';
import { themeColors } from '../core/tool/theme.ts';
import type { Theme } from '../core/tool/theme.ts';
import { findToolByName } from '../core/tool/tool.ts';
import type { ResultDisplay, Tool, Tools } from '../core/tool/tool.ts';

/** The kind of a call that changes nothing; `other`: it may change something. */
export type CallKind = 'search' | 'read' | 'list' | 'other';

/** One call in words. Structured-cloneable. */
export interface CallDisplay {
  readonly toolName: string;
  readonly state: CallState;
  /** The tool's name for people. */
  readonly name: string;
  /** A colour behind the name; null: none. */
  readonly color: keyof Theme | null;
  /** A note on how the call runs, if that is unusual: "at most 5 s". Null: none. */
  readonly tag: string | null;
  /** At most 50 characters; null: none. */
  readonly summary: string | null;
  /** The line above the call: "Read: src/app.ts". */
  readonly title: string;
  /** The work while it runs: "Reading src/app.ts". */
  readonly activity: string;
  readonly kind: CallKind;
  /** True if views show the calls that it makes, and not the call itself. */
  readonly isWrapper: boolean;
  /** True if views show only a part of the output. */
  readonly isTruncated: boolean;
}

/** Never throws. A member of the tool that fails or gives an invalid value counts as left out. */
export function describeCall(tools: Tools, call: ViewedCall): CallDisplay {
  const { toolName, state } = call;
  const tool = findToolByName(tools, toolName);
  const input = toFields(call.input);
  const name = readText(() => tool?.userFacingName(input)) ?? toolName;
  const summary = readSummary(tool, input);
  const plain = summary === null ? name : `${name}: ${summary}`;
  const isDone = state === 'output-available';
  const shown = isDone ? attempt(() => toResult(tool, call, input)) : undefined;
  return {
    toolName,
    state,
    name,
    ...readMarks(tool, input),
    summary,
    title: readText(() => shown?.title ?? tool?.getDisplayTitle?.(input)) ?? plain,
    activity: readText(() => tool?.getActivityDescription?.(input)) ?? plain,
    kind: attempt(() => toKind(tool, input)) ?? 'other',
    isWrapper: attempt(() => tool?.isTransparentWrapper?.()) === true,
    isTruncated: isDone && attempt(() => tool?.isResultTruncated?.(call.output)) === true,
  };
}

/**
 * The tool's own description of a finished call's result, for people; undefined: none. Never
 * throws.
 */
export function describeResult(tools: Tools, call: ViewedCall): ResultDisplay | undefined {
  if (call.state !== 'output-available') return undefined;
  const tool = findToolByName(tools, call.toolName);
  const { title, summary, content } =
    attempt(() => toResult(tool, call, toFields(call.input))) ?? ({} as Partial<ResultDisplay>);
  const isShown = typeof content === 'string' || (typeof content === 'object' && content !== null);
  if (typeof title !== 'string' || !isShown) return undefined;
  return { title, summary: typeof summary === 'string' ? toSummary(summary) : '', content };
}

/** The tool's colour and tag for this input. Never throws. */
export function readMarks(
  tool: Tool | undefined,
  given: unknown,
): Pick<CallDisplay, 'color' | 'tag'> {
  const input = toFields(given);
  const color = attempt(() => tool?.userFacingNameBackgroundColor?.(input));
  const tag = readText(() => tool?.getToolUseTag?.(input));
  return {
    color: themeColors.find((known) => known === color) ?? null,
    tag: tag === undefined ? null : toSummary(tag) || null,
  };
}

/** The tool's summary, cut to 50 characters; null: none. Never throws. */
export function readSummary(tool: Tool | undefined, input: Record<string, unknown>): string | null {
  const summary = readText(() => tool?.getToolUseSummary?.(input));
  return summary === undefined ? null : toSummary(summary) || null;
}

/**
 * The text for a transcript's search: the call's title, and the tool's description of the result,
 * or else the model's result. Never throws.
 */
export function toSearchText(tools: Tools, call: ViewedCall): string {
  const tool = findToolByName(tools, call.toolName);
  const own =
    call.state === 'output-available'
      ? readText(() => tool?.extractSearchText?.(call.output))
      : undefined;
  return [describeCall(tools, call).title, own ?? call.resultText].filter(Boolean).join('\n');
}

/** Items in one line, or one single item. */
export interface CallGroup<Item> {
  readonly items: readonly Item[];
  /** "Read 3 files: a.ts, b.ts, c.ts"; null for one item. */
  readonly title: string | null;
}

/**
 * Groups consecutive calls of one tool that have succeeded and changed nothing. `toDisplay` gives
 * undefined for an item that isn't a call. Such an item is single and ends a group.
 */
export function groupCalls<Item>(
  items: readonly Item[],
  toDisplay: (item: Item) => CallDisplay | undefined,
): readonly CallGroup<Item>[] {
  const groups: { readonly items: Item[]; readonly displays: CallDisplay[] }[] = [];
  for (const item of items) {
    const display = toDisplay(item);
    const open = groups.at(-1);
    const before = open?.displays[0];
    if (open && before && display && isFoldable(display) && isAlike(before, display)) {
      open.items.push(item);
      open.displays.push(display);
    } else {
      groups.push({ items: [item], displays: display && isFoldable(display) ? [display] : [] });
    }
  }
  return groups.map(({ items: grouped, displays }) => ({
    items: grouped,
    title: grouped.length > 1 ? toGroupTitle(displays) : null,
  }));
}

const nouns = { search: 'searches', read: 'files', list: 'lists', other: 'calls' } as const;

function toGroupTitle(displays: readonly CallDisplay[]): string {
  const [{ name = '', kind = 'other' } = {}] = displays;
  const summaries = displays.flatMap(({ summary }) => (summary === null ? [] : toName(summary)));
  const told = summaries.length > 0 ? `: ${summaries.join(', ')}` : '';
  return `${name} ${displays.length} ${nouns[kind]}${told}`;
}

/**
 * The last segment of a path whose beginning was cut, because several cut paths in one line would
 * look alike.
 */
function toName(summary: string): string {
  return summary.replace(/^….*\/(?=[^/]+$)/u, '…/');
}

function isFoldable({ kind, state }: CallDisplay): boolean {
  return kind !== 'other' && state === 'output-available';
}

function isAlike(one: CallDisplay, other: CallDisplay): boolean {
  return one.toolName === other.toolName && one.kind === other.kind;
}

/** The input may be incomplete and unchecked. Display members must accept that. */
function toFields(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

function toKind(tool: Tool | undefined, input: Record<string, unknown>): CallKind {
  // Only a complete input can be classified.
  const parsed =
    tool?.isSearchOrReadCommand && tool.inputSchema.safeParse(input, { jitless: true });
  if (!parsed?.success) return 'other';
  const { isSearch, isRead, isList } = tool?.isSearchOrReadCommand?.(parsed.data) ?? {};
  if (isList) return 'list';
  if (isSearch) return 'search';
  return isRead ? 'read' : 'other';
}

function toResult(
  tool: Tool | undefined,
  call: ViewedCall,
  input: Record<string, unknown>,
): ResultDisplay | undefined {
  return tool?.genToolResultMessage?.(call.output, input);
}

function readText(read: () => unknown): string | undefined {
  const text = attempt(read);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
