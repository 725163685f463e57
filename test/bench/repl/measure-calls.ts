// What a small cell takes: the first of a host, one in a warm session, the first of a session. The
// same expression is measured in the bare engines, too.
import { median } from '../workspace/statistics.ts';
import { withBenchPage } from './bench-page.ts';
import type { Stage } from './stage.ts';

/** Each round in a browser of its own, ours and then theirs: nothing is compiled or cached yet. */
export async function measureCold(url: string): Promise<Stage> {
  // 11: one round differs from the next by a third.
  const rounds = 11;
  const ours: number[] = [];
  const wasi: number[] = [];
  const emscripten: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(
      await withBenchPage(url, async (page) => {
        await page.call('open', 'cold');
        return page.call('runCell', '6 * 7', '42');
      }),
    );
    wasi.push(await withBenchPage(url, (page) => page.call('startEngine', 'quickjs-wasi')));
    emscripten.push(
      await withBenchPage(url, (page) => page.call('startEngine', 'quickjs-emscripten')),
    );
  }
  return {
    figures: {
      cold_ms: median(ours),
      quickjs_wasi_cold_ms: median(wasi),
      quickjs_emscripten_cold_ms: median(emscripten),
    },
  };
}

export function measureWarm(url: string): Promise<Stage> {
  return withBenchPage(url, async (page) => {
    await page.call('open', 'warm');
    // Warm-ups: the first rounds run code that isn't compiled yet.
    await page.call('runSmallCells', 50);
    const warm = await page.call('runSmallCells', 300);
    const sessions = await page.call('startSessions', 20);
    await page.call('startEngine', 'quickjs-wasi');
    await page.call('addEngine', 'quickjs-emscripten');
    const bare: Record<'quickjs-wasi' | 'quickjs-emscripten', number> = {
      'quickjs-wasi': 0,
      'quickjs-emscripten': 0,
    };
    for (const engine of ['quickjs-wasi', 'quickjs-emscripten'] as const) {
      await page.call('evaluateBare', engine, 50);
      bare[engine] = median(await page.call('evaluateBare', engine, 300));
    }
    return {
      figures: {
        warm_ms: median(warm),
        fresh_session_ms: median(sessions),
        quickjs_wasi_warm_ms: bare['quickjs-wasi'],
        quickjs_emscripten_warm_ms: bare['quickjs-emscripten'],
      },
    };
  });
}
