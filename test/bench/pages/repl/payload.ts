// The page whose downloads the Repl bench counts: as an embedder's would be, with the library's own
// workers. Driven by ../../repl/measure-payload.ts.
import { createBrowserHost } from 'rockpool/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';

/** What a cell that multiplies came to. */
export interface FirstAnswer {
  readonly display?: string;
}

declare global {
  interface Window {
    /** Set when the page is ready. Opens a host and runs its first cell. */
    runFirstCell?: () => Promise<FirstAnswer>;
  }
}

window.runFirstCell = async () => {
  const host = await createBrowserHost({
    workspace: 'payload',
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
  const access = {
    cwd: host.cwd,
    roots: ['/'],
    readOnlyRoots: [],
    rules: [],
    write: 'allow',
  } as const;
  const call = host.executor.start(
    {
      callId: 'first',
      toolName: 'Repl',
      input: { code: '6 * 7' },
      sessionId: 'payload',
      address: { root: 'main', minSeq: host.workspace.seq() },
      access,
      cwd: host.cwd,
      limits: {
        timeoutMs: 60_000,
        maxFileBytes: 1_000_000,
        maxOutputChars: 1_000_000,
        maxMemoryBytes: 64 * 1024 * 1024,
      },
      knownVersions: [],
    },
    () => {},
  );
  const reply = await call.reply;
  if (reply.type !== 'done') throw new Error(JSON.stringify(reply));
  return reply.output as FirstAnswer;
};
