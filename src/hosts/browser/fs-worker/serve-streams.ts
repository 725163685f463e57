// Serves the page's requests for streams. The FS worker's workspace validates the parameters as
// untrusted.
import { SdkError } from '../../../core/errors.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import { createWriterStreams, readPieces } from '../../../workspace/commit/writer-streams.ts';
import type { StreamState } from '../../../workspace/state/stream-state.ts';
import type { AppendOptions, NewStreamEntry } from '../../../workspace/streams.ts';
import type { StreamLength, StreamsOperation } from '../wire/protocol.ts';

/** `onCommit` receives the result of a write just before it is committed. */
export async function callStreams(
  writer: WriterPort,
  request: { readonly operation: StreamsOperation; readonly parameters: readonly unknown[] },
  onCommit: (value: unknown) => void,
): Promise<unknown> {
  const streams = createWriterStreams(writer);
  // The casts are safe: each parameter is validated by its method.
  const [first, second, third] = request.parameters as readonly [never, never, never];
  switch (request.operation) {
    case 'append':
      onCommit(resultOf(second, third));
      return streams.append(first, second, third);
    case 'fork':
      onCommit(null);
      return streams.fork(first, second, third);
    case 'drop':
      onCommit(null);
      return streams.drop(first);
    case 'list':
      return streams.list();
    case 'content':
      return ownCopy(await streams.readContent(first));
    case 'lengths':
      return lengthsOf(writer);
    case 'page': {
      const page = await readPieces(writer, first, second);
      const pieces = page.pieces.map((piece) => ({ ...piece, bytes: ownCopy(piece.bytes) }));
      return { ...page, pieces };
    }
    default:
      throw new SdkError(
        'invalid-input',
        `There is no operation of streams "${String(request.operation satisfies never)}".`,
      );
  }
}

/** Calls back for each stream that has changed, until it is disposed. */
export function announceStreams(
  writer: WriterPort,
  announce: (changed: StreamLength) => void,
): Disposable {
  let { streams } = writer.state;
  return writer.onStreams(() => {
    const before = streams;
    streams = writer.state.streams;
    before.diff(streams, (id, old, now) => {
      if (now) announce(toLength(id, now));
      else if (old) announce({ ...toLength(id, old), length: 0 });
    });
  });
}

function lengthsOf({ state }: WriterPort): StreamLength[] {
  const lengths: StreamLength[] = [];
  state.streams.forEach((id, stream) => lengths.push(toLength(id, stream)));
  return lengths;
}

function toLength(stream: string, { made, length, forkedFrom }: StreamState): StreamLength {
  return { stream, made, length, forked: forkedFrom?.length ?? 0 };
}

/** Returns the result with which `append` will resolve. For invalid arguments `append` rejects. */
function resultOf(entries: readonly NewStreamEntry[], options: AppendOptions) {
  return { length: Number(Object(options).at) + Number(Object(entries).length) };
}

/** Copies a view's bytes, because otherwise its whole buffer would be sent. */
function ownCopy(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
