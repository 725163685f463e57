// What hooks take from the stations. Handed in by create-session.ts rather than imported: a module that
// the hooks' chunk shares with the core would become a chunk of its own, which every query then loads,
// hooks or not (it was 1 kB more).
import type { createId } from '../../core/ids.ts';
import type { toMcpServer } from '../../core/tool/mcp-server.ts';
import type { toObservableInput } from '../../core/tool/observable-input.ts';
import type { createRuleMatcher } from '../permissions/match-rule.ts';
import type { parseRules, replaceShell, ruleNamesTool } from '../permissions/rules.ts';
import type { settleStopped, settleWithDenial, settleWithError } from '../calls/settled.ts';
import type { validateInput } from '../calls/validate.ts';

/** The functions themselves: what they promise is said where they stand. */
export interface HookKit {
  readonly createId: typeof createId;
  readonly createRuleMatcher: typeof createRuleMatcher;
  readonly parseRules: typeof parseRules;
  readonly replaceShell: typeof replaceShell;
  readonly ruleNamesTool: typeof ruleNamesTool;
  readonly settleStopped: typeof settleStopped;
  readonly settleWithDenial: typeof settleWithDenial;
  readonly settleWithError: typeof settleWithError;
  readonly toMcpServer: typeof toMcpServer;
  readonly toObservableInput: typeof toObservableInput;
  readonly validateInput: typeof validateInput;
}
