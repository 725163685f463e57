// Read before write: a tool may change only a file that the model has read as it is now. Called by
// Write and Edit.
import type { Version } from '../../core/change-set.ts';
import { ToolError } from '../../core/errors.ts';

/** A file that is about to be changed, as the draft and as the model know it. */
export interface VersionCheck {
  readonly path: string;
  /** The version that the call's draft sees. */
  readonly current: Version;
  /** The version that the model has read, if it has read the file at all. */
  readonly known: Version | undefined;
}

/**
 * Passes when the model has read the file as it is now.
 *
 * @throws ToolError `invalid-input` when it was never read, `ECONFLICT` when it has changed since.
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
