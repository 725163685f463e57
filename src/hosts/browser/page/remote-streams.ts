// `Workspace.streams` on the page: writes and reads are requests to the FS worker. The worker
// reports the new length of a stream, and the page then reads the entries.
import type { ContentId } from '../../../core/change-set.ts';
import { SdkError } from '../../../core/errors.ts';
import { decodePiece } from '../../../workspace/state/stream-pack.ts';
import type {
  StreamAppended,
  StreamEntry,
  StreamInfo,
  WorkspaceStreams,
} from '../../../workspace/streams.ts';
import type { FsWorkerClient } from './fs-worker-client.ts';
import type { StreamLength, StreamPage, StreamsOperation } from '../wire/protocol.ts';
import { followLeaving, whenStaying } from './page-leaving.ts';

// The casts: our own FS worker answers, and serve-streams.ts gives each request what it asks for.

export function createRemoteStreams(port: FsWorkerClient): WorkspaceStreams {
  const ask = (operation: StreamsOperation, ...parameters: readonly unknown[]) =>
    port.request({ type: 'streams', operation, parameters });
  const readPage = async (id: string, from: number) => (await ask('page', id, from)) as StreamPage;
  const list = async () => (await ask('list')) as StreamInfo[];
  followLeaving();
  return {
    async append(...given) {
      const staying = whenStaying();
      if (staying) await staying;
      return (await ask('append', ...given)) as { length: number };
    },
    async *read(id, from = 1) {
      const first = await readPage(id, from);
      const end = first.length + 1;
      for (let page: StreamPage | undefined = first; page;) {
        if (page.made !== first.made) throw createRemadeError(id);
        const next: number = page.pieces.at(-1)?.end ?? end;
        // The next part is requested before this one is parsed, so that the worker reads meanwhile.
        const reading: Promise<StreamPage> | undefined =
          next < end ? readPage(id, next) : undefined;
        // It may reject before it is awaited, or after the reader has stopped.
        reading?.catch(() => {});
        for (const piece of page.pieces) {
          yield* decodePiece({ ...piece, end: Math.min(piece.end, end) });
        }
        page = await reading;
      }
    },
    readContent: async (contentId: ContentId) => (await ask('content', contentId)) as Uint8Array,
    async fork(id, newId, options) {
      await ask('fork', id, newId, options);
      const made = (await list()).find((stream) => stream.id === newId);
      return { length: made?.forkedFrom?.length ?? 0 };
    },
    list,
    async drop(id) {
      await ask('drop', id);
    },
    onAppend: (listener, onError = (error) => reportError(error)) =>
      new RemoteAppends({ port, ask, readPage }, listener, onError),
    onChange: (listener) => port.onStreams(() => listener()),
  };
}

interface AppendsSource {
  readonly port: FsWorkerClient;
  readonly ask: (operation: StreamsOperation) => Promise<unknown>;
  readonly readPage: (id: string, from: number) => Promise<StreamPage>;
}

/** Reports appended entries to a listener, in order. */
class RemoteAppends implements Disposable {
  readonly #source: AppendsSource;
  readonly #listener: (appended: StreamAppended) => void;
  readonly #onError: (error: unknown) => void;
  readonly #listening: Disposable;
  /** Stream id → the length up to which the listener was informed. */
  readonly #told = new Map<string, StreamLength>();
  #turn: Promise<void>;
  #isOver = false;

  constructor(
    source: AppendsSource,
    listener: (appended: StreamAppended) => void,
    onError: (error: unknown) => void,
  ) {
    this.#source = source;
    this.#listener = listener;
    this.#onError = onError;
    // Earlier entries aren't reported. So the lengths are requested at once, before the caller can
    // append anything.
    const asking = this.#askLengths();
    this.#turn = this.#run(async () => {
      for (const stream of await asking) this.#told.set(stream.stream, stream);
    });
    this.#listening = source.port.onStreams((changed) => {
      this.#turn = this.#turn.then(() =>
        this.#run(async () => {
          // Undefined means that another worker has taken over, and that appends may have been
          // missed.
          for (const stream of changed ? [changed] : await this.#askLengths()) {
            await this.#take(stream);
          }
        }),
      );
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#listening[Symbol.dispose]();
  }

  async #askLengths(): Promise<readonly StreamLength[]> {
    return (await this.#source.ask('lengths')) as readonly StreamLength[];
  }

  async #take(changed: StreamLength): Promise<void> {
    const { stream, made, length, forked } = changed;
    const before = this.#told.get(stream);
    if (before && (before.made > made || (before.made === made && before.length >= length))) return;
    // The stream was dropped and another one has the same id.
    let from = (before?.made === made ? before.length : forked) + 1;
    while (from <= length && !this.#isOver) {
      const page = await this.#source.readPage(stream, from);
      // It was dropped meanwhile. The next event is about its successor.
      if (page.made !== made) return;
      const entries: StreamEntry[] = page.pieces.flatMap((piece) => decodePiece(piece));
      from = (entries.at(-1)?.n ?? length) + 1;
      this.#told.set(stream, { ...changed, length: from - 1 });
      if (entries.length > 0) this.#tell({ stream, entries });
    }
  }

  #tell(appended: StreamAppended): void {
    if (this.#isOver) return;
    try {
      this.#listener(appended);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Never rejects. */
  async #run(step: () => Promise<void>): Promise<void> {
    try {
      if (!this.#isOver) await step();
    } catch (error) {
      // The stream was dropped before it could be read, so its entries can't be reported.
      const isDropped = SdkError.isInstance(error) && error.data['stream'] !== undefined;
      if (!this.#isOver && !isDropped) this.#onError(error);
    }
  }
}

function createRemadeError(stream: string): SdkError {
  return new SdkError(
    'ECONFLICT',
    `ECONFLICT: the stream '${stream}' was dropped while it was read. Nothing more of it is there.`,
    { data: { stream, paths: [] } },
  );
}
