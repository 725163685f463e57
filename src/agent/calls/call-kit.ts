// What calls of code, of tools and of background tasks take from the stations. Handed in by `loop.ts` rather than
// imported, so that they stay out of what every query loads; see hooks/hook-kit.ts.
import type { toResultText } from '../../core/blocks.ts';
import type { authorize } from './authorize.ts';
import type { getCallPath } from '../permissions/match-rule.ts';
import type { runWork } from './run-work.ts';
import type { createToolUseContext } from '../session/session.ts';
import type { settle } from './settle.ts';
import type { settleWithError } from './settled.ts';
import type { reportCall } from './turn.ts';
import type { toOrigin, validate } from './validate.ts';

/** The functions themselves: what they promise is said where they stand. */
export interface CallKit {
  readonly authorize: typeof authorize;
  readonly createToolUseContext: typeof createToolUseContext;
  readonly getCallPath: typeof getCallPath;
  readonly reportCall: typeof reportCall;
  readonly runWork: typeof runWork;
  readonly settle: typeof settle;
  readonly settleWithError: typeof settleWithError;
  readonly toOrigin: typeof toOrigin;
  readonly toResultText: typeof toResultText;
  readonly validate: typeof validate;
}
