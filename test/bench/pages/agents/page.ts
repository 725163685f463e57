// The page of the bench `agents`: sessions with agents, and merges of branches, over a workspace on OPFS. Works
// when ../../agents.ts asks for it. Times are milliseconds.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost } from 'rockpool/browser';
import type { Change } from '../../../../src/core/change-set.ts';
import { openTalk } from './agent-talk.ts';
import type { AgentPlan, AgentTalk, TalkTimes } from './agent-talk.ts';

/** The methods that the suite calls by name. */
export type AgentsBenchPage = typeof page;

declare global {
  interface Window {
    /** Set when the page is ready. */
    agentsBench?: AgentsBenchPage;
  }
}

const author = { kind: 'agent' } as const;
const toPath = (at: number) => `/workspace/part-${at % 40}/file-${at}.ts`;
// 40 lines, some 2 kB: as the middle one of a project's files has.
const toText = (at: number) =>
  Array.from({ length: 40 }, (_, line) => `export const value${at}_${line} = keep(${line * 17});`)
    .map((line) => line.padEnd(50, '/'))
    .join('\n');

/** One line of each, in each round otherwise. */
async function change(
  { fs }: Pick<BrowserHost['workspace'], 'fs'>,
  files: readonly number[],
  line: number,
  round: number,
): Promise<void> {
  for (const at of files) {
    const lines = (await fs.readFile(toPath(at), 'utf8')).split('\n');
    lines[line] = `export const round${line} = ${round};`;
    await fs.writeFile(toPath(at), lines.join('\n'));
  }
}

let host: BrowserHost | undefined;
let talk: AgentTalk | undefined;

const page = {
  /** A workspace with that many files. Gives the driver that it is kept by. */
  async open(files: number): Promise<string> {
    host = await createBrowserHost({ workspace: 'agents', assets: { wasm: wasmUrl } });
    const folders = Array.from({ length: 40 }, (_, at) => `/workspace/part-${at}`);
    const changes: Change[] = [
      ...folders.map((path): Change => ({
        type: 'mkdir',
        path,
        baseVersion: 0,
        mode: 0o755,
        mtimeMs: 0,
      })),
      ...Array.from({ length: files }, (_, at): Change => {
        const content = new TextEncoder().encode(toText(at));
        return {
          type: 'write',
          path: toPath(at),
          baseVersion: 0,
          content,
          mode: 0o644,
          mtimeMs: 0,
        };
      }),
    ];
    await host.workspace.commit({ baseSeq: host.workspace.seq(), changes }, { author });
    return (await host.workspace.info()).driver;
  },

  /** Begins a session. It stays open until the next one. */
  async openTalk(): Promise<void> {
    await talk?.[Symbol.asyncDispose]();
    talk = await openTalk(opened(), [0, 1, 2, 3].map(toPath));
  },

  begin(plan: AgentPlan): Promise<TalkTimes> {
    if (!talk) throw new Error('No session is open.');
    return talk.begin(plan);
  },

  /**
   * One branch a round, in which that many files are changed. `main` has changed elsewhere meanwhile; with
   * `both` in the same files, too, in other lines.
   */
  async merge(rounds: number, changed: number, both: boolean): Promise<number[]> {
    const { workspace } = opened();
    // Spread over all folders.
    const paths = Array.from({ length: changed }, (_, at) => at * 19 + 1);
    const times: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const { id } = await workspace.roots.branch(`round ${round}`, { author });
      await change(workspace.at(id), paths, 10, round);
      await change(workspace, both ? paths : [0], 30, round);
      const startedAt = performance.now();
      const merged = await workspace.roots.merge(id, { author });
      times.push(performance.now() - startedAt);
      if (merged.paths.length !== changed) throw new Error(`${merged.paths.length} were merged.`);
      await workspace.roots.drop(id, { author });
    }
    return times;
  },
};

function opened(): BrowserHost {
  if (!host) throw new Error('Nothing is open.');
  return host;
}

window.agentsBench = page;
