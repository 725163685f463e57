// What a session's own calls have made, and what a change set takes away of all else. Asked by settle.ts
// before a draft is committed; one for each session.
import type { Change, ChangeSet, Version } from '../../core/change-set.ts';
import type { PathState, Workspace } from '../../workspace/workspace.ts';

/** What a change set does to what the session hasn't made. */
export interface Weighed {
  /** The paths of what it removes or empties: nothing in the change set has their content any more. */
  readonly losses: ReadonlySet<string>;
  /** The paths that such content was moved to. It isn't the session's own there either. */
  readonly moved: ReadonlySet<string>;
}

/**
 * A file or a link is the session's own if a call of the session made it where nothing stood. It
 * stays so until somebody else changes it. All else counts as what stood there before the session.
 * What a person or another session makes meanwhile is no less worth a question.
 */
export interface OwnFiles {
  /** Rejects where the workspace can't be asked. */
  weigh(changeSet: ChangeSet): Promise<Weighed>;
  /** Which of its paths are the session's own once it is committed, as it was weighed. */
  list(changeSet: ChangeSet, weighed: Weighed): readonly string[];
  /** The change set was committed as this record; `own` are those paths. */
  record(changeSet: ChangeSet, own: readonly string[], seq: Version): void;
}

const none: Weighed = { losses: new Set(), moved: new Set() };

/** `known`: what the session has made so far, as its journal has it. */
export function createOwnFiles(
  workspace: Pick<Workspace, 'lookUp'>,
  known: ReadonlyMap<string, Version>,
): OwnFiles {
  /** The version that the session has left each of them in. */
  const versions = new Map(known);
  const isOwn = ({ path, baseVersion }: Change) =>
    baseVersion === 0 || versions.get(path) === baseVersion;

  return {
    async weigh({ changes }) {
      const suspects = changes.filter((change) => mayLose(change) && !isOwn(change));
      // Most calls write, and nothing else: the workspace isn't asked for them.
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

/** A removed directory counts by its contents, which the change set lists too. */
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
 * The name of what the change takes from its path, as in {@link listTargets}. Undefined: it takes
 * nothing.
 */
function toLost(change: Change, state: PathState | null | undefined): string | undefined {
  // Security: an unknown state counts as a loss. Such a change set is mostly refused as it is
  // committed.
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

/** The paths at which each content and each link's target of the change set stands after it. */
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
    // A new empty file may be a moved one. A file that is emptied hasn't been moved here.
    else if (isEmptying(change) && change.baseVersion === 0) add('empty', path);
  }
  return targets;
}
