// `Workspace.roots` over a writer port. Each method is one request to the writer. Its result is
// read from the state afterwards.
import { createId } from '../../core/ids.ts';
import { toSessionRootId } from '../../core/session/session-path.ts';
import { findRoot, requireVersion } from './check-commit.ts';
import { describeDifference, listDifference } from '../draft/describe-changes.ts';
import { diffRoots } from '../tree/diff-roots.ts';
import { openGate } from '../files/access.ts';
import { copySubtrees } from '../tree/copy-subtree.ts';
import { compareNames } from '../tree/path-order.ts';
import { invalid, toFields } from '../state/read-fields.ts';
import type { RootChange } from '../state/record.ts';
import { planRewind } from './rewind.ts';
import { mainRootId, type NamedRoot, type WorkspaceState } from '../state/state.ts';
import type { DirectoryNode } from '../tree/tree.ts';
import {
  validateCommitOptions,
  validateId,
  validateRootChange,
  validateSessionId,
} from './validate-commit.ts';
import type {
  CheckpointOptions,
  RootOptions,
  WorkspaceRoot,
  WorkspaceRoots,
} from '../state/workspace-roots.ts';
import type { WriterPort } from './writer-port.ts';

/** The part of a writer that roots need. Its state shows a change once the change has resolved. */
export type RootsWriter = Pick<WriterPort, 'state' | 'contents' | 'changeRoots'>;

/**
 * Security: requests from the page arrive here. The writer validates those that write; the others
 * are validated here.
 */
export function createWriterRoots(writer: RootsWriter): WorkspaceRoots {
  async function make(
    kind: 'checkpoint' | 'branch',
    label: string,
    { from, id = createId(), ...options }: CheckpointOptions & { readonly from: string },
  ): Promise<WorkspaceRoot> {
    const made = { kind, id, label, createdMs: Date.now() };
    const { seq } = await writer.changeRoots({ type: 'make', ...made, from }, options);
    return { ...made, seq };
  }

  return {
    async list(options = {}) {
      const kind = toKind(options);
      const roots = [...writer.state.roots.values()];
      const isListed = (root: NamedRoot) => (kind ? root.kind === kind : root.kind !== 'session');
      return roots.filter(isListed).map(toWorkspaceRoot);
    },
    async checkpoint(label, options) {
      return make('checkpoint', label ?? '', toMakeOptions(options));
    },
    async branch(label, options) {
      return make('branch', label, toMakeOptions(options));
    },
    async session(sessionId, options) {
      const { author } = toRootOptions(options);
      const id = toSessionRootId(validateSessionId(sessionId));
      if (!writer.state.roots.has(id)) {
        await writer.changeRoots({ type: 'make-session', id, createdMs: Date.now() }, { author });
      }
      return toWorkspaceRoot(findRoot(writer.state, id, 'session'));
    },
    async drop(id, options) {
      return writer.changeRoots({ type: 'drop', id }, toRootOptions(options));
    },
    async diff(id, options = {}) {
      const { against, keep } = toFields(options, 'Options');
      const { state, contents } = writer;
      const describe = (before: DirectoryNode, after: DirectoryNode) =>
        describeDifference(before, after, { contents, gate: openGate });
      if (keep !== undefined && keep !== 'user') throw badKeep();
      if (keep !== undefined && against !== undefined) throw badKeep();
      const isCheckpoint = state.roots.get(validateId(id, 'The id'))?.kind === 'checkpoint';
      // The changes that a rewind would make.
      if (keep !== undefined || (isCheckpoint && against === undefined)) {
        const checkpoint = findRoot(state, id, 'checkpoint');
        const { root } = planRewind({ ...state, checkpoint }, { paths: ['/'], keep });
        return describe(state.main, root);
      }
      const after = requireVersion(state, validateId(id, 'The id'));
      const before =
        against === undefined
          ? usualCounterpart(state, id)
          : requireVersion(state, validateId(against, 'The id'));
      return describe(before, after);
    },
    async merge(id, options) {
      const rootOptions = toRootOptions(options);
      const { paths = ['/'], into = mainRootId } = options;
      const change = toChange({ type: 'merge', id, paths });
      const { base, root } = findRoot(writer.state, id, 'branch');
      const accepted = copySubtrees(base, root, change.paths);
      // If there is nothing to merge, no record is written, unless an entry is appended with it.
      const isDone = diffRoots(base, accepted).length === 0 && !rootOptions.append;
      if (isDone) return { seq: writer.state.seq, paths: [] };
      const { seq } = await writer.changeRoots(change, { ...rootOptions, root: into });
      // Another client may have committed to the branch before the merge, or dropped it afterwards.
      const newBase = writer.state.roots.get(id)?.base ?? accepted;
      return { seq, paths: changedPaths(base, newBase) };
    },
    async rewind(id, options) {
      const rootOptions = toRootOptions(options);
      const { paths = ['/'], keep, undo = createId() } = options;
      const checkpoint = findRoot(writer.state, validateId(id, 'The id'), 'checkpoint');
      const createdMs = Date.now();
      const label = `Before rewinding to: ${checkpoint.label || checkpoint.id}`.slice(0, 1000);
      const change = toChange({ type: 'rewind', id, undo, label, createdMs, paths, keep });
      const { seq } = await writer.changeRoots(change, rootOptions);
      const { userEdits, roots, main } = writer.state;
      const before = roots.get(undo)?.root ?? main;
      const { root, kept } = planRewind({ main: before, userEdits, checkpoint, roots }, change);
      return { seq, undo, paths: listDifference(before, root), kept };
    },
  };
}

function toWorkspaceRoot({ id, kind, label, createdMs, baseSeq }: NamedRoot): WorkspaceRoot {
  return { id, kind, label, createdMs, seq: baseSeq };
}

function badKeep(): Error {
  return invalid("keep is 'user', without against, or left out.");
}

function toKind(options: unknown): NamedRoot['kind'] | undefined {
  const { kind } = toFields(options, 'Options');
  if (kind === undefined || kind === 'checkpoint' || kind === 'branch' || kind === 'session') {
    return kind;
  }
  throw invalid('The kind must be checkpoint, branch or session.');
}

/** The writer validates the appended entries. */
function toRootOptions(options: RootOptions): RootOptions {
  const { author } = validateCommitOptions({ author: toFields(options, 'Options')['author'] });
  return { author, ...(options.append && { append: options.append }) };
}

/** The writer validates the id. */
function toMakeOptions(options: CheckpointOptions): CheckpointOptions & { readonly from: string } {
  const made = { ...toRootOptions(options), from: options.from ?? mainRootId };
  return options.id === undefined ? made : { ...made, id: options.id };
}

/** Validated here as well, because the result is built from it. */
function toChange<Change extends RootChange>(change: Change): Change {
  return validateRootChange(change) as Change;
}

function usualCounterpart(state: WorkspaceState, id: string): DirectoryNode {
  const named = state.roots.get(id);
  if (!named) throw invalid('main has no default to compare with: name a root in against.');
  return named.base;
}

function changedPaths(before: DirectoryNode, after: DirectoryNode): string[] {
  const paths = new Set(diffRoots(before, after).map(({ path }) => path));
  return [...paths].sort(compareNames);
}
