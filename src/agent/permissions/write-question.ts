// A question as a person needs it. `authorize.ts` loads it when there is one: most calls are never
// asked about. What it shares with the stations it is handed, so that they stay one chunk.
import { readSummary } from '../../trace/call-display.ts';
import type { CanUseToolOptions, DecisionReason, PermissionUpdate } from '../../core/permission.ts';
import type { Principal } from '../../core/principal.ts';
import type { ValidCall } from '../calls/validate.ts';
import type { Question } from './questions.ts';

/** What is asked about, and why. */
export interface AskedCall {
  readonly call: ValidCall;
  readonly principal: Principal;
  /** One sentence. */
  readonly why: string;
  /** Undefined: nobody said anything about such a call. */
  readonly reason: DecisionReason | undefined;
  /** What the tool itself offers, where it asks. */
  readonly ownSuggestions: readonly PermissionUpdate[] | undefined;
  /** What would spare the next question of the kind. */
  readonly suggestions: readonly PermissionUpdate[];
}

/** Never rejects: a member for display that fails must not keep the question from a person. */
export async function writeQuestion(asked: AskedCall): Promise<Question> {
  const { call, principal, reason } = asked;
  const { tool, toolUse, input } = call;
  const description = await describeInput(call);
  const asker = principal.kind === 'remote' ? ` (the server ${principal.serverName} asks)` : '';
  return {
    toolName: tool.name,
    input,
    toolUseID: toolUse.id,
    decisionReason: `${asked.why}${asker}`,
    ...nameCall(call),
    ...(description !== '' && { description }),
    ...(tool.mcpInfo && { mcpServer: { name: tool.mcpInfo.serverName, source: 'sdk' } }),
    ...(principal.kind !== 'agent' && { principal }),
    ...offerAnswers(asked),
    ...(reason?.type === 'rule' && { matchedAskRule: reason.rule }),
    ...(reason?.type === 'protected-path' && { blockedPath: reason.path }),
  };
}

type Offer = Pick<CanUseToolOptions, 'defaultToNo' | 'suggestions' | 'suppressAlwaysAllowRule'>;

/** What can't be undone is to be looked at each time. */
function offerAnswers(asked: AskedCall): Offer {
  const { call, principal, reason, ownSuggestions, suggestions } = asked;
  if (call.traits.isDestructive) return { defaultToNo: true, suppressAlwaysAllowRule: true };
  // What is allowed for the session is the agent's, and would not spare a server's next question.
  if (principal.kind === 'remote') return { suppressAlwaysAllowRule: true };
  // A rule that asks, asks also where another rule allows: offering one would be a lie.
  if (reason === undefined) return { suggestions };
  return Array.isArray(ownSuggestions) ? { suggestions: ownSuggestions } : {};
}

function nameCall({ tool, input }: ValidCall): { title: string; displayName: string } {
  try {
    const displayName = tool.userFacingName(input);
    const title = tool.genToolPermission?.(input).title;
    if (title) return { displayName, title };
    const summary = readSummary(tool, input);
    return { displayName, title: summary ? `${displayName}: ${summary}` : displayName };
  } catch {
    return { displayName: tool.name, title: tool.name };
  }
}

async function describeInput({ tool, input }: ValidCall): Promise<string> {
  try {
    const { summary, content } = tool.genToolPermission?.(input) ?? {};
    if (summary) return summary;
    if (content) return typeof content === 'string' ? content : JSON.stringify(content);
    return await tool.description(input);
  } catch {
    return '';
  }
}

/** The reason of a yes: whether the person allowed what they were asked about, or something else. */
export function nameChange(
  reason: DecisionReason,
  call: ValidCall,
  allowed: ValidCall,
): DecisionReason {
  if (reason.type !== 'user' || call.input === allowed.input) return reason;
  return isSameInput(call, allowed) ? reason : { type: 'user', changedInput: true };
}

function isSameInput({ tool, input }: ValidCall, allowed: ValidCall): boolean {
  try {
    if (tool.inputsEquivalent) return tool.inputsEquivalent(input, allowed.input);
  } catch {
    // Then it is the same only where it is written the same.
  }
  return JSON.stringify(input) === JSON.stringify(allowed.input);
}
