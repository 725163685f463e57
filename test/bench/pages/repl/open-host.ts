// A browser host with what the Repl bench needs around it: cells without an agent, and a fresh worker
// on demand.
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { fullAccess, limits } from '../call-bounds.ts';
import timedWorkerUrl from './timed.worker.ts?worker&url';
import toolWorkerUrl from './tool.worker.ts?worker&url';

/** A cell's answer, as far as the bench looks at it. */
export interface CellAnswer {
  /** From the call on the page to the reply on the page. */
  readonly ms: number;
  readonly stdout: string;
  readonly display: string | undefined;
}

export interface OpenHost extends BrowserHost {
  /** Runs a cell in the session of this name, a warm one unless it is new. Throws where it fails. */
  runCell(code: string, session?: string): Promise<CellAnswer>;
  /** Calls any tool of the worker; its output. */
  callTool(toolName: string, input: unknown): Promise<unknown>;
  /** Kills the tool worker; the next call starts in another. */
  killToolWorker(): Promise<void>;
}

const toolWorkers = { 'built-in': toolWorkerUrl, timed: timedWorkerUrl } as const;

/** Which tools the host’s worker serves: the built-in ones, or TimedRepl beside them. */
export type ServedTools = keyof typeof toolWorkers;

export async function createOpenHost(
  workspace: string,
  tools: ServedTools = 'built-in',
): Promise<OpenHost> {
  const host = await createBrowserHost({
    workspace,
    assets: { toolWorker: toolWorkers[tools], wasm: wasmUrl },
  });

  const start = (toolName: string, input: unknown, sessionId: string) =>
    host.executor.start(
      {
        callId: crypto.randomUUID(),
        toolName,
        input,
        sessionId,
        address: { root: 'main', minSeq: host.workspace.seq() },
        access: fullAccess,
        cwd: host.cwd,
        limits,
        knownVersions: [],
      },
      () => {},
    );

  async function call(toolName: string, input: unknown, sessionId: string): Promise<unknown> {
    const reply = await start(toolName, input, sessionId).reply;
    if (reply.type === 'failed') throw new Error(`${toolName}: ${reply.error.message}`);
    if (reply.type === 'lost') throw new Error(`${toolName}: ${reply.message}`);
    return reply.output;
  }

  return {
    ...host,
    async runCell(code, session = 'bench') {
      const startedAt = performance.now();
      const output = (await call('Repl', { code }, session)) as ReplAnswer;
      const ms = performance.now() - startedAt;
      if (output.error) throw new Error(`The cell threw: ${output.error.message}`);
      return { ms, stdout: output.stdout, display: output.display };
    },
    callTool: (toolName, input) => call(toolName, input, 'bench'),
    async killToolWorker() {
      // Any call will do: with its end its worker ends.
      const work = start('Repl', { code: '0' }, 'bench');
      work.kill('The bench wants a new one.');
      await work.reply;
    },
  };
}

/** The part of Repl's output that is read here. */
interface ReplAnswer {
  readonly stdout: string;
  readonly display?: string;
  readonly error?: { readonly message: string };
}
