// Mode `auto`, as every query needs it: what the classifier may answer, and what holds without one.
import type { ToolPermissionContext } from '../../core/permission.ts';
import type { AutoMode } from './auto-mode.ts';

/**
 * Is the question one that the classifier may answer? Only where nothing but the question was left:
 * rules that ask, protected paths and tools that ask are a person's in every mode. `reason`: why it is
 * asked, where one is known.
 */
export function isForClassifier(permissions: ToolPermissionContext, reason: unknown): boolean {
  return permissions.mode === 'auto' && reason === undefined;
}

/** All is left to the person. */
export const withoutClassifier: AutoMode = {
  judge: () => Promise.resolve({ behavior: 'ask', message: 'there is no classifier' }),
};
