// What `authorize-changes.ts` takes of the stations; see there.
import { explainReason } from '../../trace/explain-reason.ts';
import type { ChangeKit } from './authorize-changes.ts';
import { isForClassifier } from '../permissions/auto-mode.ts';
import { createChangeJudge } from '../permissions/judge-change.ts';
import { acceptEdits } from '../permissions/questions.ts';

/** The functions themselves. */
export const changeKit: ChangeKit = {
  acceptEdits,
  createChangeJudge,
  explainReason,
  isForClassifier,
};
