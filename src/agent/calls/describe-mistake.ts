// What the model is told of a call that can't be understood: what is wrong, and what to do instead.
// `validate.ts` loads it for the first such call; `check-output.ts` lists what is wrong with an output.
import { clipText } from '../../core/clip-text.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { findNearNames } from '../../core/near-names.ts';

/** For a name that no tool of the request has. */
export function describeUnknown(unknown: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const near = findNearNames(unknown, names);
  const name = clipText(unknown, 100);
  return near.length > 0
    ? `There is no tool named ${name}. Did you mean ${near.join(' or ')}?`
    : `There is no tool named ${name}. The tools are: ${names.join(', ') || 'none'}.`;
}

/** For a call of a tool whose definition the model hasn't seen: it could only guess the input. */
export function buildSchemaNotSentHint({ name }: Pick<Tool, 'name'>): string {
  return `\n${name} isn't loaded, so what it takes was never shown to you. Call ToolSearch with the query "select:${name}" first, then call ${name} again.`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Each path of the input that is wrong, and why. */
export function describeIssues(tool: Tool, issues: readonly Issue[]): string {
  const list = listIssues(issues, 'input');
  return `The input of ${tool.name} isn't valid:\n${list}\nCorrect it and call ${tool.name} again.`;
}

/** A line for each place that is wrong. `whole`: what the places are in. */
export function listIssues(issues: readonly Issue[], whole: 'input' | 'output'): string {
  // 20: enough to mend a call by; an input of thousands of wrong items must not fill the context.
  const shown = issues.slice(0, 20).map((issue) => {
    const path = issue.path.map(String).join('.');
    return `- ${path || `(the whole ${whole})`}: ${issue.message}`;
  });
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`- and ${more} more`);
  return shown.join('\n');
}
