// Why a tool isn't offered, in a sentence: for people who look at `Query.explainPool()`.
import { explain } from '../permissions/explain.ts';
import type { AbsentTool } from './assemble.ts';

/** One sentence. */
export function explainAbsence({ name, reason }: AbsentTool): string {
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
