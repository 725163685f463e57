// What was decided about a call, as its result's message tells it. Made by stations 4 and 10.
import type { CallDecision, DecisionReason } from '../../core/permission.ts';
import type { AllowedCall } from '../calls/authorize.ts';
import type { Denial } from '../calls/settled.ts';
import type { ValidCall } from '../calls/validate.ts';
import { toPrincipal } from './principal.ts';

/**
 * `denial` of a call that was allowed is about what it changed; so is `kept`. Undefined: nothing was
 * decided, for the question was withdrawn.
 */
export function toCallDecision(
  call: ValidCall | AllowedCall,
  denial: Denial | undefined,
  kept?: DecisionReason,
): CallDecision | undefined {
  const shared = { toolName: call.tool.name, principal: toPrincipal(call) };
  if (call.stage === 'valid') {
    return denial && { ...shared, behavior: 'deny', reason: denial.reason };
  }
  const reason = denial?.reason ?? kept;
  const changes = reason && { behavior: denial ? ('deny' as const) : ('allow' as const), reason };
  return { ...shared, behavior: 'allow', reason: call.reason, ...(changes && { changes }) };
}
