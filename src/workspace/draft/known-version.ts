// Read before write: a tool may only change a file whose current version the model has read. Called
// by Write and Edit.
import type { Version } from '../../core/change-set.ts';
import { ToolError } from '../../core/errors.ts';

/** The versions of a file that is about to be changed. */
export interface VersionCheck {
  readonly path: string;
  /** The version that the call's draft sees. */
  readonly current: Version;
  /** The version that the model has read, or undefined. */
  readonly known: Version | undefined;
}

/**
 * Passes if the model has read the current version.
 *
 * @throws ToolError `invalid-input` if the file was never read, `ECONFLICT` if it has changed
 * since.
 */
export function requireKnownVersion({ path, current, known }: VersionCheck): void {
  if (known === undefined) {
    throw new ToolError(
      `${path} is there already, and you haven't read it in this conversation. ` +
        'Read it first, then make this change.',
      { code: 'invalid-input', data: { path } },
    );
  }
  if (known !== current) {
    throw new ToolError(
      `${path} has changed since you read it. Read it again, then make this change on what is ` +
        'there now.',
      { code: 'ECONFLICT', data: { path, known, current } },
    );
  }
}
