// Why tools aren't offered: for people who look at `Query.explainPool()`. Loaded when they do.
import type { explainReason } from '../../trace/explain-reason.ts';
import type { AbsentTool } from './assemble.ts';

/** An absent tool with the reason in a sentence. */
export interface ExplainedAbsence extends AbsentTool {
  readonly message: string;
}

/**
 * Each tool that isn't in the pool, and why. What it shares with the core it is handed, or that would
 * become a chunk of its own, which every query loads.
 */
export function explainPool(
  absent: readonly AbsentTool[],
  explain: typeof explainReason,
): readonly ExplainedAbsence[] {
  return absent.map((one) => ({ ...one, message: toSentence(one, explain) }));
}

function toSentence({ name, reason }: AbsentTool, explain: typeof explainReason): string {
  switch (reason.type) {
    case 'special':
      return `${name} is offered only while ${reason.needs} holds.`;
    case 'switched-off':
      return `${name} is left out by ${reason.by}.`;
    case 'denied':
      return `${name} is denied: ${explain({ type: 'rule', rule: reason.rule })}.`;
    case 'inside-only':
      return `${name} is called from a cell's code only, as tools.${name}(…).`;
    case 'disabled':
      return `${name} is disabled by itself, or can't say whether it is enabled.`;
    case 'shadowed':
      return `${name} is the name of another tool, which came first.`;
  }
}
