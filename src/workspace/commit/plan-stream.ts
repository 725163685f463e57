// Checks a request for a stream against the state at its turn, and computes the change. A full tail
// is packed here. A pure function, called by plan-group.ts.
import type { ContentId, Version } from '../../core/change-set.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
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

// 4 096: each stream has up to 32 kB of entries in memory and in every image.
const maxStreams = 4096;

/** The contents that the log has, and when to pack. */
export interface StreamPlanOptions {
  /** The first free content id. */
  readonly nextContentId: ContentId;
  /** `LogLimits.packBytes` */
  readonly packBytes: number;
  /** The number of the commit that contains the request. */
  readonly seq?: Version;
}

/** The change for the record. */
export interface StreamPlan {
  readonly change: StreamChange;
  readonly contents: readonly NewContent[];
}

/** Returns the stream of that id. @throws SdkError `invalid-input` if there is none */
export function findStream(streams: Streams, id: string): StreamState {
  const stream = streams.get(id);
  if (stream) return stream;
  throw new SdkError(
    'invalid-input',
    `The workspace has no stream '${id}': it was dropped, or nothing was ever appended to it.`,
    { data: { stream: id } },
  );
}

/**
 * @throws SdkError `EFENCED` if the stream's length isn't the expected one; otherwise
 * `invalid-input`
 */
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

/** Call this only for a request that {@link checkStreamRequest} has accepted. */
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

/**
 * True if a stream has advanced. Any other `EFENCED` means that the workspace has another owner.
 */
export function isStreamFence(error: unknown): boolean {
  return hasCode(error, 'EFENCED') && 'stream' in error.data;
}
