// Detects calls that would fail whatever a person answers, because their path is out of reach.
// `authorize.ts` checks this before it asks a person or a classifier.
import {
  createPathJudge,
  describeOutside,
  describeReadOnly,
  type PathAccess,
} from '../../core/access/path-access.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallPath } from './match-rule.ts';

/**
 * The reason why the call would fail, in the words of its view; undefined if it may work. Only
 * calls in a worker are judged, because a worker has only its view. A tool's own `call` may use
 * other files.
 */
export function describeOutOfReach(call: ValidCall, access: PathAccess): string | undefined {
  if (call.tool.runsIn !== 'worker') return undefined;
  const target = getCallPath(call, access.cwd);
  if (target.type !== 'path') return undefined;
  const { path } = target;
  const operation = call.traits.isReadOnly ? 'read' : 'write';
  // Judged without rules, because deny and ask rules are handled elsewhere.
  const verdict = createPathJudge({ ...access, rules: [] })(operation, path);
  if (verdict === 'read-only') return `EROFS: ${describeReadOnly(access, path)}, open '${path}'`;
  if (verdict !== 'outside') return undefined;
  return `EACCES: ${describeOutside(access)}, open '${path}'`;
}
