// The door for permission modes, from options, from `setPermissionMode` and from answers.
import { SdkError } from '../../core/errors.ts';
import { permissionModes } from '../../core/permission.ts';
import type { PermissionMode } from '../../core/permission.ts';

// As a Set of strings: what comes from a caller without types may be no mode at all.
const modes: ReadonlySet<string> = new Set(permissionModes);

/** @throws SdkError `bad-usage` for what is no permission mode. */
export function checkMode(mode: PermissionMode): PermissionMode {
  if (modes.has(mode)) return mode;
  throw new SdkError(
    'bad-usage',
    `"${String(mode)}" is not a permission mode. Use one of ${[...modes].join(', ')}.`,
    { data: { mode } },
  );
}
