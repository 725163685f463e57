// Tracks the files that a session's own calls have created, and finds which other content a change
// set removes. Used by settle.ts before a draft is committed; one per session.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import type { PathState, Workspace } from '../../workspace/workspace.ts';

/** The effects of a change set on content that the session hasn't created. */
export interface Weighed {
  /**
   * The paths whose content it removes or overwrites with nothing, and which isn't at any other
   * path of the change set.
   */
  readonly losses: ReadonlySet<string>;
  /** The paths to which such content was moved. It isn't the session's own there either. */
  readonly moved: ReadonlySet<string>;
}

/**
 * A file or a link is the session's own if a call of the session has created it at a free path. It
 * stays so until somebody else changes it. All other content counts as older than the session.
 * Content that a person or another session creates meanwhile is protected the same way.
 */
export interface OwnFiles {
  /** Rejects if the workspace can't be read. */
  weigh(changeSet: ChangeSet): Promise<Weighed>;
  /** The paths of the change set that are the session's own after its commit. */
  list(changeSet: ChangeSet, weighed: Weighed): readonly string[];
  /** Records that the change set was committed as this record; `own` are those paths. */
  record(changeSet: ChangeSet, own: readonly string[], seq: Version): void;
}

const none: Weighed = { losses: new Set(), moved: new Set() };

/** `known`: what the session has created so far, from its journal. */
export function createOwnFiles(
  workspace: Pick<Workspace, 'lookUp'>,
  known: ReadonlyMap<string, Version>,
): OwnFiles {
  /** The version in which the session has left each of them. */
  const versions = new Map(known);
  const isOwn = ({ path, baseVersion }: Change) =>
    baseVersion === 0 || versions.get(path) === baseVersion;

  return {
    async weigh({ changes }) {
      const suspects = changes.filter((change) => mayLose(change) && !isOwn(change));
      // Most calls only write; then the workspace needn't be read.
      if (suspects.length === 0) return none;
      const states = await workspace.lookUp(suspects.map(({ path }) => path));
      const targets = listTargets(changes);
      const losses = new Set<string>();
      const moved = new Set<string>();
      suspects.forEach((change, at) => {
        const lost = toLost(change, states[at]);
        if (lost === undefined) return;
        const target = targets.get(lost)?.pop();
        if (target === undefined) losses.add(change.path);
        else moved.add(target);
      });
      return { losses, moved };
    },
    list({ changes }, { moved }) {
      const isKept = ({ type }: Change) => type === 'write' || type === 'symlink';
      const own = changes.filter((change) => isKept(change) && isOwn(change));
      return own.map(({ path }) => path).filter((path) => !moved.has(path));
    },
    record({ changes }, own, seq) {
      for (const { path } of changes) versions.delete(path);
      for (const path of own) versions.set(path, seq);
    },
  };
}

/** A removed directory isn't counted itself: the change set also lists its contents. */
function mayLose(change: Change): boolean {
  return change.type === 'remove' || change.type === 'symlink' || isEmptying(change);
}

function isEmptying(change: Change): boolean {
  return (
    change.type === 'write' && change.content instanceof Uint8Array && change.content.length === 0
  );
}

const unknown = 'unknown';

/**
 * Names the content that the change removes from its path, as in {@link listTargets}. Undefined: it
 * removes nothing.
 */
function toLost(change: Change, state: PathState | null | undefined): string | undefined {
  // Security: an unknown state counts as a loss. The commit of such a change set usually fails.
  if (!state || state.version !== change.baseVersion) return unknown;
  if (state.kind === 'directory') return undefined;
  if (state.kind === 'symlink') {
    return change.type === 'remove' ? nameTarget(state.target) : undefined;
  }
  if (isEmptying(change) && state.size === 0) return undefined;
  return state.size === 0 ? 'empty' : `content ${state.contentId}`;
}

function nameTarget(target: string): string {
  return `link ${target}`;
}

/** Maps each content and link target of the change set to its paths afterwards. */
function listTargets(changes: readonly Change[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  const add = (name: string, path: string) => {
    const paths = targets.get(name);
    if (paths) paths.push(path);
    else targets.set(name, [path]);
  };
  for (const change of changes) {
    const { path } = change;
    if (change.type === 'symlink') add(nameTarget(change.target), path);
    if (change.type !== 'write') continue;
    if (!(change.content instanceof Uint8Array)) add(`content ${change.content.contentId}`, path);
    // A new empty file may be a moved one. An emptied file hasn't been moved here.
    else if (isEmptying(change) && change.baseVersion === 0) add('empty', path);
  }
  return targets;
}
