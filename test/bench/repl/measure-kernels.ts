// How much slower than plain V8 the sandbox computes, beside the same engine without a session and
// beside quickjs-emscripten.
import { kernelNames, type KernelName, type KernelTime } from '../pages/repl/kernels.ts';
import { median } from '../workspace/statistics.ts';
import { withBenchPage, type BenchPage } from './bench-page.ts';
import type { Stage } from './stage.ts';

const engines = ['v8', 'rockpool', 'quickjs-wasi', 'quickjs-emscripten'] as const;

type EngineName = (typeof engines)[number];

/** In turn, kernel by kernel, so that what else the machine does slows all of them down alike. */
export function measureKernels(url: string): Promise<Stage> {
  const rounds = 3;
  return withBenchPage(url, async (page) => {
    await page.call('open', 'kernels');
    await page.call('startEngine', 'quickjs-wasi');
    await page.call('addEngine', 'quickjs-emscripten');
    const times = new Map<string, number[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const kernel of kernelNames) {
        const answers = new Set<number>();
        for (const engine of engines) {
          const { ms, answer } = await timeIn(page, engine, kernel);
          answers.add(answer);
          const key = `${engine}/${kernel}`;
          times.set(key, [...(times.get(key) ?? []), ms]);
        }
        if (answers.size !== 1) {
          throw new Error(`The engines disagree about ${kernel}: ${[...answers].join(', ')}.`);
        }
      }
    }
    const medianOf = (engine: EngineName, kernel: KernelName) =>
      median(times.get(`${engine}/${kernel}`) ?? []);
    const ratio = (engine: EngineName, kernel: KernelName) =>
      medianOf(engine, kernel) / medianOf('v8', kernel);
    const geomean = (engine: EngineName) =>
      Math.exp(
        kernelNames.reduce((sum, kernel) => sum + Math.log(ratio(engine, kernel)), 0) /
          kernelNames.length,
      );
    const perKernel = kernelNames.map((kernel) => [
      `kernel_${kernel}_x`,
      ratio('rockpool', kernel),
    ]);
    return {
      figures: {
        quickjs_geomean_x: geomean('rockpool'),
        quickjs_wasi_geomean_x: geomean('quickjs-wasi'),
        quickjs_emscripten_geomean_x: geomean('quickjs-emscripten'),
        ...(Object.fromEntries(perKernel) as Record<string, number>),
      },
      notes: [
        `V8's own times in this run, in ms: ${kernelNames
          .map((kernel) => `${kernel} ${medianOf('v8', kernel).toPrecision(2)}`)
          .join(', ')}.`,
      ],
    };
  });
}

function timeIn(page: BenchPage, engine: EngineName, kernel: KernelName): Promise<KernelTime> {
  return engine === 'rockpool'
    ? page.call('timeKernel', kernel)
    : page.call('timeKernelBare', engine, kernel);
}
