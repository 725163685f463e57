/**
 * `npm run check`: everything that can be known about the tree without running its tests. Each lane
 * prints one line; only a failing one prints more. Exits 1 when a lane failed. `npm run check -- lint
 * types` runs the lanes whose names begin so, and exits 2 where no name does.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseLanes, runLanes, type Lane } from './run-lanes.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What the compiler and the formatter remember of files that are the same as last time. */
const cache = 'node_modules/.cache/check';

function types(name: string, config: string): Lane {
  const remember = ['--incremental', '--tsBuildInfoFile', `${cache}/${config}.tsbuildinfo`];
  // Two lanes run at once: more checkers each would only look at shared types again.
  return { name: `types: ${name}`, command: ['tsc', '-p', config, '--checkers', '1', ...remember] };
}

// The slow ones first, as they are in a new clone where nothing is remembered: so the last two lanes end together.
const lanes: readonly Lane[] = [
  types('tests and scripts', 'tsconfig.test.json'),
  {
    name: 'format',
    command: [
      'prettier',
      '--check',
      '--log-level=warn',
      '--cache',
      '--cache-strategy=content',
      `--cache-location=${cache}/prettier`,
      '.',
    ],
  },
  { name: 'api', command: ['node', 'scripts/api.ts'] },
  types('portable', 'tsconfig.portable.json'),
  types('guest', 'tsconfig.guest.json'),
  types('preview frame', 'tsconfig.preview.json'),
  types('page', 'tsconfig.json'),
  types('edge', 'tsconfig.edge.json'),
  types('server', 'tsconfig.server.json'),
  { name: 'dead code', command: ['knip', '--no-progress'] },
  { name: 'floors', command: ['node', 'scripts/floors.ts'] },
  { name: 'guest code', command: ['node', 'scripts/guest.ts', '--check'] },
  { name: 'bundle', command: ['node', 'scripts/bundle.ts'] },
  { name: 'size', command: ['node', 'scripts/size.ts'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'house rules', command: ['node', 'scripts/house-rules.ts'] },
  { name: 'commits', command: ['node', 'scripts/commit-subjects.ts'] },
];

const { chosen, unknown } = chooseLanes(lanes, process.argv.slice(2));
if (unknown.length > 0) {
  console.error(`No lane's name begins with ${unknown.map((name) => `"${name}"`).join(', ')}.`);
  console.error(`lanes: ${lanes.map(({ name }) => name).join(' | ')}`);
  process.exitCode = 2;
} else {
  const results = await runLanes(chosen, root, console.log);
  const failed = results.filter((result) => !result.ok);
  console.log(`${results.length - failed.length} of ${results.length} checks passed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
