// A browser host with what the workspace bench needs around it: its own workers, tool calls without
// an agent, writes that know their versions.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import type { ChangeSet, Version } from 'rockpool/workspace';
import type { BenchToolInput, BenchToolOutput } from './bench-tool.ts';
import fsWorkerUrl from './fs.worker.ts?worker&url';
import { fullAccess } from './full-access.ts';
import toolWorkerUrl from './tool.worker.ts?worker&url';

/** What a tool's call came back with. */
export interface ToolAnswer {
  readonly output: BenchToolOutput;
  readonly changeSet: ChangeSet | null;
}

export interface OpenHost extends BrowserHost {
  /** What the FS worker's own `open` took. */
  readonly openMs: Promise<number>;
  callTool(input: BenchToolInput): Promise<ToolAnswer>;
  /** Kills the tool worker and waits for another to be up. */
  restartToolWorker(): Promise<void>;
  /** Flushed to the medium before it is acknowledged. */
  commit(changeSet: ChangeSet): Promise<void>;
  /** Commits 1 KB to the path. One at a time for each path: the next must know its version. */
  write(path: string, options?: { readonly isNew: boolean }): Promise<void>;
  writeText(path: string, text: string): Promise<void>;
  /** Collects garbage in the workers that have begun to work. */
  collect(): Promise<void>;
}

const kilobyte = new Uint8Array(1024).fill(97);

export async function createOpenHost(workspace: string): Promise<OpenHost> {
  const channel = new BroadcastChannel('fs-worker');
  const openMs = nextMessage<number>(channel, (data) => typeof data === 'number');
  const host = await createBrowserHost({
    workspace,
    assets: { fsWorker: fsWorkerUrl, toolWorker: toolWorkerUrl, wasm: wasmUrl },
  });
  let hasCalled = false;
  /** As the last acknowledgement of each path that is written here left it. */
  const versions = new Map<string, Version>();

  const start = (input: BenchToolInput) =>
    host.executor.start(
      {
        callId: crypto.randomUUID(),
        toolName: 'Bench',
        input,
        sessionId: 'bench',
        address: { root: 'main', minSeq: host.workspace.seq() },
        access: fullAccess,
        cwd: host.cwd,
        limits: {
          timeoutMs: 60_000,
          maxFileBytes: 10_000_000,
          maxOutputChars: 10_000_000,
          maxMemoryBytes: 256_000_000,
        },
        knownVersions: [],
      },
      () => {},
    );

  async function callTool(input: BenchToolInput): Promise<ToolAnswer> {
    hasCalled = true;
    const reply = await start(input).reply;
    if (reply.type === 'failed') throw new Error(reply.error.message);
    if (reply.type === 'lost') throw new Error(reply.message);
    return { output: reply.output as BenchToolOutput, changeSet: reply.changeSet };
  }

  async function writeBytes(path: string, content: Uint8Array): Promise<void> {
    let baseVersion = versions.get(path);
    if (baseVersion === undefined) [baseVersion = 0] = await host.workspace.versions([path]);
    const { seq } = await host.workspace.commit(
      {
        baseSeq: host.workspace.seq(),
        changes: [{ type: 'write', path, baseVersion, content, mode: 0o644, mtimeMs: 0 }],
      },
      { author: { kind: 'agent' }, durability: 'power' },
    );
    versions.set(path, seq);
  }

  return {
    ...host,
    openMs,
    callTool,
    async restartToolWorker() {
      const call = start({ operation: 'nothing' });
      call.kill('The bench wants a new one.');
      await call.reply;
      await callTool({ operation: 'nothing' });
    },
    async commit(changeSet) {
      const { seq } = await host.workspace.commit(changeSet, {
        author: { kind: 'agent' },
        durability: 'power',
      });
      for (const { path } of changeSet.changes) versions.set(path, seq);
    },
    write(path, { isNew } = { isNew: false }) {
      if (isNew) versions.set(path, 0);
      return writeBytes(path, kilobyte);
    },
    writeText: (path, text) => writeBytes(path, new TextEncoder().encode(text)),
    async collect() {
      if (hasCalled) await callTool({ operation: 'collect' });
      const collected = nextMessage(channel, (data) => data === 'collected');
      channel.postMessage('collect');
      await collected;
    },
  };
}

function nextMessage<Message>(
  channel: BroadcastChannel,
  isWanted: (data: unknown) => boolean,
): Promise<Message> {
  return new Promise((resolve) => {
    const listen = ({ data }: MessageEvent) => {
      if (!isWanted(data)) return;
      channel.removeEventListener('message', listen);
      resolve(data as Message);
    };
    channel.addEventListener('message', listen);
  });
}
