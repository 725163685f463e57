// Classifies a call by its tool's own functions. If such a function throws, the cautious answer is
// used; this happens only here.
import type { Tool } from '../../core/tool/tool.ts';
import type { CallKind } from './schedule.ts';

/** The properties that the schedule, the modes and the file-system view use. */
export interface CallTraits {
  readonly isReadOnly: boolean;
  /** Its server says so, but nobody has confirmed it. */
  readonly claimsReadOnly: boolean;
  readonly isConcurrencySafe: boolean;
  readonly isDestructive: boolean;
  readonly isOpenWorld: boolean;
  readonly changesOnlySession: boolean;
  readonly needsPerson: boolean;
}

/** Classifies one call. Never throws. The tool's schema has accepted `input`. */
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

/** The properties that the schedule uses. Never throws. */
export function toCallKind(tool: Tool, traits: CallTraits): CallKind {
  const { maxRunningCalls = Infinity } = tool;
  return {
    ...traits,
    toolName: tool.name,
    // With 0, or a value that isn't a number, its calls would wait forever.
    maxRunning: maxRunningCalls >= 1 ? maxRunningCalls : 1,
    cutsSiblings: tool.cutsSiblings === true,
    isCutByPrompt: ask(() => tool.interruptBehavior?.() === 'cancel', false),
  };
}

// Security: a crafted input that makes the function throw must not gain permissions, so it counts
// as the worst case. So does a result that isn't a boolean, which an untyped tool may return.
function ask(member: () => boolean, cautious: boolean): boolean {
  try {
    const answer: unknown = member();
    return typeof answer === 'boolean' ? answer : cautious;
  } catch {
    return cautious;
  }
}
