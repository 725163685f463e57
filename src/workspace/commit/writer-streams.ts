// `Workspace.streams` over a writer port. Writes are requests to the writer. Reads are answered
// from the state and its contents, so they work in every tab.
import { surface } from '../../core/async/surface.ts';
import { readContent } from '../state/content-source.ts';
import { invalid, isCount, toFields } from '../state/read-fields.ts';
import { decodePiece, partsOf, readParts } from '../state/stream-pack.ts';
import type { StreamPart, StreamPiece } from '../state/stream-pack.ts';
import { inOrder, streamBytes, type StreamState, type Streams } from '../state/stream-state.ts';
import type { StreamAppended, StreamEntry, WorkspaceStreams } from '../streams.ts';
import { findStream } from './plan-stream.ts';
import { validateStreamId } from './validate-stream.ts';
import type { WriterPort } from './writer-port.ts';

/**
 * The part of a writer that streams need. Its state shows a change once the change has resolved.
 */
export type StreamsWriter = Pick<WriterPort, 'state' | 'contents' | 'changeStream' | 'onStreams'>;

// 2 MB: few round trips for a long stream, and parsed in about 15 ms.
const batchBytes = 2_097_152;

/**
 * Security: requests from the page arrive here. The writer validates those that write; the others
 * are validated here.
 */
export function createWriterStreams(writer: StreamsWriter): WorkspaceStreams {
  return {
    async append(id, entries, options) {
      toFields(options, 'Options');
      const { at, durability } = options;
      const request = { type: 'append', stream: id, at, entries } as const;
      await writer.changeStream(request, { ...(durability && { durability }) });
      return { length: at + entries.length };
    },
    async *read(id, from = 1) {
      const stream = findStream(writer.state.streams, validateStreamId(id, 'The stream'));
      for (const batch of toBatches(partsOf(stream, validateFrom(from)))) {
        for (const piece of await readParts(batch, writer.contents)) yield* decodePiece(piece);
      }
    },
    async readContent(contentId) {
      if (!isCount(contentId)) throw invalid('A content is named by a whole number.');
      return readContent(writer.contents, contentId);
    },
    async fork(id, newId, options = {}) {
      toFields(options, 'Options');
      const { length } = options;
      const request = { type: 'fork', stream: newId, from: id } as const;
      await writer.changeStream(length === undefined ? request : { ...request, length }, {});
      // Another client may have appended to the fork since. Only the entries taken over count.
      const made = findStream(writer.state.streams, newId);
      return { length: made.forkedFrom?.length ?? made.length };
    },
    list: async () => inOrder(writer.state.streams).map(toStreamInfo),
    async drop(id) {
      await writer.changeStream({ type: 'drop', stream: id }, {});
    },
    onAppend: (listener, onError = surface) => new Appends(writer, listener, onError),
    onChange: (listener) => writer.onStreams(listener),
  };
}

/** Returns the first entries from `from` on, encoded: about 2 MB. For a reader in another realm. */
export async function readPieces(
  { state, contents }: Pick<StreamsWriter, 'state' | 'contents'>,
  id: string,
  from: number,
): Promise<Pick<StreamState, 'made' | 'length'> & { readonly pieces: readonly StreamPiece[] }> {
  const stream = findStream(state.streams, validateStreamId(id, 'The stream'));
  const { made, length } = stream;
  const [batch = []] = toBatches(partsOf(stream, validateFrom(from)));
  return { made, length, pieces: await readParts(batch, contents) };
}

/** @throws SdkError `invalid-input` */
function validateFrom(from: unknown): number {
  if (Number.isSafeInteger(from) && (from as number) >= 1) return from as number;
  throw invalid('A stream is read from a whole number from 1.');
}

/** Groups parts that are read at once: about {@link batchBytes}, and at least one part. */
function* toBatches(parts: readonly StreamPart[]): Generator<readonly StreamPart[]> {
  let batch: StreamPart[] = [];
  let bytes = 0;
  for (const part of parts) {
    batch.push(part);
    bytes += 'size' in part ? part.size : part.bytes.length;
    if (bytes < batchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function toStreamInfo([id, stream]: readonly [string, StreamState]) {
  const { length, forkedFrom } = stream;
  return { id, length, bytes: streamBytes(stream), ...(forkedFrom && { forkedFrom }) };
}

/**
 * Reports appended entries by comparing lengths, so it misses nothing when the state jumps. Entries
 * in the tail are reported at once. Packed entries are read first.
 */
class Appends implements Disposable {
  readonly #writer: StreamsWriter;
  readonly #listener: (appended: StreamAppended) => void;
  readonly #onError: (error: unknown) => void;
  readonly #listening: Disposable;
  /** The streams whose entries the listener has received, or is about to. */
  #told: Streams;
  /** Set during a read. Later entries wait for it. */
  #reading: Promise<void> | undefined;
  #isOver = false;

  constructor(
    writer: StreamsWriter,
    listener: (appended: StreamAppended) => void,
    onError: (error: unknown) => void,
  ) {
    this.#writer = writer;
    this.#listener = listener;
    this.#onError = onError;
    this.#told = writer.state.streams;
    this.#listening = writer.onStreams(() => this.#compare());
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#listening[Symbol.dispose]();
  }

  #compare(): void {
    const before = this.#told;
    const { streams } = this.#writer.state;
    this.#told = streams;
    const changed: [string, StreamState, number][] = [];
    before.diff(streams, (id, old, now) => {
      if (!now) return;
      // The stream was dropped and another one has the same id.
      const known = old?.made === now.made ? old.length : (now.forkedFrom?.length ?? 0);
      if (now.length > known) changed.push([id, now, known + 1]);
    });
    for (const [id, stream, from] of changed) this.#take(id, partsOf(stream, from));
  }

  #take(id: string, parts: readonly StreamPart[]): void {
    const isHere = parts.every((part) => 'bytes' in part);
    if (isHere && !this.#reading) {
      this.#tell(id, parts.flatMap(decodePiece));
      return;
    }
    const reading = (this.#reading ?? Promise.resolve()).then(async () => {
      try {
        const pieces = await readParts(parts, this.#writer.contents);
        this.#tell(id, pieces.flatMap(decodePiece));
      } catch (error) {
        if (!this.#isOver) this.#onError(error);
      } finally {
        if (this.#reading === reading) this.#reading = undefined;
      }
    });
    this.#reading = reading;
  }

  #tell(stream: string, entries: readonly StreamEntry[]): void {
    if (this.#isOver) return;
    try {
      this.#listener({ stream, entries });
    } catch (error) {
      this.#onError(error);
    }
  }
}
