// The changes of a call, or a commit, in the workspace, file by file. Shown for a cell's result and
// for the question whether to keep it.
import type { FileChange } from '../../core/change-set.ts';
import { Collapsible } from './collapsible.tsx';
import { Diff, DiffStat } from './diff.tsx';
import { FileLink } from './file-link.tsx';
import { LongList } from './long-list.tsx';
import { revealControls } from './reveal-controls.ts';

const words = { create: 'Created', update: 'Changed', delete: 'Deleted' } as const;

/** Up to 3 files are shown unfolded. More are a list to open. */
const maxUnfolded = 3;

/** A checkout may change hundreds of files, but a person must still reach what comes after the list. */
const maxListed = 20;

/**
 * Each change with its figures and its diff. Binary files and directories have no diff.
 * `renamedFrom` is the earlier path of a file.
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
