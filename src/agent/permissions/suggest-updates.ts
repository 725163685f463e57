// What a person may be offered beside "allow once": updates that would spare the next question.
import type { PermissionUpdate } from '../../core/permission.ts';
import type { ValidCall } from '../validate.ts';
import { isEdit } from './call-path.ts';

/** For edits the mode that accepts edits, else a rule on the tool. Both end with the session. */
export function suggestUpdates(call: Pick<ValidCall, 'tool' | 'traits'>): PermissionUpdate[] {
  const isAboutEdits = isEdit(call) || call.tool.authorizesChangesAt === 'commit';
  if (isAboutEdits && !call.traits.isOpenWorld) {
    return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  }
  const rules = [{ toolName: call.tool.name }];
  return [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
}
