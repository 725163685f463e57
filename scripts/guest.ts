/**
 * Makes src/repl/guest-code.ts of src/repl/guest. The guest's world is source text for another engine, so
 * each of its entries is bundled and minified to one string: see docs/decisions/0013-the-guest-in-files.md.
 *
 * `npm run guest` writes the file; `node scripts/guest.ts --check` fails where it isn't fresh.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, minifySync, type Rolldown } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'src/repl/guest');
const parts = join(folder, 'parts');
const target = join(root, 'src/repl/guest-code.ts');

/**
 * A guest file with all that it imports, as an expression whose value is the one thing that the file exports.
 *
 * @throws Error where the file can't be bundled
 */
export async function bundleGuest(path: string): Promise<string> {
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
  return `${minifyAssigned(code, path)}.${exports[0]}`;
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

/** Tells one state of the guest's files, and of this script, from another. */
function hashSources(): string {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.ts')) continue;
    hash.update(path.replaceAll('\\', '/')).update(readFileSync(join(folder, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The text of guest-code.ts, as the guest's files are now. */
export async function makeGuestCode(): Promise<string> {
  const world = await bundleGuest(join(folder, 'world.ts'));
  const workflow = await bundleGuest(join(folder, 'workflow.ts'));
  const lines = await Promise.all(
    readdirSync(parts)
      .sort()
      .map(async (file) => {
        const code = await bundleGuest(join(parts, file));
        return `  ${JSON.stringify(basename(file, '.ts'))}: ${JSON.stringify(code)},`;
      }),
  );
  return [
    `// Made of src/repl/guest (${hashSources()}) by \`npm run guest\`: change the files there.`,
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

const readTarget = () => (existsSync(target) ? readFileSync(target, 'utf8') : '');

/** Writes guest-code.ts anew where the guest's files have changed. Costs milliseconds where none has. */
export async function refreshGuestCode(): Promise<void> {
  if (!readTarget().includes(`(${hashSources()})`)) writeFileSync(target, await makeGuestCode());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = await makeGuestCode();
  const isFresh = readTarget() === made;
  if (!process.argv.includes('--check')) writeFileSync(target, made);
  else if (!isFresh) {
    console.error('src/repl/guest-code.ts is not what src/repl/guest makes. Run: npm run guest');
    process.exitCode = 1;
  }
  console.log(`guest-code.ts has ${made.length} bytes, ${isFresh ? 'as before' : 'changed'}`);
}
