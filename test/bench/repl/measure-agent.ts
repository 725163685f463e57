// What only the whole pipeline shows: how soon after its deadline a cell is cut, and nested tools.
import type { AgentAnswer, AgentCell } from '../pages/repl/agent-cells.ts';
import { median } from '../workspace/statistics.ts';
import { withBenchPage } from './bench-page.ts';
import type { Stage } from './stage.ts';

const timeout = 500;
const kept = 41;
const keep: AgentCell = { code: `var kept = ${kept}; kept` };
const lookBack: AgentCell = { code: 'kept' };

/** Milliseconds from the cell's deadline: until it is settled, and until the next cell has answered. */
interface CutTimes {
  readonly settledMs: number;
  readonly backMs: number;
}

export function measureCuts(url: string): Promise<Stage> {
  return withBenchPage(url, async (page) => {
    await page.call('open', 'cuts');
    const cut = async (code: string, rounds: number) => {
      const runaway: AgentCell = { code: `kept = 0; ${code}`, timeout };
      const cells = Array.from({ length: rounds }, () => [runaway, lookBack]).flat();
      const [, ...answers] = await page.call('runAgentCells', [keep, ...cells]);
      return Array.from({ length: rounds }, (_, round) =>
        toCutTimes(answers[round * 2], answers[round * 2 + 1]),
      );
    };
    const interrupted = await cut('for (;;) {}', 7);
    const killed = await cut("new Array(1e9) + ''", 5);
    const settled = (times: readonly CutTimes[]) => median(times.map(({ settledMs }) => settledMs));
    const back = (times: readonly CutTimes[]) => median(times.map(({ backMs }) => backMs));
    return {
      figures: {
        cut_interrupt_ms: settled(interrupted),
        cut_interrupt_back_ms: back(interrupted),
        cut_ms: Math.max(back(interrupted), back(killed)),
        cut_kill_settled_ms: settled(killed),
        cut_kill_back_ms: back(killed),
      },
    };
  });
}

/** @throws where the runaway cell wasn't cut, or the session's variables aren't as before it. */
function toCutTimes(runaway: AgentAnswer | undefined, next: AgentAnswer | undefined): CutTimes {
  if (!runaway || !next) throw new Error('A cell was not answered.');
  if (!runaway.text.includes('"is_error":true')) {
    throw new Error(`The runaway cell was not cut: ${runaway.text}`);
  }
  if (!next.text.includes(`=> ${kept}`)) {
    throw new Error(`The session's variables are not back: ${next.text}`);
  }
  const deadline = runaway.startedAt + timeout;
  return { settledMs: runaway.settledAt - deadline, backMs: next.settledAt - deadline };
}

/** The guest's clock has whole milliseconds: a mean over as many calls as a cell may make, nearly. */
const nestedCell: AgentCell = {
  code: `const count = 80;
for (let index = 0; index < 10; index += 1) await tools.Nothing({});
const startedAt = Date.now();
for (let index = 0; index < count; index += 1) await tools.Nothing({});
console.log('mean: ' + (Date.now() - startedAt) / count + ' ms');`,
};

export function measureNestedTools(url: string): Promise<Stage> {
  return withBenchPage(url, async (page) => {
    await page.call('open', 'nested');
    const means: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const [answer] = await page.call('runAgentCells', [nestedCell]);
      const mean = /mean: ([\d.]+)/u.exec(answer?.text ?? '')?.[1];
      if (mean === undefined) throw new Error(`The cell has no figure: ${answer?.text}`);
      means.push(Number(mean));
    }
    return { figures: { nested_tool_ms: median(means) } };
  });
}
