/**
 * Makes src/repl/guest-code.ts of src/repl/guest, and frame-code.ts of src/hosts/browser/preview/frame. The guest's
 * world is source text for another engine, and what a preview runs is text for its frame. So each entry is bundled
 * and minified to one string: see docs/decisions/0013-the-guest-in-files.md.
 *
 * `npm run guest` writes the files; `node scripts/guest.ts --check` fails where one isn't fresh.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, minifySync, type Rolldown } from 'vite';
import { contextEdits } from '../src/repl/syntax/async-context.ts';
import { applyEdits } from '../src/repl/syntax/edits.ts';
import { runtimeName } from '../src/repl/syntax/runtime-name.ts';
import { parseCode } from '../src/repl/syntax/parse.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'src/repl/guest');
const parts = join(folder, 'parts');
const frame = join(root, 'src/hosts/browser/preview/frame');

/** A file that is made. */
interface Made {
  readonly target: string;
  /** All that goes into it stands there. */
  readonly sources: readonly string[];
  make(hash: string): Promise<string>;
}

export const made: readonly Made[] = [
  {
    target: join(root, 'src/repl/guest-code.ts'),
    sources: [folder, join(root, 'src/repl/syntax/async-context.ts')],
    make: makeGuestCode,
  },
  {
    target: join(root, 'src/hosts/browser/preview/frame-code.ts'),
    sources: [
      frame,
      ...['parts/loader.ts', 'parts/classes.ts', 'class-records.ts', 'modules/namespaces.ts'].map(
        (name) => join(folder, name),
      ),
    ],
    make: makeFrameCode,
  },
];

/**
 * A guest file with all that it imports, as an expression whose value is the one thing that the file exports.
 *
 * @throws Error where the file can't be bundled
 */
export async function bundleGuest(path: string, { isPart = false } = {}): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'esnext',
      minify: false,
      lib: { entry: path, formats: ['iife'], name: 'taken' },
      rolldownOptions: {
        treeshake: false,
        output: { exports: 'named', esModule: false, generatedCode: { symbols: false } },
      },
    },
  });
  const [{ output }] = result as [Rolldown.RolldownOutput];
  const [{ code, exports }] = output;
  if (exports.length !== 1)
    throw new Error(`${path}: a guest file that is loaded exports one thing`);
  const script = isPart ? withContext(code) : code;
  return `${minifyAssigned(script, path)}.${exports[0]}`;
}

/** What a part of the world calls after it has waited finds the stores that were there before. */
function withContext(code: string): string {
  return applyEdits(code, contextEdits(parseCode(code, 'script'), code, runtimeName).edits);
}

/** Names of functions and classes stay, since a guest can see them. */
function minifyAssigned(script: string, path: string): string {
  // Assigned, since a declaration that nobody reads would be minified to nothing.
  const { code, errors } = minifySync(path, script.replace(/^var taken\b/, 'taken'), {
    module: false,
    compress: { target: 'esnext', keepNames: { function: true, class: true } },
    mangle: { keepNames: true },
  });
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const [, expression] = /^taken=([^]*?);?\s*$/.exec(code) ?? [];
  if (expression === undefined) throw new Error(`${path}: bundled to what is no assignment`);
  return expression;
}

/** Tells one state of the sources, and of this script, from another. */
function hashSources(sources: readonly string[]): string {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const source of sources) {
    for (const path of listFiles(source)) {
      hash.update(relative(source, path).replaceAll('\\', '/')).update(readFileSync(path));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function listFiles(source: string): readonly string[] {
  if (!statSync(source).isDirectory()) return [source];
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(source, name));
}

async function makeGuestCode(hash: string): Promise<string> {
  const world = await bundleGuest(join(folder, 'world.ts'));
  const workflow = await bundleGuest(join(folder, 'workflow.ts'));
  const lines = await Promise.all(
    readdirSync(parts)
      .sort()
      .map(async (file) => {
        const code = await bundleGuest(join(parts, file), { isPart: true });
        return `  ${JSON.stringify(basename(file, '.ts'))}: ${JSON.stringify(code)},`;
      }),
  );
  return [
    `// Made of src/repl/guest (${hash}) by \`npm run guest\`: change the files there.`,
    '',
    '/** A function of the host functions and the intrinsics that makes the world and returns its kernel. */',
    `export const world = ${JSON.stringify(world)};`,
    '',
    "/** A function of the host functions that makes the world of a workflow's script and returns its kernel. */",
    `export const workflow = ${JSON.stringify(workflow)};`,
    '',
    "/** What a VM doesn't boot with: functions of the kernel, by the name that `kernel.part` takes. */",
    'export const parts: Readonly<Record<string, string>> = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

async function makeFrameCode(hash: string): Promise<string> {
  return [
    `// Made of src/hosts/browser/preview/frame (${hash}) by \`npm run guest\`: change the files there.`,
    '',
    '/** A function of the setup that runs first in a previewed page. */',
    `export const frameCode = ${JSON.stringify(await bundleGuest(join(frame, 'start-frame.ts')))};`,
    '',
  ].join('\n');
}

const readText = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Writes anew what is made of files that have changed. Costs milliseconds where none has. */
export async function refreshGuestCode(): Promise<void> {
  for (const { target, sources, make } of made) {
    const hash = hashSources(sources);
    if (!readText(target).includes(`(${hash})`)) writeFileSync(target, await make(hash));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { target, sources, make } of made) {
    const text = await make(hashSources(sources));
    const isFresh = readText(target) === text;
    const name = basename(target);
    if (!process.argv.includes('--check')) writeFileSync(target, text);
    else if (!isFresh) {
      console.error(`${name} is not what its files make. Run: npm run guest`);
      process.exitCode = 1;
    }
    console.log(`${name} has ${text.length} bytes, ${isFresh ? 'as before' : 'changed'}`);
  }
}
