// TypeScript's language service as a language server, over the files of each call. The host
// provides the compiler. It is loaded with the first request, and released with all programs after
// an idle time.
import { checkOptionNames } from '../core/check-option-names.ts';
import { createAbortError, throwIfAborted } from '../core/async/abort.ts';
import { SdkError } from '../core/errors.ts';
import { dirname, relativePath } from '../core/path.ts';
import { fromUri, toUri } from './file-uri.ts';
import type {
  LanguageMethod,
  LanguageParams,
  LanguageRequestOptions,
  LanguageServer,
  LspFileDiagnostics,
  LspSymbolInformation,
} from './language-server.ts';
import {
  pause,
  toDiagnostic,
  toDocumentSymbols,
  toHierarchyItem,
  toHover,
  toIncomingCall,
  toLocation,
  toOutgoingCall,
  toRange,
  toSymbol,
  type Places,
} from './typescript-answers.ts';
import {
  findConfig,
  libFolder,
  listProjects,
  TypeScriptProject,
  type LibSource,
  type ProjectConfig,
  type TypeScript,
} from './typescript-project.ts';

/** The options of the service. */
export interface TypeScriptServiceOptions {
  /**
   * Loads the compiler: `() => import('@typescript/typescript6')`, or another one of version 5 or
   * 6. Version 7 has no such API in JavaScript.
   */
  readonly typescript: () => Promise<object>;
  /**
   * Loads the texts of the compiler's `lib.*.d.ts`, by name. @defaultValue read from the compiler's
   * own folder, which needs Node, Deno or Bun
   */
  readonly libs?: () => Promise<Readonly<Record<string, string>>>;
  /** The idle time after which programs are released, in milliseconds. @defaultValue 300 000 */
  readonly idleMs?: number;
}

// Two: a monorepo's package and a related one. A program takes about 200 to 350 MB.
const maxProjects = 2;

// More symbols than are ever shown, so that the total is known.
const maxSymbols = 1_000;

// 50 ms: the service yields at least this often between the files of a whole project.
const yieldMs = 50;

const libScheme = 'typescript-lib:/';

interface Loaded {
  readonly typescript: TypeScript;
  readonly lib: LibSource;
}

/**
 * Creates the service, for a host on this thread or in its own worker. Requests run one after the
 * other. Each uses the files of its own call, so an answer always has that call's version.
 */
export function createTypeScriptService(options: TypeScriptServiceOptions): LanguageServer {
  checkOptionNames('createTypeScriptService', options, knownOptions);
  const { idleMs = 300_000 } = options;
  /** By config; the last used one is last. */
  const projects = new Map<string, TypeScriptProject>();
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  async function load(onProgress: (what: string) => void): Promise<Loaded> {
    if (!loading) onProgress('loading TypeScript');
    loading ??= loadTypeScript(options);
    try {
      return (loaded = await loading);
    } catch (error) {
      // The next request tries again.
      loading = undefined;
      throw error;
    }
  }

  function release(): void {
    for (const { service } of projects.values()) service.dispose();
    projects.clear();
  }

  function watchIdle(): void {
    clearTimeout(idle);
    if (waiting > 0) return;
    idle = setTimeout(release, idleMs);
    // The timer must not keep a process running.
    (idle as { unref?(): void }).unref?.();
  }

  /** The project of the file, or those of the whole workspace. */
  function chooseProjects(
    { typescript }: Loaded,
    file: string | undefined,
    { files, onScope }: LanguageRequestOptions,
  ): ProjectConfig[] {
    const directory = file === undefined ? files.cwd : dirname(file);
    const config = findConfig(typescript, files, { directory, file });
    if (config.path === undefined && file === undefined) {
      throw new SdkError(
        'invalid-input',
        `There is no project: no tsconfig.json or jsconfig.json stands in ${directory} or above it. Name a file by file_path, or write a tsconfig.json.`,
        { data: { directory } },
      );
    }
    const configs = file === undefined ? listProjects(typescript, files, config) : [config];
    const others = configs.length - 1;
    const referred = others === 1 ? 'the project' : `the ${others} projects`;
    onScope(
      config.path === undefined
        ? "no tsconfig.json above the file, so TypeScript's own defaults"
        : relativePath(files.cwd, config.path) +
            (others > 0 ? ` and ${referred} that it refers to` : ''),
    );
    return configs;
  }

  function openProject(
    { typescript, lib }: Loaded,
    config: ProjectConfig,
    file: string | undefined,
    { files, signal, deadline }: LanguageRequestOptions,
  ): TypeScriptProject {
    const key = config.path ?? `${file}`;
    const current = {
      files,
      config,
      roots: file === undefined ? [] : [file],
      isOver: () => signal.aborted || performance.now() > deadline,
    };
    const project = projects.get(key) ?? new TypeScriptProject(typescript, lib, current);
    projects.delete(key);
    projects.set(key, project);
    const [oldest] = projects;
    if (projects.size > maxProjects && oldest) {
      oldest[1].service.dispose();
      projects.delete(oldest[0]);
    }
    project.follow(current);
    return project;
  }

  async function answer(
    method: LanguageMethod,
    params: LanguageParams,
    request: LanguageRequestOptions,
  ): Promise<unknown> {
    const { signal, onProgress } = request;
    const ready = await load(onProgress);
    throwIfAborted(signal);
    const uri = params.textDocument?.uri ?? params.item?.uri;
    const file = uri === undefined ? undefined : readPath(uri);
    const answers: unknown[] = [];
    for (const config of chooseProjects(ready, file, request)) {
      const project = openProject(ready, config, file, request);
      try {
        onProgress(`checking ${project.fileNames.length} files`);
        await pause(signal);
        answers.push(await ask(ready.typescript, project, { method, params, request }));
      } catch (error) {
        if (signal.aborted) throw createAbortError(signal.reason);
        if (error instanceof ready.typescript.OperationCanceledException) {
          throw new SdkError(
            'limit-exceeded',
            'TypeScript took too long for this project and was stopped. Ask again: what it has read is kept. Or ask about one file.',
          );
        }
        // The program may be incomplete after the abort, so it is dropped.
        for (const [key, kept] of projects) if (kept === project) projects.delete(key);
        project.service.dispose();
        throw error;
      }
    }
    return answers.length === 1 ? answers[0] : joinAnswers(method, answers);
  }

  return {
    id: 'typescript',
    files: ['*.ts', '*.tsx', '*.mts', '*.cts', '*.js', '*.jsx', '*.mjs', '*.cjs'],
    request(method, params, request) {
      waiting += 1;
      clearTimeout(idle);
      const turn = last.then(() => {
        throwIfAborted(request.signal);
        return answer(method, params, request);
      });
      // The caller gets the error.
      last = turn.then(
        () => undefined,
        () => undefined,
      );
      return turn.finally(() => {
        waiting -= 1;
        watchIdle();
      });
    },
    readOwnText: (uri) =>
      uri.startsWith(libScheme) ? loaded?.lib(uri.slice(libScheme.length)) : undefined,
    release,
  };
}

async function loadTypeScript({ typescript, libs }: TypeScriptServiceOptions): Promise<Loaded> {
  const module = (await typescript()) as { readonly default?: object };
  // A CommonJS package is in `default`.
  const found = [module, module.default].find(
    (each): each is TypeScript =>
      typeof (each as Partial<TypeScript> | undefined)?.createLanguageService === 'function',
  );
  if (!found) {
    throw new SdkError(
      'unsupported-environment',
      "The option typescript gives no compiler with a language service. TypeScript 7 has none in JavaScript: install @typescript/typescript6, and give () => import('@typescript/typescript6').",
    );
  }
  if (libs) {
    const texts = await libs();
    return { typescript: found, lib: (name) => texts[name] };
  }
  const { sys } = found as { readonly sys: TypeScript['sys'] | undefined };
  if (!sys) {
    throw new SdkError(
      'unsupported-environment',
      "TypeScript's own declarations can't be read here. Give the option libs: the texts of its lib.*.d.ts, by name.",
    );
  }
  const folder = dirname(found.getDefaultLibFilePath({}).replaceAll('\\', '/'));
  const texts = new Map<string, string | undefined>();
  const lib: LibSource = (name) => {
    // Only the compiler's own names are accepted, because any other path is a file of the
    // workspace.
    if (!/^lib\.[\w.]+\.d\.ts$|^lib\.d\.ts$/.test(name)) return undefined;
    if (!texts.has(name)) texts.set(name, sys.readFile(`${folder}/${name}`));
    return texts.get(name);
  };
  return { typescript: found, lib };
}

function readPath(uri: string): string {
  const path = fromUri(uri);
  if (path !== undefined) return path;
  throw new SdkError('invalid-input', `${uri} names no file of the workspace.`, { data: { uri } });
}

/**
 * Joins the answers of several projects. A file or symbol in more than one of them is listed once.
 */
function joinAnswers(method: LanguageMethod, answers: readonly unknown[]): unknown {
  const seen = new Set<string>();
  const isNew = (key: string) => !seen.has(key) && seen.add(key);
  if (method === 'workspace/diagnostic') {
    const reports = answers as readonly { readonly items: readonly LspFileDiagnostics[] }[];
    return { items: reports.flatMap(({ items }) => items).filter(({ uri }) => isNew(uri)) };
  }
  const lists = answers as readonly (readonly LspSymbolInformation[])[];
  return lists.flat().filter((each) => isNew(JSON.stringify(each)));
}

interface Question {
  readonly method: LanguageMethod;
  readonly params: LanguageParams;
  readonly request: LanguageRequestOptions;
}

async function ask(
  typescript: TypeScript,
  { service, fileNames, config }: TypeScriptProject,
  { method, params, request }: Question,
): Promise<unknown> {
  const program = service.getProgram();
  const places: Places = {
    toUri: (path) =>
      path.startsWith(libFolder) ? libScheme + path.slice(libFolder.length + 1) : toUri(path),
    sourceOf: (path) => program?.getSourceFile(path),
  };
  const diagnose = (path: string): LspFileDiagnostics => ({
    uri: toUri(path),
    items: [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map(
      (each) => toDiagnostic(typescript, places, path, each),
    ),
  });
  if (method === 'workspace/diagnostic') {
    const faults = [...config.parsed.errors, ...service.getCompilerOptionsDiagnostics()];
    const items: LspFileDiagnostics[] = [];
    if (config.path !== undefined && faults.length > 0) {
      const { path } = config;
      const ofConfig = faults.map((each) =>
        toDiagnostic(
          typescript,
          { ...places, sourceOf: () => each.file as ReturnType<Places['sourceOf']> },
          path,
          each,
        ),
      );
      items.push({ uri: toUri(path), items: ofConfig });
    }
    let since = performance.now();
    for (const path of fileNames) {
      const found = diagnose(path);
      if (found.items.length > 0) items.push(found);
      if (performance.now() - since < yieldMs) continue;
      await pause(request.signal);
      since = performance.now();
    }
    return { items };
  }
  if (method === 'workspace/symbol') {
    return service
      .getNavigateToItems(params.query ?? '', maxSymbols, undefined, true)
      .map((item) => toSymbol(places, item));
  }
  const path = readPath(params.textDocument?.uri ?? params.item?.uri ?? '');
  const source = program?.getSourceFile(path);
  if (!source) {
    throw new SdkError(
      'invalid-input',
      `TypeScript doesn't read ${path}: its project takes no such files. With "allowJs" in tsconfig.json it reads JavaScript.`,
      { data: { path } },
    );
  }
  if (method === 'textDocument/diagnostic') return { kind: 'full', items: diagnose(path).items };
  if (method === 'textDocument/documentSymbol') {
    return toDocumentSymbols(places, path, service.getNavigationTree(path));
  }
  const { line, character } = params.position ??
    params.item?.selectionRange.start ?? { line: 0, character: 0 };
  const offset = source.getPositionOfLineAndCharacter(line, character);
  switch (method) {
    case 'textDocument/definition':
      return service.getDefinitionAtPosition(path, offset)?.map((each) => toLocation(places, each));
    case 'textDocument/implementation':
      return service
        .getImplementationAtPosition(path, offset)
        ?.map((each) => toLocation(places, each));
    case 'textDocument/references':
      return service
        .findReferences(path, offset)
        ?.flatMap(({ references }) => references)
        .filter(({ isDefinition }) => params.context?.includeDeclaration || !isDefinition)
        .map((each) => toLocation(places, each));
    case 'textDocument/hover': {
      const info = service.getQuickInfoAtPosition(path, offset);
      return info && toHover(typescript, toRange(places, path, info.textSpan), info);
    }
    case 'textDocument/prepareCallHierarchy':
      return [service.prepareCallHierarchy(path, offset) ?? []]
        .flat()
        .map((item) => toHierarchyItem(places, item));
    case 'callHierarchy/incomingCalls':
      return service
        .provideCallHierarchyIncomingCalls(path, offset)
        .map((each) => toIncomingCall(places, each));
    case 'callHierarchy/outgoingCalls':
      return service
        .provideCallHierarchyOutgoingCalls(path, offset)
        .map((each) => toOutgoingCall(places, path, each));
  }
}

const knownOptions = {
  typescript: true,
  libs: true,
  idleMs: true,
} satisfies Record<keyof TypeScriptServiceOptions, true>;
