// The FS worker's end of the page's port: carries out requests on the workspace and announces every
// acknowledged record. It runs no tool code.
import { createAbortError } from '../../../core/async/abort.ts';
import { SdkError, toSerializedError } from '../../../core/errors.ts';
import { rowOf } from '../../../workspace/files/file-operations.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { createWriterFileSystem } from '../../../workspace/commit/writer-file-system.ts';
import type { WriterPort } from '../../../workspace/commit/writer-port.ts';
import {
  createWriterHistory,
  type HistoryWriter,
} from '../../../workspace/commit/writer-history.ts';
import { createWriterRoots, type RootsWriter } from '../../../workspace/commit/writer-roots.ts';
import { callFileSystem } from '../wire/call-file-system.ts';
import { toWire } from '../wire/file-system-wire.ts';
import { importEntries } from './import-entries.ts';
import {
  historyOperations,
  rootsOperations,
  type FromFsWorker,
  type FsRequest,
  type ImportProgress,
  type ToFsWorker,
} from '../wire/protocol.ts';
import { unpackChanges } from '../wire/packed-changes.ts';
import { RunningRequests } from '../wire/request-port.ts';
import type { OpenedWorkspace } from './open-shared.ts';
import { announceStreams, callStreams } from './serve-streams.ts';
import { bytesAmong, createOutbox, type Posted } from '../wire/outbox.ts';

/** What the FS worker has once the workspace is open. */
export interface ServeWorkspacePorts {
  readonly workspace: Workspace;
  /** The writer of the same workspace, to which imports are committed. */
  readonly writer: WriterPort;
  readonly nextOrigin: OpenedWorkspace['nextOrigin'];
  readonly isLeading: OpenedWorkspace['isLeading'];
}

/** Serves until disposed of. Open imports and ticks are then stopped. */
export function serveWorkspace(port: MessagePort, ports: ServeWorkspacePorts): Disposable {
  const { workspace } = ports;
  const running = new RunningRequests();
  const outbox = createOutbox<FromFsWorker>({
    post: (posted) => port.postMessage(posted),
    onUnsendable(message, error) {
      // An event is plain data and can always be cloned. For an answer that can't, its request
      // fails.
      if (!('id' in message)) throw error;
      send({ type: 'failed', id: message.id, error: toSerializedError(error) });
    },
  });
  const send = (message: FromFsWorker) => outbox.add(message);
  const announcing = workspace.onChange((event) => send({ type: 'change', event }));
  const announcingStreams = announceStreams(ports.writer, (changed) =>
    send({ type: 'stream', changed }),
  );

  async function answer(id: number, request: FsRequest): Promise<void> {
    const onProgress = (progress: ImportProgress) => send({ type: 'progress', id, progress });
    const onCommit = (value: unknown) => {
      const origin = ports.nextOrigin();
      if (!origin) return;
      send({ type: 'committing', id, origin, value });
      // Announced before the commit can be written. Here it is written in another task, but a
      // leader in another tab gets it at once.
      if (!ports.isLeading()) outbox.flush();
    };
    try {
      const value = await running.run(id, (signal) =>
        run(request, ports, { signal, onProgress, onCommit }),
      );
      outbox.add({ type: 'reply', id, value }, { bytes: bytesAmong([value].flat()) });
    } catch (error) {
      send({ type: 'failed', id, error: toSerializedError(error) });
    }
  }

  function receive(message: ToFsWorker): void {
    switch (message.type) {
      case 'cancel':
        running.abort(message.id, createAbortError());
        return;
      case 'request':
        void answer(message.id, message.request);
        return;
      default:
        send({ type: 'refused', reason: unknownMessage(message) });
    }
  }

  port.addEventListener('message', ({ data }: MessageEvent<Posted<ToFsWorker>>) => {
    for (const message of [data].flat()) receive(message);
  });
  port.start();

  return {
    [Symbol.dispose]() {
      announcing[Symbol.dispose]();
      announcingStreams[Symbol.dispose]();
      running.abortAll(createAbortError());
      outbox.flush();
      port.close();
    },
  };
}

/** Options of slow requests. Other requests run to their end. */
interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Called just before a commit, with its result. */
  readonly onCommit: (value: unknown) => void;
}

async function run(
  request: FsRequest,
  ports: ServeWorkspacePorts,
  { signal, onProgress, onCommit }: RunOptions,
): Promise<unknown> {
  const { workspace, writer } = ports;
  switch (request.type) {
    case 'fs': {
      const { operation, parameters, root } = request;
      const fs = rowOf(operation).changes
        ? createWriterFileSystem(writer, root, (result) => onCommit(toWire(operation, result)))
        : workspace.at(root).fs;
      return toWire(operation, await callFileSystem(fs, operation, parameters));
    }
    case 'roots': {
      const roots = createWriterRoots(announceChanges(writer, () => onCommit(null)));
      return callNamed(roots, rootsOperations, request);
    }
    case 'history': {
      const announcing = announceChanges(writer, () => onCommit(null));
      return callNamed(createWriterHistory(announcing), historyOperations, request);
    }
    case 'streams':
      return callStreams(writer, request, onCommit);
    case 'commit': {
      const { changeSet, options } = request;
      const changes = changeSet instanceof Uint8Array ? unpackChanges(changeSet) : changeSet;
      onCommit(null);
      return writer.commit(changes, options);
    }
    case 'versions':
      return workspace.at(request.root).versions(request.paths);
    case 'look-up':
      return workspace.at(request.root).lookUp(request.paths);
    case 'tree-hash':
      return workspace.treeHash();
    case 'info':
      return workspace.info();
    case 'import':
      return importEntries(request.source, request.settings, writer, { signal, onProgress });
    case 'tick':
      return tick(request.delayMs, signal);
    default:
      throw new SdkError('invalid-input', unknownMessage(request));
  }
}

/** A page of another version may have messages that are unknown here. */
function unknownMessage(message: never): string {
  return `The FS worker knows no message of the type "${String(Object(message).type)}".`;
}

/** Wraps the writer for roots and the file history. Calls `announce` before each change. */
function announceChanges(writer: WriterPort, announce: () => void): RootsWriter & HistoryWriter {
  return {
    get state() {
      return writer.state;
    },
    get contents() {
      return writer.contents;
    },
    changeRoots(...given) {
      announce();
      return writer.changeRoots(...given);
    },
    commit(...given) {
      announce();
      return writer.commit(...given);
    },
  };
}

/** Calls one of these methods by name. The workspace validates the parameters as untrusted. */
async function callNamed<Name extends string>(
  part: Readonly<Record<Name, unknown>>,
  operations: readonly Name[],
  { type, operation, parameters }: NamedRequest<Name>,
): Promise<unknown> {
  if (!operations.includes(operation)) {
    throw new SdkError('invalid-input', `There is no operation of ${type} "${String(operation)}".`);
  }
  const method = part[operation] as (...given: readonly unknown[]) => Promise<unknown>;
  return method(...parameters);
}

interface NamedRequest<Name> {
  readonly type: string;
  readonly operation: Name;
  readonly parameters: readonly unknown[];
}

/** Resolves after the delay. Rejects when aborted: the page then ignores the answer. */
function tick(delayMs: number, signal: AbortSignal): Promise<null> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(createAbortError());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(null);
    }, delayMs);
    signal.addEventListener('abort', stop, { once: true });
  });
}
