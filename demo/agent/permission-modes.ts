// The permission modes that the demo offers, in words.
import type { PermissionMode } from 'rockpool/browser';
import { readSetting, writeSetting } from '../settings.ts';

export interface OfferedMode {
  readonly mode: PermissionMode;
  readonly title: string;
  readonly text: string;
}

export const offeredModes: readonly OfferedMode[] = [
  { mode: 'default', title: 'Ask', text: 'Asks before anything is changed.' },
  { mode: 'acceptEdits', title: 'Accept edits', text: 'Changes files without asking.' },
  { mode: 'plan', title: 'Plan', text: 'Reads and searches only; changes nothing.' },
  { mode: 'bypassPermissions', title: 'Allow all', text: 'Asks about nothing.' },
];

/** Stores the mode. "Allow all" is never stored, so a person must choose it again in each page. */
export function rememberPermissionMode(mode: PermissionMode): void {
  writeSetting('permission-mode', mode === 'bypassPermissions' ? undefined : mode);
}

export function readPermissionMode(): PermissionMode {
  const stored = readSetting('permission-mode');
  const known = offeredModes.find(({ mode }) => mode === stored && mode !== 'bypassPermissions');
  return known?.mode ?? 'default';
}
