// The whole "run this code" call of others: codemode's browser executor in Chromium, and just-bash's
// js-exec in Node. Both begin anew with each call.
import { kernels, toRunSource } from '../pages/repl/kernels.ts';
import { importPeer } from '../peers/build-peers.ts';
import { median } from '../workspace/statistics.ts';
import { withBenchPage, withTab } from './bench-page.ts';
import type { Stage } from './stage.ts';

const small = { source: '6 * 7', expected: '42' };
const { prepare, run } = kernels.log_job;
const job = { source: toRunSource('log_job'), expected: String(run(prepare())) };
const tasks = [small, job];
const rounds = 15;

/** Our side of the comparison: the job as one cell in a warm session. */
export function measureOwnJob(url: string): Promise<Stage> {
  return withBenchPage(url, async (page) => {
    await page.call('open', 'job');
    await page.call('runCell', '0', '0');
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      times.push(await page.call('runJob', 'log_job', Number(job.expected)));
    }
    return { figures: { job_ms: median(times) } };
  });
}

/** As much of codemode as is used. */
interface Codemode {
  readonly IframeSandboxExecutor: new () => {
    execute(
      code: string,
      tools: readonly [],
    ): Promise<{ readonly result: unknown; readonly error?: string }>;
  };
}

/** In a page without a policy: the executor's frame needs inline scripts and eval. */
export function measureCodemode(url: string): Promise<Stage> {
  return withTab(async (tab) => {
    await tab.goto(new URL('peers/codemode.html', url).href);
    const [smallMs, jobMs] = await tab.evaluate(
      async ({ all, count }) => {
        const moduleUrl = new URL('codemode.js', document.baseURI).href;
        const { IframeSandboxExecutor } = (await import(moduleUrl)) as Codemode;
        const executor = new IframeSandboxExecutor();
        const times: number[][] = [];
        for (const { source, expected } of all) {
          const own: number[] = [];
          for (let round = 0; round < count; round += 1) {
            const startedAt = performance.now();
            const { result, error } = await executor.execute(`async () => ${source}`, []);
            own.push(performance.now() - startedAt);
            if (String(result) !== expected) throw new Error(`It gave ${result}, ${error}.`);
          }
          times.push(own);
        }
        return times;
      },
      { all: tasks, count: rounds },
    );
    return {
      figures: {
        codemode_first_ms: smallMs?.[0] ?? null,
        codemode_run_ms: median(smallMs?.slice(1) ?? []),
        codemode_job_ms: median(jobMs ?? []),
      },
    };
  });
}

/** As much of just-bash as is used. */
interface JustBash {
  readonly Bash: new (options: {
    readonly javascript: boolean;
    readonly files: Readonly<Record<string, string>>;
  }) => {
    exec(command: string): Promise<{ readonly stdout: string; readonly stderr: string }>;
  };
}

export async function measureJsExec(): Promise<Stage> {
  const { Bash } = (await importPeer('just-bash')) as JustBash;
  const files = Object.fromEntries(
    tasks.map(({ source }, index) => [`/${index}.js`, `console.log(${source})`]),
  );
  const bash = new Bash({ javascript: true, files });
  const times: number[][] = [];
  for (const [index, { expected }] of tasks.entries()) {
    const own: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      const { stdout, stderr } = await bash.exec(`js-exec /${index}.js`);
      own.push(performance.now() - startedAt);
      if (stdout !== `${expected}\n`) throw new Error(`js-exec gave ${stdout}, ${stderr}.`);
    }
    times.push(own);
  }
  const [smallMs = [], jobMs = []] = times;
  return {
    figures: {
      js_exec_first_ms: smallMs[0] ?? null,
      js_exec_run_ms: median(smallMs.slice(1)),
      js_exec_job_ms: median(jobMs),
    },
  };
}
