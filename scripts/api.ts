/**
 * Fails where docs/api isn't what the tree gives. `npm run api` writes the reports anew (`--write`);
 * commit them with the change that they tell of.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApiReports, listApiEntries } from './api-report.ts';
import { emitDeclarations } from './emit-declarations.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const committed = join(root, 'docs', 'api');

async function makeReports(): Promise<ReadonlyMap<string, string>> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'api-'));
  try {
    // The lanes of types have found what is wrong with the types.
    await emitDeclarations(root, folder, { noCheck: true });
    const reports = await createApiReports(folder, listApiEntries(manifest));
    return new Map([...reports].map(([name, text]) => [`${name}.api.md`, text]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readCommitted(): Map<string, string> {
  const names = existsSync(committed) ? readdirSync(committed) : [];
  return new Map(names.map((name) => [name, readFileSync(join(committed, name), 'utf8')]));
}

/** The first line that differs, as both sides have it. */
function firstDifference(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const at = now.findIndex((line, index) => line !== old[index]);
  const index = at === -1 ? now.length : at;
  return `line ${index + 1}: "${old[index] ?? ''}" is now "${now[index] ?? ''}"`;
}

const reports = await makeReports();
if (process.argv.includes('--write')) {
  rmSync(committed, { recursive: true, force: true });
  mkdirSync(committed, { recursive: true });
  for (const [name, text] of reports) writeFileSync(join(committed, name), text);
} else {
  const before = readCommitted();
  const breaches = [...new Set([...before.keys(), ...reports.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name), reports.get(name)];
    if (old === now) return [];
    if (old === undefined) return [`docs/api/${name} is missing`];
    if (now === undefined) return [`docs/api/${name} is of no entry`];
    return [`docs/api/${name}, ${firstDifference(old, now)}`];
  });
  for (const breach of breaches) console.error(breach);
  if (breaches.length > 0) {
    console.error(
      'The exports have changed. Run `npm run api`, and commit docs/api with the change.',
    );
    process.exitCode = 1;
  }
}
