// How often a portable test draws at random: whole in Node, a sample in the runtimes that say the same again.

const isNode = globalThis.navigator?.userAgent.startsWith('Node.js') === true;

/** `count` in Node, a fifth of it elsewhere. Each draws what it draws: no two runs are the same. */
export function runsHere(count: number): number {
  return isNode ? count : Math.ceil(count / 5);
}
