import { availableParallelism, loadavg } from 'node:os';

/** What else the machine did: on a busy one all times are longer, and only ratios hold. */
export function describeLoad(): string {
  const load = loadavg().map((value) => value.toFixed(1));
  const cores = availableParallelism();
  return `Load average at the end (1, 5, 15 min): ${load.join(', ')}, on ${cores} cores.`;
}
