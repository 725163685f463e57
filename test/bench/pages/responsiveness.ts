// The page of the responsiveness bench: an agent works, and a heartbeat tells for how long the page
// could do nothing meanwhile. Driven by ../responsiveness.ts.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  createScriptedModel,
  query,
  type BrowserHost,
  type ScriptBlock,
} from 'rockpool/browser';
import { startHeartbeat } from '../../support/browser/heartbeat.ts';
import { makePng } from '../../support/files/make-png.ts';

const fileCount = 5000;

/** One phase: how long it took, and the longest time without a heartbeat in it. */
export interface Phase {
  readonly ms: number;
  readonly gapMs: number;
  /** What the tools answered, where the phase is a turn of the agent. */
  readonly answers?: readonly string[];
}

export interface Responsiveness {
  readonly phases: Readonly<Record<PhaseName, Phase>>;
  /** Of the browser's own count of tasks over 50 ms; 0 if there was none. */
  readonly longestTaskMs: number;
}

export type PhaseName =
  'idle' | 'boot' | 'import' | 'grep' | 'image' | 'endless' | 'unstoppable' | 'after';

declare global {
  interface Window {
    /** Set when the page is ready. */
    measureResponsiveness?: () => Promise<Responsiveness>;
  }
}

window.measureResponsiveness = async () => {
  // Before anything is measured: what a person picks is there already.
  const files = [...makeFiles(), await makeImage()];
  let longestTaskMs = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration);
  });
  observer.observe({ type: 'longtask' });

  const idle = await measure(() => new Promise((resolve) => setTimeout(resolve, 1000)));
  let host: BrowserHost | undefined;
  const boot = await measure(async () => {
    host = await createBrowserHost({ workspace: 'bench', assets: { wasm: wasmUrl } });
  });
  if (!host) throw new Error('no host');
  const opened = host;
  try {
    const phases = {
      idle,
      boot,
      import: await measure(() => opened.importFiles(files)),
      grep: await runTools(opened, [
        { name: 'Grep', input: { pattern: 'needle \\d+', output_mode: 'content', head_limit: 0 } },
        { name: 'Grep', input: { pattern: '[a-z]+_of_\\w+', output_mode: 'count' } },
        { name: 'Glob', input: { pattern: '**/*.ts' } },
      ]),
      image: await runTools(opened, [{ name: 'Read', input: { file_path: 'large.png' } }]),
      endless: await runTools(opened, [cell('for (;;) {}')]),
      unstoppable: await runTools(opened, [cell("new Array(1e9) + ''")]),
      after: await runTools(opened, [cell('6 * 7')]),
    };
    return { phases, longestTaskMs };
  } finally {
    await opened.destroy();
    observer.disconnect();
  }
};

const cell = (code: string) => ({ name: 'Repl', input: { code, timeout: 1000 } });

/** As an `<input webkitdirectory>` gives them; 4 KB each, in directories of 50. */
function makeFiles() {
  return Array.from({ length: fileCount }, (_, index) => {
    const line = `export const value_of_${index} = 'text of the file number ${index}';\n`;
    const text = `// needle ${index}\n${line.repeat(60)}`;
    const path = `src/part-${Math.floor(index / 50)}/file-${index}.ts`;
    return { path, file: new File([text], path) };
  });
}

/** 12 000 × 9 000 pixels of noise: 108 MB, of which the model is shown 2000 × 1500. */
async function makeImage() {
  const png = await makePng(12_000, 9000, 'noise');
  return { path: 'large.png', file: new File([png], 'large.png') };
}

/** One turn of the agent that makes these calls, one after the other. */
async function runTools(
  host: BrowserHost,
  calls: readonly { readonly name: string; readonly input: Record<string, unknown> }[],
): Promise<Phase> {
  const turns = calls.map((call) => ({ blocks: [{ type: 'tool_use', ...call } as ScriptBlock] }));
  const model = createScriptedModel({
    script: { turns: [...turns, { blocks: [{ type: 'text', text: 'Done.' }] }] },
  });
  const answers: string[] = [];
  const phase = await measure(async () => {
    const options = { host, model, permissionMode: 'bypassPermissions' } as const;
    for await (const message of query({ prompt: 'Work.', options })) {
      if (message.type === 'user') answers.push(JSON.stringify(message.message.content));
    }
  });
  return { ...phase, answers };
}

async function measure(work: () => Promise<unknown>): Promise<Phase> {
  const startedAt = performance.now();
  const heartbeat = startHeartbeat();
  await work();
  const ms = performance.now() - startedAt;
  // One more beat, so that a block at the very end counts.
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { ms, gapMs: heartbeat.stop() };
}
