// A person's search on the page. It runs in a tool worker, which has the files and the index.
// Permission rules don't apply, because a person searches.
import { GRACE_MS } from '../../../agent/calls/call-deadline.ts';
import { defaultWorkLimits } from '../../../agent/session/session.ts';
import { throwIfAborted } from '../../../core/async/abort.ts';
import { fromSerializedError, SdkError } from '../../../core/errors.ts';
import type { PathAccess } from '../../../core/access/path-access.ts';
import { toPlain } from '../../../core/values/to-plain.ts';
import type { Clock, Executor, WorkReply } from '../../../core/tool/ports.ts';
import {
  searchFilesName,
  type SearchFilesOutput,
  type SearchFilesProgress,
} from '../../../tools/search-files/schema.ts';
import type { FileQuery, SearchFilesOptions } from '../../../search/search-files.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import { replyUntilAborted } from '../../reply-until-aborted.ts';

/** What a search needs of the host. */
export interface SearchPorts {
  readonly executor: Executor;
  readonly workspace: Workspace;
  readonly clock: Clock;
}

// 10 s, as in the worker: nobody waits longer for a search box.
const defaultTimeoutMs = 10_000;

const readAll: PathAccess = { cwd: '/', roots: ['/'], readOnlyRoots: [], rules: [], write: 'deny' };

let searches = 0;

/** See `BrowserHost.searchFiles`. */
export async function searchFiles(
  { executor, workspace, clock }: SearchPorts,
  query: FileQuery,
  { signal, onFile, onProgress, ...caps }: SearchFilesOptions,
): Promise<SearchFilesOutput> {
  throwIfAborted(signal);
  const { timeoutMs = defaultTimeoutMs } = caps;
  const input = toPlain({ ...query, ...caps, timeoutMs });
  let isOver = false;
  // The worker ends a search at its deadline itself. If it doesn't, the worker is ended.
  let deadline: Disposable | undefined;
  const giveUp = () =>
    work.kill(`The search had not stopped ${GRACE_MS} ms after its time was over.`);
  const work = executor.start(
    {
      callId: `search-${(searches += 1)}`,
      toolName: searchFilesName,
      input,
      sessionId: searchFilesName,
      address: { root: 'main', minSeq: workspace.seq() },
      access: readAll,
      cwd: '/',
      limits: { ...defaultWorkLimits, timeoutMs },
      knownVersions: [],
      isStateless: true,
    },
    (message) => {
      if (isOver) return;
      // The cast: our own worker sends it, from tools/search-files/worker.ts.
      const { files, searched, total } = message as SearchFilesProgress;
      for (const file of files) onFile(file);
      onProgress?.(searched, total);
    },
    { onClockStart: () => (deadline ??= clock.after(timeoutMs + GRACE_MS, giveUp)) },
  );
  void work.reply.then(() => deadline?.[Symbol.dispose]());
  try {
    return toOutput(await replyUntilAborted(work, signal, 'The search was stopped.'));
  } finally {
    isOver = true;
  }
}

function toOutput(reply: WorkReply): SearchFilesOutput {
  // The cast: see above.
  if (reply.type === 'done') return reply.output as SearchFilesOutput;
  if (reply.type === 'failed') throw fromSerializedError(reply.error);
  throw new SdkError('worker-lost', reply.message);
}
