// Detects questions that no answer could help: the call names a file that it can't reach in any
// case. `authorize.ts` checks this before it asks a person or a classifier.
import {
  createPathJudge,
  describeOutside,
  describeReadOnly,
  type PathAccess,
} from '../../core/access/path-access.ts';
import type { ValidCall } from '../calls/validate.ts';
import { getCallPath } from './match-rule.ts';

/**
 * Why the call would fail, in the words that its view would have. Undefined: it may work. Only work
 * in a worker is judged, as that has nothing but its view. A tool's own `call` may name a file of
 * its own.
 */
export function describeOutOfReach(call: ValidCall, access: PathAccess): string | undefined {
  if (call.tool.runsIn !== 'worker') return undefined;
  const target = getCallPath(call, access.cwd);
  if (target.type !== 'path') return undefined;
  const { path } = target;
  const operation = call.traits.isReadOnly ? 'read' : 'write';
  // Judged without rules: what these ask or deny is decided elsewhere.
  const verdict = createPathJudge({ ...access, rules: [] })(operation, path);
  if (verdict === 'read-only') return `EROFS: ${describeReadOnly(access, path)}, open '${path}'`;
  if (verdict !== 'outside') return undefined;
  return `EACCES: ${describeOutside(access)}, open '${path}'`;
}
