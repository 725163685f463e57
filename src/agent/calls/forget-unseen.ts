// Edit may change only what the model has read. If the message's budget left nothing of a Read's
// result, that Read doesn't count. Called by turn/record-step.ts for a message's results.
import type { ReadFileState } from '../../core/tool/context.ts';
import type { Settled } from './settled.ts';

/**
 * Removes the reads of the calls in `unseen`, unless another call of the message showed the same
 * file or the file was written since. The earlier known version is restored.
 */
export function forgetUnseen(
  settled: readonly Settled[],
  unseen: ReadonlySet<Settled>,
  readFileState: Pick<ReadFileState, 'get' | 'set' | 'delete'>,
): void {
  if (unseen.size === 0) return;
  const seen = settled.filter((call) => !unseen.has(call)).flatMap(({ reads = [] }) => reads);
  const shown = new Set(seen.map(({ path }) => path));
  for (const { path, version, before } of [...unseen].flatMap(({ reads = [] }) => reads)) {
    if (shown.has(path) || readFileState.get(path) !== version || before === version) continue;
    if (before === undefined) readFileState.delete(path);
    else readFileState.set(path, before);
  }
}
