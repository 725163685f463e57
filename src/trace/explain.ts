// Explains a call's decision in one sentence, for people and never for the model. The decision is
// in the message with the call's result.
import { explainReason } from './explain-reason.ts';
import type { CallDecision } from '../core/permissions/permission.ts';
import type { Principal } from '../core/permissions/principal.ts';

/** One sentence with the decision and its reason; two if the call's changes were judged too. */
export function explain({ toolName, behavior, reason, principal, changes }: CallDecision): string {
  const decided = `${toolName}${describeAsker(principal)} was ${behavior === 'allow' ? 'allowed' : 'refused'}`;
  const sentence = `${decided} because ${toClause(explainReason(reason))}.`;
  if (!changes) return sentence;
  const kept = changes.behavior === 'allow' ? 'were kept' : 'were dropped';
  return `${sentence} Its changes ${kept} because ${toClause(explainReason(changes.reason))}.`;
}

function describeAsker(principal: Principal): string {
  switch (principal.kind) {
    case 'agent':
      return '';
    case 'code':
      return `, which ${principal.toolName}'s code called,`;
    case 'tool':
      return `, which ${principal.toolName} asked for,`;
    case 'remote':
      return `, which the server ${principal.serverName} asked for,`;
    case 'page':
      return `, which the browser's agent asked for,`;
  }
}

// A tool's or a hook's text may already be a sentence.
function toClause(text: string): string {
  return text.replace(/[\s.]+$/u, '');
}
