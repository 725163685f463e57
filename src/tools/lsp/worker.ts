// Implements LSP: it asks the language server of the file, and adds the lines' texts to its places.
// It runs in the realm of the servers: their own worker, or the agent's thread.
import { throwIfAborted } from '../../core/async/abort.ts';
import { SdkError, ToolError } from '../../core/errors.ts';
import { compileGlobs } from '../../core/glob/search-glob.ts';
import { joinPath, resolvePath } from '../../core/path.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import { fromUri, toUri } from '../../lsp/file-uri.ts';
import type {
  LanguageFiles,
  LanguageMethod,
  LanguageParams,
  LanguageServer,
  LspCallHierarchyItem,
  LspDiagnostic,
  LspDocumentSymbol,
  LspFileDiagnostics,
  LspHover,
  LspIncomingCall,
  LspLocation,
  LspMarkup,
  LspOutgoingCall,
  LspPosition,
  LspSymbolInformation,
} from '../../lsp/language-server.ts';
import { symbolKinds } from '../../lsp/symbol-kinds.ts';
import type { LocalFileSystem } from '../../workspace/files/file-system.ts';
import { statExisting } from '../../workspace/files/stat-path.ts';
import {
  lspInputSchema,
  maxListed,
  placeOperations,
  type LspInput,
  type LspOutput,
  type LspProgress,
} from './schema.ts';

type Context = WorkContext<LocalFileSystem, LspProgress>;

/** The handler of LSP for these servers. The first server that supports a file is used. */
export function createLspWorker(servers: readonly LanguageServer[]) {
  return {
    get inputSchema() {
      return lspInputSchema();
    },
    handler: (input: LspInput, context: Context) => lookUp(servers, input, context),
  };
}

/**
 * Asks the server. A synchronous reader can't read files that are in a bucket. They are loaded, and
 * the question is asked again.
 * @throws ToolError for an impossible question, with what to do instead
 */
async function lookUp(
  servers: readonly LanguageServer[],
  input: LspInput,
  context: Context,
): Promise<LspOutput> {
  for (;;) {
    try {
      return await answer(servers, input, context);
    } catch (error) {
      if (!context.contents.isAbsent) throw error;
      throwIfAborted(context.signal);
      await context.contents.bring();
    }
  }
}

async function answer(
  servers: readonly LanguageServer[],
  input: LspInput,
  context: Context,
): Promise<LspOutput> {
  const { operation } = input;
  const path =
    input.file_path === undefined ? undefined : resolvePath(context.cwd, input.file_path);
  if (path !== undefined) await checkFile(path, context);
  const server = chooseServer(servers, path);
  const files = createLanguageFiles(context);
  const position = path === undefined ? undefined : checkPosition(files, path, input);
  let scope: string | undefined;
  // Slightly before the call's timeout, so that the error can have the reason.
  const deadline = performance.now() + context.limits.timeoutMs * 0.95;
  const ask = <Answer>(method: LanguageMethod, params: LanguageParams) =>
    server.request(method, params, {
      files,
      signal: context.signal,
      deadline,
      onProgress: (message) => context.progress({ message }),
      onScope: (named) => void (scope = named),
    }) as Promise<Answer | null | undefined>;
  const textDocument = path === undefined ? undefined : { uri: toUri(path) };
  const params: LanguageParams = {
    ...(textDocument && { textDocument }),
    ...(position && { position }),
  };
  const shown = createLines(files, server);
  const finish = (rest: Partial<LspOutput> & Pick<LspOutput, 'total' | 'files'>): LspOutput => ({
    operation,
    server: server.id,
    ...(scope !== undefined && { scope }),
    ...rest,
  });
  const list = (locations: readonly LspLocation[]) => {
    const seen = shown.visible(locations);
    return finish({
      locations: seen.slice(0, maxListed).map((each) => shown.place(each)),
      ...count(seen),
    });
  };

  switch (operation) {
    case 'diagnostics': {
      const all = await askDiagnostics(ask, textDocument?.uri);
      const flat = all.flatMap(({ uri, items }) => items.map((item) => ({ uri, ...item })));
      const seen = shown.visible(flat);
      return finish({
        diagnostics: seen.slice(0, maxListed).map((each) => ({
          ...shown.place(each),
          ...toFault(each),
        })),
        ...count(seen),
      });
    }
    case 'definition':
    case 'implementation':
      return list(toLocations(await ask(`textDocument/${operation}`, params)));
    case 'references': {
      const asked = { ...params, context: { includeDeclaration: true } };
      return list(toLocations(await ask('textDocument/references', asked)));
    }
    case 'hover': {
      const hover = await ask<LspHover>('textDocument/hover', params);
      return finish({ ...(hover && { hover: toHover(hover) }), total: hover ? 1 : 0, files: 0 });
    }
    case 'documentSymbols': {
      const uri = textDocument?.uri ?? '';
      const answered = await ask<readonly (LspDocumentSymbol | LspSymbolInformation)[]>(
        'textDocument/documentSymbol',
        params,
      );
      return listSymbols((answered ?? []).flatMap((each) => flatten(each, uri, 0)));
    }
    case 'workspaceSymbols': {
      const query = input.query ?? '';
      const answered = await ask<readonly LspSymbolInformation[]>('workspace/symbol', {
        ...params,
        query,
      });
      return listSymbols((answered ?? []).flatMap((each) => flatten(each, '', 0)));
    }
    case 'incomingCalls':
    case 'outgoingCalls':
      return listSymbols(await askCalls(ask, operation, params));
  }

  function listSymbols(symbols: readonly FlatSymbol[]): LspOutput {
    const seen = shown.visible(symbols);
    return finish({
      symbols: seen.slice(0, maxListed).map((each) => ({
        ...shown.place(each),
        name: each.name,
        kind: symbolKinds[each.kind] ?? 'symbol',
        ...(each.container !== undefined && { container: each.container }),
        ...(each.depth > 0 && { depth: each.depth }),
      })),
      ...count(seen),
    });
  }
}

type Ask = <Answer>(
  method: LanguageMethod,
  params: LanguageParams,
) => Promise<Answer | null | undefined>;

async function askDiagnostics(
  ask: Ask,
  uri: string | undefined,
): Promise<readonly LspFileDiagnostics[]> {
  if (uri === undefined) {
    const all = await ask<{ items: readonly LspFileDiagnostics[] }>('workspace/diagnostic', {});
    return all?.items ?? [];
  }
  const one = await ask<{ items: readonly LspDiagnostic[] }>('textDocument/diagnostic', {
    textDocument: { uri },
  });
  return [{ uri, items: one?.items ?? [] }];
}

/**
 * The callers of each item at the place, or the items that it calls, with the first place of each
 * call.
 */
async function askCalls(
  ask: Ask,
  operation: 'incomingCalls' | 'outgoingCalls',
  params: LanguageParams,
): Promise<FlatSymbol[]> {
  const items = await ask<readonly LspCallHierarchyItem[]>(
    'textDocument/prepareCallHierarchy',
    params,
  );
  const found: FlatSymbol[] = [];
  for (const item of items ?? []) {
    if (operation === 'incomingCalls') {
      const calls = await ask<readonly LspIncomingCall[]>('callHierarchy/incomingCalls', { item });
      for (const { from, fromRanges } of calls ?? []) {
        const { name, kind, uri } = from;
        for (const range of fromRanges) found.push({ name, kind, uri, range, depth: 0 });
      }
    } else {
      const calls = await ask<readonly LspOutgoingCall[]>('callHierarchy/outgoingCalls', { item });
      for (const { to } of calls ?? []) {
        const { name, kind, uri, selectionRange: range } = to;
        found.push({ name, kind, uri, range, depth: 0 });
      }
    }
  }
  return found;
}

/** A symbol at its place. */
interface FlatSymbol extends LspLocation {
  readonly name: string;
  readonly kind: number;
  readonly container?: string;
  readonly depth: number;
}

function flatten(
  symbol: LspDocumentSymbol | LspSymbolInformation,
  uri: string,
  depth: number,
): FlatSymbol[] {
  const { name, kind } = symbol;
  if ('location' in symbol) {
    const { location, containerName: container } = symbol;
    return [{ name, kind, depth, ...location, ...(container ? { container } : {}) }];
  }
  const { selectionRange: range, children = [] } = symbol;
  return [
    { name, kind, depth, uri, range },
    ...children.flatMap((child) => flatten(child, uri, depth + 1)),
  ];
}

/** Servers answer with one location, several, or links to locations. */
function toLocations(
  answered: LspLocation | readonly (LspLocation | LspLocationLink)[] | null | undefined,
): LspLocation[] {
  return [answered ?? []]
    .flat()
    .map((each) =>
      'targetUri' in each ? { uri: each.targetUri, range: each.targetSelectionRange } : each,
    );
}

interface LspLocationLink {
  readonly targetUri: string;
  readonly targetSelectionRange: LspLocation['range'];
}

function toFault({ severity, code, source, message }: LspDiagnostic) {
  const names = ['error', 'error', 'warning', 'information', 'hint'] as const;
  const named = code === undefined ? undefined : `${source === 'ts' ? 'ts' : ''}${code}`;
  return {
    severity: names[severity ?? 1],
    ...(named !== undefined && { code: named }),
    message,
  };
}

/** The first text with a language is the code. All others are about it. */
function toHover({ contents }: LspHover): NonNullable<LspOutput['hover']> {
  const all = [contents].flat() as LspMarkup[];
  const code = all.find((each) => typeof each === 'object' && 'language' in each);
  const words = all.filter((each) => each !== code);
  return {
    code: code && typeof code === 'object' ? code.value : '',
    language: code && typeof code === 'object' && 'language' in code ? code.language : '',
    documentation: words.map((each) => (typeof each === 'string' ? each : each.value)).join('\n'),
  };
}

function count(all: readonly { readonly uri: string }[]): Pick<LspOutput, 'total' | 'files'> {
  return { total: all.length, files: new Set(all.map(({ uri }) => uri)).size };
}

/** The places that may be shown, and their lines. */
function createLines(files: LanguageFiles, server: LanguageServer) {
  const lines = new Map<string, readonly string[] | undefined>();
  const linesOf = (uri: string) => {
    if (!lines.has(uri)) {
      const path = fromUri(uri);
      const text = path === undefined ? server.readOwnText?.(uri) : files.readText(path);
      lines.set(uri, text?.split(/\r\n|\r|\n/));
    }
    return lines.get(uri);
  };
  return {
    // Security: a server that reads its own files may return files that this call may not see.
    visible: <Place extends { readonly uri: string }>(places: readonly Place[]): Place[] =>
      places.filter(({ uri }) => linesOf(uri) !== undefined),
    place({ uri, range }: LspLocation) {
      const { line, character } = range.start;
      return {
        path: fromUri(uri) ?? uri,
        line: line + 1,
        character: character + 1,
        text: (linesOf(uri)?.[line] ?? '').slice(0, maxLineChars),
      };
    },
  };
}

// A line of a minified file would fill the answer.
const maxLineChars = 500;

/**
 * Checks that the file is there.
 * @throws ToolError if there is no visible file.
 */
async function checkFile(path: string, { fs }: Context): Promise<void> {
  const stats = await statExisting(fs, path);
  if (!stats.isDirectory()) return;
  throw new ToolError(
    `${path} is a directory. Name a file by file_path; for diagnostics of a whole project leave it out.`,
    { code: 'EISDIR', data: { path } },
  );
}

function chooseServer(
  servers: readonly LanguageServer[],
  path: string | undefined,
): LanguageServer {
  const serves = ({ files }: LanguageServer) =>
    path === undefined || compileGlobs('/', files).verdict(path, false) === 'included';
  const server = servers.find(serves);
  if (server) return server;
  const served = servers.map(({ id, files }) => `${id}: ${files.join(', ')}`).join('; ');
  throw new ToolError(
    `No language server serves ${path ?? 'this workspace'}. There is ${served || 'none'}. Use Grep to search its text.`,
    { code: 'invalid-input', data: { path: path ?? null } },
  );
}

/**
 * Checks the place.
 * @throws ToolError for a place that the file doesn't have, or that has no name.
 */
function checkPosition(
  files: LanguageFiles,
  path: string,
  { operation, line, character }: LspInput,
): LspPosition | undefined {
  if (!placeOperations.has(operation) || line === undefined || character === undefined) {
    return undefined;
  }
  const lines = (files.readText(path) ?? '').split(/\r\n|\r|\n/);
  const text = lines[line - 1];
  if (text === undefined) {
    throw new ToolError(
      `${path} has ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, no line ${line}.`,
      { code: 'invalid-input', data: { path, line } },
    );
  }
  const names = [...text.matchAll(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)];
  const hasName = names.some(
    ({ index, 0: name }) => index < character && character <= index + name.length + 1,
  );
  // A quoted name, such as that of a module, is asked about, too.
  const isQuoted = character <= text.length && /["'`]/.test(text);
  if (!hasName && !isQuoted) {
    const there = names
      .slice(0, 20)
      .map(({ index, 0: name }) => `${name} at ${index + 1}`)
      .join(', ');
    throw new ToolError(
      `No name stands at ${path}:${line}:${character}. ${there === '' ? 'The line has none.' : `On this line: ${there}.`}`,
      { code: 'invalid-input', data: { path, line, character } },
    );
  }
  return { line: line - 1, character: character - 1 };
}

/**
 * The files that a server sees: the call's own view, in which denied files are absent. Each path is
 * looked at once.
 */
function createLanguageFiles({ fs: { sync: fs }, contents, cwd }: Context): LanguageFiles {
  const kinds = new Map<string, 'file' | 'directory' | 'none'>();
  const versions = new Map<string, string | undefined>();
  const kindOf = (path: string) => {
    let kind = kinds.get(path);
    if (kind === undefined) {
      const stats = orNothing(() => fs.statSync(path, { throwIfNoEntry: false }));
      kind = stats?.isFile() ? 'file' : stats?.isDirectory() ? 'directory' : 'none';
      kinds.set(path, kind);
    }
    return kind;
  };
  const readText = (path: string) => {
    if (kindOf(path) !== 'file') return undefined;
    const text = orNothing(() => fs.readFileSync(path, 'utf8'));
    return text?.startsWith('\uFEFF') ? text.slice(1) : text;
  };
  return {
    cwd,
    isFile: (path) => kindOf(path) === 'file',
    isDirectory: (path) => kindOf(path) === 'directory',
    readText,
    versionOf(path) {
      if (!versions.has(path)) versions.set(path, readVersion(path));
      return versions.get(path);
    },
    list(path) {
      const entries = orNothing(() => fs.readdirSync(path, { withFileTypes: true })) ?? [];
      const named = (kind: 'file' | 'directory') =>
        entries
          .filter((entry) =>
            entry.isSymbolicLink()
              ? kindOf(joinPath(path, entry.name)) === kind
              : kind === 'file'
                ? entry.isFile()
                : entry.isDirectory(),
          )
          .map(({ name }) => name);
      return { files: named('file'), directories: named('directory') };
    },
    realPath: (path) => orNothing(() => fs.realpathSync(path)) ?? path,
  };

  function readVersion(path: string): string | undefined {
    if (kindOf(path) !== 'file') return undefined;
    const id = contents.idOf(fs.realpathSync(path));
    const { version, mtimeMs, size } = fs.statSync(path);
    // A file that a draft has written has no id, and may change without a new version. So its text
    // is its version.
    return id === undefined ? `=${readText(path)}` : `${id} ${version} ${mtimeMs} ${size}`;
  }
}

const absentCodes: ReadonlySet<string> = new Set([
  ...['EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR'],
]);

/**
 * Undefined for a denied or missing file. A file that can't be read for another reason is an error.
 */
function orNothing<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (SdkError.isInstance(error) && absentCodes.has(error.code)) return undefined;
    throw error;
  }
}
