// Memory: of the session, which has 32 MB here, and of the realm around it. Each wants some 250 MB, and
// throws when it has them: a cell that succeeds is copied, which takes longer than the attack.
import type { Attack } from '../attack.ts';

// The weakened ones have to get all of it.
const timeout = 20_000;

const hoard = (make: string, count: number) =>
  `const held = []; for (let i = 0; i < ${count}; i += 1) held.push(${make}); throw new Error('enough')`;

export const memoryAttacks: readonly Attack[] = [
  {
    name: 'buffers',
    cells: hoard('new Uint8Array(16e6).fill(i)', 16),
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'arrays',
    cells: hoard('new Array(2e6).fill(i + 0.5)', 16),
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'strings',
    cells: hoard(`'x'.repeat(16e6 + i)`, 16),
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'a string that doubles',
    cells: `let text = 'x'.repeat(1e6); while (text.length < 2.5e8) text += text; throw new Error(text.at(-1))`,
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'a map of objects',
    cells: `const map = new Map(); for (let i = 0; i < 1e6; i += 1) map.set('key' + i, { i, of: [i] }); throw new Error('enough')`,
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'closures over what was made for them',
    cells: hoard('((bytes) => () => bytes)(new Float64Array(2e6).fill(i))', 16),
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'a response that is larger than all of it',
    cells: `await fetch(lures.allowed + '/huge'); throw new Error('enough')`,
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'many large files',
    cells: `const bytes = new Uint8Array(8e6); for (let i = 0; i < 32; i += 1) { bytes.fill(i); fs.writeFileSync('large-' + i, bytes) } throw new Error('enough')`,
    without: 'limits',
    harm: 'memory',
    timeout,
  },
  {
    name: 'a file that is made long by its last byte',
    cells: `fs.writeFileSync('long', ''); fs.truncateSync('long', 2 ** 28); fs.appendFileSync('long', 'x'); throw new Error('enough')`,
    without: 'limits',
    harm: 'memory',
    timeout,
  },
];
