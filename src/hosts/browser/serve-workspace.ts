// The FS worker's end of the page's port: runs requests on the workspace and announces every
// acknowledged record. It runs no tool's code.
import { createAbortError } from '../../core/abort.ts';
import { SdkError, toSerializedError, type SerializedError } from '../../core/errors.ts';
import type { WorkspaceRoots } from '../../workspace/workspace-roots.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { createWriterFileSystem } from '../../workspace/writer-file-system.ts';
import type { WriterPort } from '../../workspace/writer-port.ts';
import { createWriterRoots, type RootsWriter } from '../../workspace/writer-roots.ts';
import { callFileSystem } from './call-file-system.ts';
import { toWire } from './file-system-wire.ts';
import { importEntries } from './import-entries.ts';
import type {
  FileSystemOperation,
  FromFsWorker,
  FsRequest,
  ImportProgress,
  RootsOperation,
} from './protocol.ts';
import type { OpenedWorkspace } from './open-shared.ts';
import { readToFsWorker } from './read-message.ts';

/** What the FS worker has once the workspace is open. */
export interface ServeWorkspacePorts {
  readonly workspace: Workspace;
  /** The same workspace's: what imports are committed to. */
  readonly writer: WriterPort;
  readonly nextOrigin: OpenedWorkspace['nextOrigin'];
}

/** Serves until it is disposed; open imports and ticks are then stopped. */
export function serveWorkspace(port: MessagePort, ports: ServeWorkspacePorts): Disposable {
  const { workspace } = ports;
  const open = new Map<number, AbortController>();
  const send = (message: FromFsWorker) => port.postMessage(message);
  const announcing = workspace.onChange((event) => send({ type: 'change', event }));

  async function answer(id: number, request: FsRequest): Promise<void> {
    const controller = new AbortController();
    open.set(id, controller);
    try {
      const value = await run(request, ports, {
        signal: controller.signal,
        onProgress: (progress) => send({ type: 'progress', id, progress }),
        onCommit(value) {
          const origin = ports.nextOrigin();
          if (origin) send({ type: 'committing', id, origin, value });
        },
      });
      send({ type: 'reply', id, value });
    } catch (error) {
      send({ type: 'failed', id, error: toSerializedError(error) });
    } finally {
      open.delete(id);
    }
  }

  /** A request that is badly made fails; what isn't even a request is refused as a whole. */
  function refuse(data: unknown, error: SerializedError): void {
    const id: unknown = Object(data).id;
    const isRequest = Number.isSafeInteger(id) && !open.has(id as number);
    if (isRequest) send({ type: 'failed', id: id as number, error });
    else send({ type: 'refused', reason: error.message });
  }

  port.addEventListener('message', (event) => {
    try {
      const message = readToFsWorker(event.data);
      if (message.type === 'cancel') open.get(message.id)?.abort(createAbortError());
      else if (open.has(message.id)) throw new SdkError('invalid-input', 'A number used twice.');
      else void answer(message.id, message.request);
    } catch (error) {
      refuse(event.data, toSerializedError(error));
    }
  });
  port.start();

  return {
    [Symbol.dispose]() {
      announcing[Symbol.dispose]();
      for (const controller of open.values()) controller.abort(createAbortError());
      port.close();
    },
  };
}

/** They commit nothing. (A `readFile` that is told to write is done again at no harm.) */
const readingOperations: ReadonlySet<FileSystemOperation> = new Set([
  'readFile',
  'readPart',
  'access',
  'stat',
  'lstat',
  'readdir',
  'realpath',
  'readlink',
  'readMany',
  'walk',
]);

/** For the requests that take long; the others run to their end. */
interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
  /** Just before something is committed, with what it will result in. */
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
      const { operation, parameters } = request;
      const fs = readingOperations.has(operation)
        ? workspace.fs
        : createWriterFileSystem(writer, (result) => onCommit(toWire(operation, result)));
      return toWire(operation, await callFileSystem(fs, operation, parameters));
    }
    case 'roots': {
      const roots = createWriterRoots(announceChanges(writer, () => onCommit(null)));
      return callRoots(roots, request.operation, request.parameters);
    }
    case 'commit':
      onCommit(null);
      return writer.commit(request.changeSet, request.options);
    case 'versions':
      return workspace.versions(request.paths);
    case 'tree-hash':
      return workspace.treeHash();
    case 'info':
      return workspace.info();
    case 'import':
      return importEntries(request.source, request.settings, writer, { signal, onProgress });
    case 'tick':
      return tick(request.delayMs, signal);
  }
}

/** The writer, as far as roots need it, and whoever asks it for a change says so first. */
function announceChanges(writer: WriterPort, announce: () => void): RootsWriter {
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
  };
}

/** The workspace checks what it is given as if an attacker had sent it. */
function callRoots(
  roots: WorkspaceRoots,
  operation: RootsOperation,
  parameters: readonly unknown[],
): Promise<unknown> {
  const method = roots[operation] as (...given: readonly unknown[]) => Promise<unknown>;
  return method(...parameters);
}

/** Rejects when it is stopped: the page has given the deadline up and looks at no answer. */
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
