// What a call, or a commit, changed in the workspace, file by file: for a cell's result and for the question
// whether to keep it.
import type { FileChange } from '../../core/change-set.ts';
import { Collapsible } from './collapsible.tsx';
import { Diff, DiffStat } from './diff.tsx';
import { FileLink } from './file-link.tsx';
import { LongList } from './long-list.tsx';
import { revealControls } from './reveal-controls.ts';

const words = { create: 'Created', update: 'Changed', delete: 'Deleted' } as const;

/** A handful of files is shown unfolded; more are a list to open. */
const maxUnfolded = 3;

/** A checkout changes hundreds: what comes after the list must stay within reach. */
const maxListed = 20;

/**
 * Each change with its figures and its diff; binary files and directories have no diff. `renamedFrom` is where the
 * file was before.
 */
export function FileChanges({
  changes,
}: {
  readonly changes: readonly (FileChange & { readonly renamedFrom?: string })[];
}) {
  return (
    <LongList items={changes} step={maxListed} noun="files">
      {(shown) => (
        <ul className="rp-changes">
          {shown.map((change) => (
            <li key={change.path}>
              <Collapsible
                isOpenByDefault={changes.length <= maxUnfolded}
                summary={
                  <span className="rp-call-line">
                    <span className="rp-call-title">
                      {change.renamedFrom === undefined ? words[change.type] : 'Renamed'}
                    </span>
                    <span className="rp-call-detail">
                      {change.renamedFrom !== undefined &&
                        `${revealControls(change.renamedFrom)} → `}
                      <FileLink path={change.path} />
                    </span>
                    <DiffStat additions={change.additions} deletions={change.deletions} />
                  </span>
                }
              >
                {change.structuredPatch.length > 0 && (
                  <Diff hunks={change.structuredPatch} path={change.path} />
                )}
              </Collapsible>
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}
