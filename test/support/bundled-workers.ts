/**
 * Workers that the browser tests name as such come as one file each, as a page's build has them.
 * From the tests' server a tool worker is some 200 files. Hosts of their own in three files of
 * tests took 33 s with those and 20 without. They don't pass through Vite, which sends a source map
 * larger than the code to each worker that begins. That was half of what its process did in a run.
 * Apart is the reader of PDF files, which is half of the code and which a page's build has apart,
 * too. The compiler and its declarations are sent as they are built: the tests' server takes 8 s to
 * look through their 13 MB.
 */
import { fileURLToPath } from 'node:url';
import { importBeside } from '../../scripts/import-beside.ts';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

/** `resolve` is the project's. A worker that `isInParts` comes as its files. */
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

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const languageWorker = 'src/hosts/browser/lsp-worker';

/** Sources of what a language worker loads later, by their paths on the server. */
const compilerParts: ReadonlyMap<string, string> = new Map([
  [`/${languageWorker}/typescript.js`, fromRoot('node_modules/typescript/lib/typescript.js')],
  [`/${languageWorker}/typescript-libs.js`, fromRoot(`${languageWorker}/typescript-libs.ts`)],
]);

/** What a worker asks the URL of, it fetches from the tests' server. */
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
