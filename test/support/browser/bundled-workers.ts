/**
 * Serves the workers of the browser tests as one file each, as in a page's build. From the tests' server a tool
 * worker would be some 200 files. Three test files with their own hosts took 33 s that way, and 20 s with bundles.
 * The bundles don't pass through Vite, which would send each new worker a source map that is larger than the code.
 * That was half of the work of its process in a run. The reader of PDF files is a separate file, as in a page's
 * build, because it is half of the code. The compiler and its declarations are sent unchanged, because the tests'
 * server takes 8 s to transform their 13 MB.
 */
import { fileURLToPath } from 'node:url';
import { importBeside } from '../../../scripts/import-beside.ts';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

/** `resolve` is the option of the project. A worker with `isInParts` is served as separate files. */
export function bundledWorkers(
  resolve: NonNullable<InlineConfig['resolve']>,
  isInParts: (path: string) => boolean,
): Plugin {
  const bundles = new Map<string, Promise<string>>();
  return {
    name: 'bundled-workers',
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
        const path = fromRoot(pathname.slice(1));
        const isWorker = searchParams.has('worker_file') && !isInParts(path);
        const source = isWorker ? path : compilerParts.get(pathname);
        if (source === undefined) {
          next();
          return;
        }
        const known = bundles.get(source) ?? bundleWorker(source, resolve);
        bundles.set(source, known);
        known.then((code) => {
          response.setHeader('content-type', 'text/javascript');
          // Cached for one run, without watching files: the next run uses a new browser.
          response.setHeader('cache-control', 'max-age=3600, immutable');
          response.end(code);
        }, next);
      });
    },
  };
}

async function bundleWorker(
  input: string,
  resolve: NonNullable<InlineConfig['resolve']>,
): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    mode: 'test',
    resolve,
    plugins: [
      serverUrls(),
      pdfReaderApart(),
      importBeside({
        typescript: 'typescript.js',
        './typescript-libs.ts': 'typescript-libs.js',
      }),
    ],
    build: {
      write: false,
      minify: false,
      rolldownOptions: {
        input,
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: false },
      },
    },
  });
  const { output } = built as Rolldown.RolldownOutput;
  return output[0].code;
}

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const languageWorker = 'src/hosts/browser/lsp-worker';

/** Sources of what a language worker loads later, by their paths on the server. */
const compilerParts: ReadonlyMap<string, string> = new Map([
  [`/${languageWorker}/typescript.js`, fromRoot('node_modules/typescript/lib/typescript.js')],
  [`/${languageWorker}/typescript-libs.js`, fromRoot(`${languageWorker}/typescript-libs.ts`)],
]);

/** Files whose URL a worker imports are fetched from the tests' server. */
function serverUrls(): Plugin {
  return {
    name: 'server-urls',
    enforce: 'pre',
    load(id) {
      const [path = '', query] = id.split('?', 2);
      if (query !== 'url') return undefined;
      return `export default ${JSON.stringify(`/@fs${path}`)}`;
    },
  };
}

/** A worker that reads a PDF file fetches the reader from the tests' server. */
function pdfReaderApart(): Plugin {
  return {
    name: 'pdf-reader-apart',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^#pdf-reader$/ },
      async handler(source, importer) {
        const found = await this.resolve(source, importer, { skipSelf: true });
        if (!found) throw new Error(`There is no ${source} for ${importer}.`);
        return { id: `/@fs${found.id}`, external: 'absolute' };
      },
    },
  };
}
