// The workspace in a tab: every operation is a message to the FS worker, which is the only writer.
// Parameters are cloned and stay the caller's.
import { toPlain } from '../../../core/values/to-plain.ts';
import type { ChangeSet, Version } from '../../../core/change-set.ts';
import type { WorkspaceHistory } from '../../../workspace/state/workspace-history.ts';
import type { WorkspaceRoots } from '../../../workspace/state/workspace-roots.ts';
import type {
  CommitOptions,
  CommitResult,
  PathState,
  RootTree,
  Workspace,
  WorkspaceInfo,
} from '../../../workspace/workspace.ts';
import type { FsWorkerClient } from './fs-worker-client.ts';
import { historyOperations, rootsOperations } from '../wire/protocol.ts';
import type { FsRequest, HistoryOperation, RootsOperation } from '../wire/protocol.ts';
import { createRemoteFileSystem } from './remote-file-system.ts';
import { createRemoteStreams } from './remote-streams.ts';

/** Created by create-browser-host.ts once the FS worker has opened the workspace. */
export interface WorkspaceClientOptions {
  readonly port: FsWorkerClient;
  /** Ends the FS worker after releasing the files. */
  readonly close: () => Promise<void>;
}

/** The workspace, and what the page forwards without inspecting it. */
export interface WorkspaceClient extends Workspace {
  /**
   * Same as `commit`, for a change set packed by packed-changes.ts. Its bytes are transferred to
   * the FS worker, because copying tens of megabytes would block the page. Rejects with
   * `worker-lost` if the worker ends before it has committed them.
   */
  commitPacked(packed: Uint8Array<ArrayBuffer>, options: CommitOptions): Promise<CommitResult>;
}

// The casts: our own FS worker answers, and serve-workspace.ts gives each request what it asks for.

/** Disposing of it closes the workspace and ends the FS worker. */
export function createWorkspaceClient({ port, close }: WorkspaceClientOptions): WorkspaceClient {
  /** The last record that was answered. Its event may not have arrived yet. */
  let lastSeq = 0;
  const hear = (heard: number) => void (lastSeq = Math.max(lastSeq, heard));
  async function commit(
    changeSet: ChangeSet | Uint8Array,
    options: CommitOptions,
    transfer?: ArrayBuffer[],
  ): Promise<CommitResult> {
    const request = { type: 'commit', changeSet, options } as const;
    const result = (await port.request(request, transfer ? { transfer } : {})) as CommitResult;
    // A call dispatched from here on must see this record, even if its event hasn't arrived.
    hear(result.seq);
    return result;
  }
  return {
    ...createRemoteTree(port, 'main'),
    at: (root) => createRemoteTree(port, root),
    roots: createRemotePart<WorkspaceRoots>(
      { port, hear },
      rootsOperations,
      (operation, parameters) => ({
        type: 'roots',
        operation: operation as RootsOperation,
        parameters,
      }),
    ),
    history: createRemotePart<WorkspaceHistory>(
      { port, hear },
      historyOperations,
      (operation, parameters) => ({
        type: 'history',
        operation: operation as HistoryOperation,
        parameters,
      }),
    ),
    streams: createRemoteStreams(port),
    info: async () => (await port.request({ type: 'info' })) as WorkspaceInfo,
    seq: () => Math.max(lastSeq, port.seq),
    commit: (changeSet, options) => commit(changeSet, options),
    commitPacked: (packed, options) => commit(packed, options, [packed.buffer]),
    treeHash: async () => (await port.request({ type: 'tree-hash' })) as string,
    onChange: (listener) => port.onChange(listener),
    [Symbol.asyncDispose]: close,
  };
}

function createRemoteTree(port: FsWorkerClient, root: string): RootTree {
  // Copied, here and below, because a request is posted after the current task.
  const ask = (type: 'versions' | 'look-up', paths: readonly string[]) =>
    port.request({ type, paths: toPlain(paths), root });
  return {
    fs: createRemoteFileSystem(port, root),
    versions: async (paths) => (await ask('versions', paths)) as Version[],
    lookUp: async (paths) => (await ask('look-up', paths)) as (PathState | null)[],
  };
}

/** Creates all methods of a part by name. The worker validates the parameters. */
function createRemotePart<Part>(
  { port, hear }: { readonly port: FsWorkerClient; readonly hear: (seq: number) => void },
  names: readonly string[],
  toRequest: (operation: string, parameters: readonly unknown[]) => FsRequest,
): Part {
  const methods = names.map((operation) => [
    operation,
    async (...given: unknown[]) => {
      const result = await port.request(toRequest(operation, structuredClone(toPlain(given))));
      // As for a commit: a view that is opened from here on must see the change.
      const { seq } = result as { readonly seq?: unknown };
      if (typeof seq === 'number') hear(seq);
      return result;
    },
  ]);
  return Object.fromEntries(methods) as Part;
}
