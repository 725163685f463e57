// How often a portable test draws at random. The ordinary run takes a sample, and a smaller one in the runtimes that
// say the same again; `DRAWS=all npm test -- --project node` takes all.

const isNode = globalThis.navigator?.userAgent.startsWith('Node.js') === true;

const { process } = globalThis as {
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> };
};
const takesAll = isNode && process?.env['DRAWS'] === 'all';

/** Of `count`, a third in Node, and a tenth elsewhere. What is drawn: seeded-draws.ts. */
export function runsHere(count: number): number {
  if (takesAll) return count;
  return Math.ceil(count / (isNode ? 3 : 10));
}
