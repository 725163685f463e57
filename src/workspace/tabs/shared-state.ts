// The workspace as a tab shows it, whichever tab leads: the present state and its contents.
// Listeners get each record, and a jump to a later state whose records this tab missed.
import { sessionOfRoot, toSessionDirectory } from '../../core/session/session-path.ts';
import type { ContentSource } from '../state/content-source.ts';
import { diffTrees } from '../tree/diff-trees.ts';
import type { FedRecord } from '../feed/serve-feed.ts';
import { mainRootId } from '../state/state.ts';
import type { WorkspaceState } from '../state/state.ts';
import type { ChangeEvent, PathChange } from '../workspace.ts';

type JumpListener = (events: readonly ChangeEvent[]) => void;

export class SharedState {
  readonly #onError: (error: unknown) => void;
  readonly #recordListeners = new Set<(fed: FedRecord) => void>();
  readonly #jumpListeners = new Set<JumpListener>();
  readonly #streamsListeners = new Set<() => void>();
  readonly #movedListeners = new Set<() => void>();
  #state: WorkspaceState | undefined;
  #contents: ContentSource;

  constructor(contents: ContentSource, onError: (error: unknown) => void) {
    this.#contents = contents;
    this.#onError = onError;
  }

  /** Undefined until the tab has joined. */
  get state(): WorkspaceState | undefined {
    return this.#state;
  }

  /** Those of the state of now; who holds them longer can read on. */
  get contents(): ContentSource {
    return this.#contents;
  }

  /** The number of the state's last commit; -1 where there is no state. */
  get seq(): number {
    return this.#state?.seq ?? -1;
  }

  /** -1 where there is no state. */
  get revision(): number {
    return this.#state?.revision ?? -1;
  }

  onRecord(listener: (fed: FedRecord) => void): Disposable {
    return addTo(this.#recordListeners, listener);
  }

  onJump(listener: JumpListener): Disposable {
    return addTo(this.#jumpListeners, listener);
  }

  onStreams(listener: () => void): Disposable {
    return addTo(this.#streamsListeners, listener);
  }

  onMoved(listener: () => void): Disposable {
    return addTo(this.#movedListeners, listener);
  }

  /** One commit further. */
  advance(state: WorkspaceState, fed: FedRecord): void {
    this.#state = state;
    this.#tell(this.#recordListeners, fed);
    if (fed.record.stream) this.#tell(this.#streamsListeners, undefined);
  }

  /** One change of a stream further. */
  advanceStream(state: WorkspaceState): void {
    this.#state = state;
    this.#tell(this.#streamsListeners, undefined);
  }

  /** On to a state that came as a whole, with its contents: a jump, if it is another one. */
  replace(state: WorkspaceState, contents: ContentSource): void {
    const before = this.#state;
    this.#state = state;
    this.#contents = contents;
    if (!before) return;
    if (before.seq === state.seq) this.move();
    else this.#tell(this.#jumpListeners, toJumpEvents(before, state));
    if (before.revision !== state.revision) this.#tell(this.#streamsListeners, undefined);
  }

  /** The contents are the same as before, and stand elsewhere. */
  move(): void {
    this.#tell(this.#movedListeners, undefined);
  }

  #tell<Value>(listeners: ReadonlySet<(value: Value) => void>, value: Value): void {
    for (const listener of listeners) {
      // A listener that throws must not fail other listeners or the tab.
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function addTo<Value>(listeners: Set<(value: Value) => void>, listener: (value: Value) => void) {
  // Wrapped, so that one function may listen twice and each is disposed by itself.
  const entry = (value: Value) => listener(value);
  listeners.add(entry);
  return { [Symbol.dispose]: () => void listeners.delete(entry) };
}

/**
 * One event for each root that is there on both sides and differs. Who made the changes isn't known
 * any more; as no call of this tab did, they count as the user's.
 */
function toJumpEvents(before: WorkspaceState, after: WorkspaceState): ChangeEvent[] {
  const events: ChangeEvent[] = [];
  const add = (root: string, from: WorkspaceState['main'], to: WorkspaceState['main']) => {
    const changes: PathChange[] = [];
    diffTrees(from, to, ({ path, before: old, after: now }) => {
      // A state that came as a snapshot shares no node with another: versions tell what differs.
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

/** The directories of the sessions that are among the first roots alone. */
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
