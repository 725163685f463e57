/**
 * Builds a page as visitors would get it, and remembers the result. Starting a command shouldn't
 * take a second more when nothing has changed since the last time. Called by serve-built-page.ts.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/pages');

/** A page's files by their path beside it. */
export type PageFiles = ReadonlyMap<string, Uint8Array>;

/** What the cache holds of a page; the key is a hash of all that it was built from. */
interface CachedPage {
  readonly key: string;
  readonly files: Readonly<Record<string, string>>;
}

/**
 * The files of `page`, a path below the repository's root, as a build would give them now. The end-to-end tests' own
 * pages come together: they are much the same library, and six builds take five times what one does.
 */
export async function buildPage(page: string): Promise<PageFiles> {
  const key = hashSources(page);
  const folder = dirname(page);
  const isOfTests = folder === 'test/e2e/page';
  const place = join(cache, `${(isOfTests ? folder : page).replaceAll('/', '-')}.json`);
  const cached = readCache(place);
  if (cached?.key === key) {
    return new Map(
      Object.entries(cached.files).map(([name, text]) => [name, Buffer.from(text, 'base64')]),
    );
  }

  const files = await runBuild(folder, isOfTests ? listPages(folder) : [page]);
  const encoded = [...files].map(([name, bytes]) => [name, bytes.toString('base64')]);
  writeCache(place, { key, files: Object.fromEntries(encoded) });
  return files;
}

/** Everything that a page of ours could import, and the versions of everybody else's. */
function hashSources(page: string): string {
  const hash = createHash('sha256');
  const add = (path: string) => hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  ['package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts'].forEach(add);
  for (const folder of new Set(['demo', 'scripts', 'src', 'test/support', dirname(page)])) {
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      // What was built, and a Worker of its own with what it has installed and stored.
      .filter((path) => !/^demo[\\/](?:dist|edge)[\\/]/u.test(path))
      .sort()
      .forEach(add);
  }
  return hash.digest('hex');
}

function readCache(place: string): CachedPage | undefined {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as CachedPage;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

/** Whole or not at all: two commands may build the same page at once. */
function writeCache(place: string, page: CachedPage): void {
  mkdirSync(cache, { recursive: true });
  const draft = `${place}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(page));
  renameSync(draft, place);
}

function listPages(folder: string): string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.html'));
  return names.sort().map((name) => `${folder}/${name}`);
}

/** Their files' paths are below `folder`. */
async function runBuild(folder: string, pages: readonly string[]): Promise<Map<string, Buffer>> {
  const { build } = await import('vite');
  // Tests set it, and would get React's development half.
  const environment = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    const result = await build({
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'error',
      root: join(root, folder),
      publicDir: false,
      build: {
        write: false,
        // What is shown of an error should be its own line, not a minifier's.
        minify: false,
        rolldownOptions: { input: pages.map((page) => join(root, page)) },
      },
    });
    if (!('output' in result))
      throw new Error(`Building ${pages.join(', ')} gave no single output.`);
    return new Map(
      result.output.map((part) => [
        part.fileName,
        Buffer.from(part.type === 'chunk' ? part.code : part.source),
      ]),
    );
  } finally {
    if (environment === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = environment;
  }
}
