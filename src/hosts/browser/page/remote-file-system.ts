// The files as the page holds them: each operation is a message to the FS worker. Inverse:
// call-file-system.ts, which runs them there. Part of the workspace that workspace-client.ts makes.
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
 * Those of the root of that id. Every method of the port by its name: the worker checks the parameters. `open` and `watch` are made
 * of the others here, so the worker keeps nothing for a handle and forgets nothing with a page.
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
 * A copy of what the caller may change: a request is posted when the calling task is through, and again
 * if its worker was replaced. Of bytes those of the view alone.
 */
function asItIsNow(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
  }
  return typeof value === 'object' ? structuredClone(value) : value;
}

/** Refuses with Node's codes what no message could carry; all else is the worker's to judge. */
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
