// Describes a call in words for a status line, a terminal or a transcript's search. It is plain
// data, made from the tool's own members; a UI in another realm gets it sent.
import type { CallState, ViewedCall } from '../core/tool/call-state.ts';
import { toSummary } from '../core/tool/summary.ts';
import { themeColors } from '../core/tool/theme.ts';
import type { Theme } from '../core/tool/theme.ts';
import { findToolByName } from '../core/tool/tool.ts';
import type { ResultDisplay, Tool, Tools } from '../core/tool/tool.ts';

/** What a call that changes nothing does; `other`: it may change something. */
export type CallKind = 'search' | 'read' | 'list' | 'other';

/** One call in words. Structured-cloneable. */
export interface CallDisplay {
  readonly toolName: string;
  readonly state: CallState;
  /** The tool's name for people. */
  readonly name: string;
  /** A colour behind the name; null for none. */
  readonly color: keyof Theme | null;
  /** How it runs, where that isn't as usual: "at most 5 s". Null for nothing. */
  readonly tag: string | null;
  /** At most 50 characters; null for none. */
  readonly summary: string | null;
  /** The line above the call: "Read: src/app.ts". */
  readonly title: string;
  /** What it does, while it does it: "Reading src/app.ts". */
  readonly activity: string;
  readonly kind: CallKind;
  /** A view shows the calls that it makes in its place. */
  readonly isWrapper: boolean;
  /** A view shows less of the output than there is. */
  readonly isTruncated: boolean;
}

/** Never throws: a member of the tool that fails, or gives something else, counts as left out. */
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

/** What a finished call's own tool says of its result, for people; undefined: nothing. Never throws. */
export function describeResult(tools: Tools, call: ViewedCall): ResultDisplay | undefined {
  if (call.state !== 'output-available') return undefined;
  const tool = findToolByName(tools, call.toolName);
  const { title, summary, content } =
    attempt(() => toResult(tool, call, toFields(call.input))) ?? ({} as Partial<ResultDisplay>);
  const isShown = typeof content === 'string' || (typeof content === 'object' && content !== null);
  if (typeof title !== 'string' || !isShown) return undefined;
  return { title, summary: typeof summary === 'string' ? toSummary(summary) : '', content };
}

/** What a call's line has beside its words, as the tool gives it for this input. Never throws. */
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

/** At most 50 characters, whatever the tool gives; null for none. Never throws. */
export function readSummary(tool: Tool | undefined, input: Record<string, unknown>): string | null {
  const summary = readText(() => tool?.getToolUseSummary?.(input));
  return summary === undefined ? null : toSummary(summary) || null;
}

/**
 * The text that a transcript's search looks at: the call's title, and the tool's words about the
 * result, else the model's result. Never throws.
 */
export function toSearchText(tools: Tools, call: ViewedCall): string {
  const tool = findToolByName(tools, call.toolName);
  const own =
    call.state === 'output-available'
      ? readText(() => tool?.extractSearchText?.(call.output))
      : undefined;
  return [describeCall(tools, call).title, own ?? call.resultText].filter(Boolean).join('\n');
}

/** Items that are shown as one line, or one item by itself. */
export interface CallGroup<Item> {
  readonly items: readonly Item[];
  /** "Read 3 files: a.ts, b.ts, c.ts"; null for one item. */
  readonly title: string | null;
}

/**
 * Folds calls of one tool that follow each other, have ended well and changed nothing. `toDisplay` gives
 * undefined for what is no call: it is shown by itself, and ends a group.
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

/** Of a path whose beginning was cut its name: several of them in one line would hide each other's. */
function toName(summary: string): string {
  return summary.replace(/^….*\/(?=[^/]+$)/u, '…/');
}

function isFoldable({ kind, state }: CallDisplay): boolean {
  return kind !== 'other' && state === 'output-available';
}

function isAlike(one: CallDisplay, other: CallDisplay): boolean {
  return one.toolName === other.toolName && one.kind === other.kind;
}

/** The input may be incomplete and is unchecked: display members must accept that. */
function toFields(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}

function toKind(tool: Tool | undefined, input: Record<string, unknown>): CallKind {
  // Its classification is of a whole input.
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
