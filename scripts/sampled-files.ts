/**
 * Which portable tests the ordinary run leaves out in a runtime. Called by vitest.config.ts. Every
 * file runs in Node. Of the rooms below a fifth runs in Chromium, and another fifth in workerd. The
 * code of these rooms computes and reaches its runtime by ports alone. The seed says which.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of test/unit. Those of all other rooms run everywhere. */
const plainRooms = [
  'agent',
  'core',
  'model',
  'react',
  'repl',
  'search',
  'text',
  'tools',
  'workspace',
  'workspace-files',
  'workspace-log',
  'workspace-tabs',
];

/**
 * What runs everywhere all the same, by room. Each runtime has decoders, a `fetch`, ciphers, blobs
 * and streams of its own. It has a memory and clock that cells and their engine are held to.
 */
const everywhere: Readonly<Record<string, string>> = {
  model: 'anthropic[\\w-]*',
  repl:
    'bodies|conformance|copies|crypto|engine|fetch|full-session|hashes|limits|locales|network-broker|' +
    'process|replay|saved-state|servers|session[\\w-]*|subtle|url|written-bytes',
  text: '(?:legacy-)?encoding',
  workspace:
    'ask-bucket|consistency|feed-packer|fetched-contents|image|model|packed-contents|replica|streams[\\w-]*|writer',
  'workspace-log': 'codecs',
};

const runsEverywhere = new RegExp(
  `/(?:${Object.entries(everywhere)
    .map(([room, names]) => `${room}/(?:${names})`)
    .join('|')})\\.test\\.ts$`,
  'u',
);

const stride = 5;

/** Paths below `root` that are left out. `turn` is the runtime's: another fifth for each. */
export function listUnsampled(
  root: string,
  { seed, turn }: { seed: number; turn: number },
): string[] {
  const folders = plainRooms.map((room) => join(root, 'test/unit', room));
  const files = folders.flatMap((folder) =>
    globSync('**/*.test.ts', { cwd: folder }).map((name) => join(folder, name)),
  );
  return files
    .filter((path) => !/\.(?:node|browser|workerd)\.test\.ts$/u.test(path))
    .filter((path) => !runsEverywhere.test(path.replaceAll('\\', '/')))
    .sort()
    .filter((_, at) => at % stride !== (seed + turn) % stride)
    .map((path) => path.slice(root.length).replaceAll('\\', '/').replace(/^\//u, ''));
}
