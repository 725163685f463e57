// What kind of call this is, by the tool's own members. The one place where a member that throws
// is turned into the cautious answer.
import type { Tool } from '../../core/tool/tool.ts';
import type { CallKind } from './schedule.ts';

/** What schedule, modes and the file-system view go by. */
export interface CallTraits {
  readonly isReadOnly: boolean;
  /** Its server says so, and nobody vouches for it. */
  readonly claimsReadOnly: boolean;
  readonly isConcurrencySafe: boolean;
  readonly isDestructive: boolean;
  readonly isOpenWorld: boolean;
  readonly changesOnlySession: boolean;
  readonly needsPerson: boolean;
}

/** Classifies one call. Never throws; `input` has passed the tool's schema. */
export function classifyCall(tool: Tool, input: Record<string, unknown>): CallTraits {
  return {
    isReadOnly: ask(() => tool.isReadOnly(input), false),
    claimsReadOnly: ask(() => tool.claimsReadOnly?.(input) ?? false, false),
    isConcurrencySafe: ask(() => tool.isConcurrencySafe(input), false),
    isDestructive: ask(() => tool.isDestructive(input), true),
    isOpenWorld: ask(() => tool.isOpenWorld?.(input) ?? false, true),
    changesOnlySession: ask(() => tool.changesOnlySession?.(input) ?? false, false),
    needsPerson: ask(() => tool.requiresUserInteraction?.() ?? false, true),
  };
}

/** What the schedule goes by. Never throws. */
export function toCallKind(tool: Tool, traits: CallTraits): CallKind {
  const { maxRunningCalls = Infinity } = tool;
  return {
    ...traits,
    toolName: tool.name,
    // With 0, or no number, its calls would wait for ever.
    maxRunning: maxRunningCalls >= 1 ? maxRunningCalls : 1,
    cutsSiblings: tool.cutsSiblings === true,
    isCutByPrompt: ask(() => tool.interruptBehavior?.() === 'cancel', false),
  };
}

// Security: a member that fails on some crafted input must not open a door, so it counts as the
// worst case. What isn't a boolean (a tool without types may give anything) counts so too.
function ask(member: () => boolean, cautious: boolean): boolean {
  try {
    const answer: unknown = member();
    return typeof answer === 'boolean' ? answer : cautious;
  } catch {
    return cautious;
  }
}
