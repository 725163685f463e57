// The page of the bench `loop`: journals in a workspace on OPFS, written and read when ../../loop.ts asks for
// it. Times are milliseconds.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import { encodeRecord } from '../../../../src/agent/journal/journal-codec.ts';
import type { JournalEntry } from '../../../../src/core/session/journal.ts';
import { toSessionRootId } from '../../../../src/core/session/session-path.ts';
import type { Durability } from '../../../../src/workspace/workspace.ts';
import { resumeSession, type ResumeTimes } from './resume-session.ts';

/** The methods that the suite calls by name. */
export type LoopBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    loopBench?: LoopBenchPage;
  }
}

let host: BrowserHost | undefined;

const page = {
  /** Gives the driver that the workspace is kept by. */
  async open(): Promise<string> {
    host = await createBrowserHost({ workspace: 'loop', assets: { wasm: wasmUrl } });
    return (await host.workspace.info()).driver;
  },

  async close(): Promise<void> {
    await opened()[Symbol.asyncDispose]();
    host = undefined;
  },

  /** The session's journal, as if it had been recorded here. */
  async keep(sessionId: string, entries: readonly JournalEntry[]): Promise<void> {
    const { streams } = opened().workspace;
    for (let at = 0; at < entries.length; at += 500) {
      const encoded = entries.slice(at, at + 500).map(encodeRecord);
      await streams.append(toSessionRootId(sessionId), encoded, { at });
    }
  },

  /** Appends so many of the entries behind all that the journal has: one append each, one after the other. */
  async append(
    stream: string,
    entries: readonly JournalEntry[],
    durability: Durability,
  ): Promise<number[]> {
    const { streams } = opened().workspace;
    let at = (await streams.list()).find(({ id }) => id === stream)?.length ?? 0;
    const times: number[] = [];
    for (const entry of entries) {
      const startedAt = performance.now();
      await streams.append(stream, [encodeRecord(entry)], { at, durability });
      times.push(performance.now() - startedAt);
      at += 1;
    }
    return times;
  },

  resume: (sessionId: string, last: number): Promise<ResumeTimes> =>
    resumeSession(opened(), sessionId, last),
};

function opened(): BrowserHost {
  if (!host) throw new Error('Nothing is open.');
  return host;
}

window.loopBench = page;
