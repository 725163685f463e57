import { describeCells } from '../../contract/repl-cells.contract.ts';
import { openRepl } from '../../support/repl/repl.ts';

describeCells('QuickJS', (files) => {
  // Timers by this clock: on a busy machine the real one lets intervals miss a beat.
  let time = 1_700_000_000_000;
  const sleep = async (milliseconds: number) => void (time += milliseconds);
  return openRepl(files, { now: () => time, sleep });
});
