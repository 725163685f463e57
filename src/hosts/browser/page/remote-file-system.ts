// The file system on the page: each operation is a message to the FS worker. Inverse:
// call-file-system.ts, which carries them out. Part of the workspace of workspace-client.ts.
import { toPlain } from '../../../core/values/to-plain.ts';
import { refuseOptions } from '../../../workspace/files/file-arguments.ts';
import { openFileHandle } from '../../../workspace/files/file-handle.ts';
import { createFileFace } from '../../../workspace/files/file-operations.ts';
import type { FileOperation } from '../../../workspace/files/file-operations.ts';
import type { FileSystem } from '../../../workspace/files/file-system.ts';
import { createFsError } from '../../../workspace/files/fs-error.ts';
import { checkPath } from '../../../workspace/files/locate.ts';
import { watchPath, type WatchSource } from '../../../workspace/files/watch-path.ts';
import { findMisfit } from '../wire/call-file-system.ts';
import { fromWire } from '../wire/file-system-wire.ts';
import type { FsWorkerClient } from './fs-worker-client.ts';
import { toShownChanges } from '../../../workspace/state/change-events.ts';

// The casts: our own FS worker answers, and serve-workspace.ts gives each request what it asks for.

/**
 * Creates the file system of one root. All methods of the port exist by name; the worker validates
 * the parameters. `open` and `watch` are built from the others here, so the worker keeps no state
 * for a handle.
 */
export function createRemoteFileSystem(port: FsWorkerClient, root: string): FileSystem {
  const fs = createFileFace(async (operation, parameters) => {
    requireSendable(operation, parameters);
    const given = parameters.map(asItIsNow);
    const request = { type: 'fs', operation, parameters: given, root } as const;
    return fromWire(operation, await port.request(request));
  }) as FileSystem;
  const source: WatchSource = {
    listen: (listener) =>
      port.onChange((event) => {
        const changes = toShownChanges(event, root);
        if (changes.length > 0) listener(changes);
      }),
  };
  return {
    ...fs,
    open: (path, flags, mode) => openFileHandle(fs, path, flags, mode),
    watch: (path, options) => watchPath(fs, source, path, options),
  };
}

/**
 * Copies what the caller may change later, because a request is posted after the current task, and
 * again if the worker was replaced. Of a view only its own bytes are copied.
 */
function asItIsNow(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  return typeof value === 'object' ? structuredClone(toPlain(value)) : value;
}

/**
 * Refuses values that no message can carry, with Node's codes. The worker validates everything
 * else.
 */
function requireSendable(operation: FileOperation, parameters: readonly unknown[]): void {
  const path = parameters[0];
  const call = { syscall: operation, path: String(path) };
  if (operation !== 'readMany') checkPath(path, call);
  for (const value of parameters) {
    const instead = 'the files are in a worker, which it cannot reach; choose by readdir or walk';
    refuseOptions(value, { filter: instead }, call);
    refuseOptions(value, { signal: 'nothing here runs long enough to be cut' }, call);
  }
  const message = findMisfit(operation, parameters);
  if (message !== undefined) throw createFsError('ERR_INVALID_ARG_TYPE', { ...call, message });
}
