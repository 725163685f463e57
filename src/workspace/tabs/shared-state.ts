// The workspace as a tab sees it, whichever tab leads: the current state and its contents.
// Listeners get each record, and a jump if the tab has missed records.
import { sessionOfRoot, toSessionDirectory } from '../../core/session/session-path.ts';
import type { ContentSource } from '../state/content-source.ts';
import { diffTrees } from '../tree/diff-trees.ts';
import type { FedRecord } from '../feed/serve-feed.ts';
import { Listeners } from '../state/listeners.ts';
import { mainRootId } from '../state/state.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { ChangeEvent, PathChange } from '../workspace.ts';

type JumpListener = (events: readonly ChangeEvent[]) => void;

export class SharedState {
  readonly #onRecord: Listeners<FedRecord>;
  readonly #onJump: Listeners<readonly ChangeEvent[]>;
  readonly #onStreams: Listeners;
  readonly #onMoved: Listeners;
  #state: WorkspaceState | undefined;
  #contents: ContentSource;

  constructor(contents: ContentSource, onError: (error: unknown) => void) {
    this.#contents = contents;
    this.#onRecord = new Listeners(onError);
    this.#onJump = new Listeners(onError);
    this.#onStreams = new Listeners(onError);
    this.#onMoved = new Listeners(onError);
  }

  /** Undefined until the tab has joined. */
  get state(): WorkspaceState | undefined {
    return this.#state;
  }

  /** The contents of the current state. An older source stays readable for its holders. */
  get contents(): ContentSource {
    return this.#contents;
  }

  /** The number of the state's last commit; -1 without a state. */
  get seq(): number {
    return this.#state?.seq ?? -1;
  }

  /** -1 where there is no state. */
  get revision(): number {
    return this.#state?.revision ?? -1;
  }

  onRecord(listener: (fed: FedRecord) => void): Disposable {
    return this.#onRecord.add(listener);
  }

  onJump(listener: JumpListener): Disposable {
    return this.#onJump.add(listener);
  }

  onStreams(listener: () => void): Disposable {
    return this.#onStreams.add(listener);
  }

  onMoved(listener: () => void): Disposable {
    return this.#onMoved.add(listener);
  }

  /** Applies one commit. */
  advance(state: WorkspaceState, fed: FedRecord): void {
    this.#state = state;
    this.#onRecord.tell(fed);
    if (fed.record.stream) this.#onStreams.tell();
  }

  /** Applies one change of a stream. */
  advanceStream(state: WorkspaceState): void {
    this.#state = state;
    this.#onStreams.tell();
  }

  /** Replaces the state by a complete one with its contents. It is a jump if the state differs. */
  replace(state: WorkspaceState, contents: ContentSource): void {
    const before = this.#state;
    this.#state = state;
    this.#contents = contents;
    if (!before) return;
    if (before.seq === state.seq) this.move();
    else this.#onJump.tell(toJumpEvents(before, state));
    if (before.revision !== state.revision) this.#onStreams.tell();
  }

  /** The contents are the same, but are stored elsewhere. */
  move(): void {
    this.#onMoved.tell();
  }
}

/**
 * Returns one event for each root that exists on both sides and differs. The author is unknown.
 * Since no call of this tab made the changes, they count as the user's.
 */
function toJumpEvents(before: WorkspaceState, after: WorkspaceState): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  const add = (root: string, from: WorkspaceState['main'], to: WorkspaceState['main']) => {
    const changes: PathChange[] = [];
    diffTrees(from, to, ({ path, before: old, after: now }) => {
      // A state from a snapshot shares no nodes with another one, so versions are compared.
      if (old && now && old.kind === now.kind && old.version === now.version) return;
      if (now) {
        const type = old ? 'update' : 'create';
        changes.push({ path, type, kind: now.kind, version: now.version });
      } else if (old) changes.push({ path, type: 'delete', kind: old.kind, version: after.seq });
    });
    if (changes.length > 0)
      events.push({ seq: after.seq, root, author: { kind: 'user' }, changes });
  };
  add(mainRootId, before.main, after.main);
  for (const [id, { root }] of after.roots) {
    const old = before.roots.get(id);
    if (old) add(id, old.root, root);
  }
  const sessions = [
    ...listSessions(after.roots, before.roots, { type: 'create', version: after.seq }),
    ...listSessions(before.roots, after.roots, { type: 'delete', version: after.seq }),
  ];
  if (sessions.length > 0) {
    events.push({
      seq: after.seq,
      root: mainRootId,
      author: { kind: 'user' },
      changes: sessions,
    });
  }
  return events;
}

/** Returns the directories of sessions that only the first roots have. */
function listSessions(
  roots: WorkspaceState['roots'],
  others: WorkspaceState['roots'],
  change: Pick<PathChange, 'type' | 'version'>,
): PathChange[] {
  return [...roots.keys()].flatMap((id) => {
    const session = others.has(id) ? undefined : sessionOfRoot(id);
    if (session === undefined) return [];
    return [{ path: toSessionDirectory(session), kind: 'directory', ...change }];
  });
}
