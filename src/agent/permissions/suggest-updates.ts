// What a person may be offered beside "allow once": updates that would spare the next question.
import type { PermissionRuleValue, PermissionUpdate } from '../../core/permission.ts';
import type { ValidCall } from '../calls/validate.ts';
import { isEdit } from './call-path.ts';
import { getCallHosts } from './host-rules.ts';

/** For edits the mode that accepts edits, else rules on the tool. All end with the session. */
export function suggestUpdates(call: ValidCall): PermissionUpdate[] {
  const isAboutEdits = isEdit(call) || call.tool.authorizesChangesAt === 'commit';
  if (isAboutEdits && !call.traits.isOpenWorld) return [acceptEdits];
  const rules = suggestRules(call);
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
}

/** For a question about changes that were made already. */
export const acceptEdits: PermissionUpdate = {
  type: 'setMode',
  mode: 'acceptEdits',
  destination: 'session',
};

/** As narrow as the question was. */
function suggestRules(call: ValidCall): PermissionRuleValue[] {
  const { tool, caller } = call;
  const hosts = getCallHosts(call);
  if (hosts.length > 0) {
    return hosts.map((host) => ({ toolName: tool.name, ruleContent: `net:${host}` }));
  }
  return [
    caller ? { toolName: caller.name, ruleContent: `tools:${tool.name}` } : { toolName: tool.name },
  ];
}
