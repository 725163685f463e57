// Checks what is asked of a stream against the state at its turn, and works out the change. A full
// tail is packed here. Pure; plan-group.ts calls it.
import type { ContentId, Version } from '../../core/change-set.ts';
import { SdkError } from '../../core/errors.ts';
import type { NewContent } from '../state/record.ts';
import { encodeEntries } from '../state/stream-pack.ts';
import type {
  StoredEntry,
  StreamChange,
  StreamPack,
  StreamState,
  Streams,
} from '../state/stream-state.ts';
import type { ValidEntry, ValidStreamRequest } from './validate-stream.ts';

// Each has up to 32 kB of entries in memory and in every image.
const maxStreams = 4096;

/** What the log holds already, and when to pack. */
export interface StreamPlanOptions {
  /** The first free content id. */
  readonly nextContentId: ContentId;
  /** `LogLimits.packBytes` */
  readonly packBytes: number;
  /** The number of the commit that it is a part of. */
  readonly seq?: Version;
}

/** What goes into the record. */
export interface StreamPlan {
  readonly change: StreamChange;
  readonly contents: readonly NewContent[];
}

/** The stream of that id. Throws `invalid-input` where there is none. */
export function findStream(streams: Streams, id: string): StreamState {
  const stream = streams.get(id);
  if (stream) return stream;
  throw new SdkError(
    'invalid-input',
    `The workspace has no stream '${id}': it was dropped, or nothing was ever appended to it.`,
    { data: { stream: id } },
  );
}

/** Throws `EFENCED` for another length than was expected, else `invalid-input`. */
export function checkStreamRequest(streams: Streams, request: ValidStreamRequest): void {
  const { stream: id } = request;
  switch (request.type) {
    case 'append': {
      const length = streams.get(id)?.length ?? 0;
      if (request.at !== length) throw fenceError(id, length, request.at);
      if (length === 0) checkRoom(streams);
      return;
    }
    case 'fork': {
      const { length } = findStream(streams, request.from);
      if (streams.get(id)) throw refusal(id, `The workspace has a stream '${id}' already.`);
      if ((request.length ?? length) > length) {
        throw refusal(request.from, `'${request.from}' has only ${length} entries.`);
      }
      checkRoom(streams);
      return;
    }
    case 'drop':
      findStream(streams, id);
  }
}

/** Only for what {@link checkStreamRequest} has passed. */
export function planStream(
  streams: Streams,
  request: ValidStreamRequest,
  options: StreamPlanOptions,
): StreamPlan {
  switch (request.type) {
    case 'append':
      return planAppend(streams.get(request.stream)?.tail ?? [], request, options);
    case 'fork': {
      const { length = findStream(streams, request.from).length } = request;
      return { change: { ...request, length }, contents: [] };
    }
    case 'drop':
      return { change: request, contents: [] };
  }
}

function planAppend(
  before: readonly StoredEntry[],
  { stream, at, entries: added }: ValidStreamRequest & { readonly type: 'append' },
  { nextContentId, packBytes, seq }: StreamPlanOptions,
): StreamPlan {
  const contents: NewContent[] = [];
  const store = (bytes: Uint8Array) => {
    const contentId = nextContentId + contents.length;
    contents.push({ contentId, bytes });
    return contentId;
  };
  const entries = added.map((entry) => toStored(entry, store, seq));
  const packs: StreamPack[] = [];
  let open = [...before];
  let size = open.reduce((sum, { json }) => sum + json.length, 0);
  for (const entry of entries) {
    open.push(entry);
    size += entry.json.length;
    if (size < packBytes) continue;
    packs.push(toPack(open, store));
    open = [];
    size = 0;
  }
  const change =
    packs.length === 0
      ? ({ type: 'append', stream, at, entries } as const)
      : ({ type: 'append', stream, at, packs, entries: open } as const);
  return { change, contents };
}

function toStored(
  { json, contents }: ValidEntry,
  store: (bytes: Uint8Array) => ContentId,
  seq: Version | undefined,
): StoredEntry {
  const stored = contents.map((bytes) => [store(bytes), bytes.length] as const);
  return {
    json,
    ...(stored.length > 0 && { contents: stored }),
    ...(seq !== undefined && { seq }),
  };
}

function toPack(
  entries: readonly StoredEntry[],
  store: (bytes: Uint8Array) => ContentId,
): StreamPack {
  const bytes = encodeEntries(entries);
  return {
    contentId: store(bytes),
    size: bytes.length,
    count: entries.length,
    contents: entries.flatMap(({ contents = [] }) => contents),
  };
}

function checkRoom(streams: Streams): void {
  if (streams.size < maxStreams) return;
  throw new SdkError('invalid-input', `The workspace has ${maxStreams} streams. Drop some first.`);
}

function fenceError(stream: string, length: number, at: number): SdkError {
  return new SdkError(
    'EFENCED',
    `EFENCED: the stream '${stream}' has ${length} entries where its writer expected ${at}: ` +
      'another writer was here. Nothing was written. Read the stream anew, or leave it to the other.',
    { data: { stream, length, at } },
  );
}

function refusal(stream: string, message: string): SdkError {
  return new SdkError('invalid-input', message, { data: { stream } });
}

/** Was it a stream that had moved on? Any other `EFENCED` means that the workspace is lost. */
export function isStreamFence(error: unknown): boolean {
  return SdkError.isInstance(error) && error.code === 'EFENCED' && 'stream' in error.data;
}
