// Why tools aren't offered: for people who look at `Query.explainPool()`. Loaded when they do.
import { explain } from '../permissions/explain.ts';
import { assembleToolPool } from './assemble.ts';
import type { AbsentTool, PoolContext } from './assemble.ts';

/** An absent tool with the reason in a sentence. */
export interface ExplainedAbsence extends AbsentTool {
  readonly message: string;
}

/** Each tool that isn't in the pool, and why, by name. */
export function explainPool(context: PoolContext): readonly ExplainedAbsence[] {
  return assembleToolPool(context).absent.map((absent) => ({
    ...absent,
    message: toSentence(absent),
  }));
}

function toSentence({ name, reason }: AbsentTool): string {
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
