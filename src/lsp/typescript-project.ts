// One project of TypeScript's language service: a tsconfig.json and its program, over the files of
// the present call. Used by typescript-service.ts, for one request at a time.
import type ts from 'typescript';
import { dirname, joinPath } from '../core/path.ts';
import type { LanguageFiles } from './language-server.ts';

/** TypeScript's module, as its package gives it. */
export type TypeScript = typeof ts;

/** The texts of TypeScript's `lib.*.d.ts`, by name. */
export type LibSource = (name: string) => string | undefined;

/** The directory of TypeScript's own declarations. No path of a workspace begins with it. */
export const libFolder = '/\0typescript-lib';

/** The parts of a project. */
export interface ProjectConfig {
  /** The path of its config; undefined if no directory above the file has one. */
  readonly path: string | undefined;
  readonly parsed: ts.ParsedCommandLine;
}

const maxReferences = 100;

/** The config of a file's project: the nearest one above it, or one that it refers to. */
export function findConfig(
  typescript: TypeScript,
  files: LanguageFiles,
  near: { readonly directory: string; readonly file?: string | undefined },
): ProjectConfig {
  const host = createConfigHost(typescript, files);
  for (let directory = near.directory; ; directory = dirname(directory)) {
    const names = ['tsconfig.json', 'jsconfig.json'].map((name) => joinPath(directory, name));
    const path = names.find((name) => files.isFile(name));
    if (path !== undefined) return chooseConfig(typescript, host, path, near.file);
    if (directory === '/') break;
  }
  const compilerOptions = {
    allowJs: true,
    jsx: 'preserve',
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'esnext',
  };
  const root = near.file ?? near.directory;
  const parsed = typescript.parseJsonConfigFileContent(
    { compilerOptions, files: near.file === undefined ? [] : [near.file] },
    host,
    dirname(root),
  );
  return { path: undefined, parsed };
}

/** A config without files may only refer to others, as in new Vite projects. */
function chooseConfig(
  typescript: TypeScript,
  host: ts.ParseConfigFileHost,
  path: string,
  file: string | undefined,
): ProjectConfig {
  const nearest = readConfig(typescript, host, path);
  if (file !== undefined && nearest) {
    for (const config of walkReferences(typescript, host, nearest)) {
      if (config.parsed.fileNames.includes(file)) return config;
    }
  }
  return nearest ?? { path, parsed: { options: {}, fileNames: [], errors: [] } };
}

/**
 * The configs for a question about the whole project. A config without files only refers to others.
 */
export function listProjects(
  typescript: TypeScript,
  files: LanguageFiles,
  config: ProjectConfig,
): ProjectConfig[] {
  if (config.parsed.fileNames.length > 0) return [config];
  return [...walkReferences(typescript, createConfigHost(typescript, files), config)];
}

/** The config and all its references, the nearest first. */
function* walkReferences(
  typescript: TypeScript,
  host: ts.ParseConfigFileHost,
  start: ProjectConfig,
): Generator<ProjectConfig, void> {
  const seen = new Set<string>();
  const waiting = [start];
  for (let config = waiting.shift(); config; config = waiting.shift()) {
    if (seen.has(config.path ?? '')) continue;
    seen.add(config.path ?? '');
    yield config;
    if (seen.size >= maxReferences) return;
    for (const reference of config.parsed.projectReferences ?? []) {
      const named = typescript.resolveProjectReferencePath(reference);
      const referred = readConfig(typescript, host, named);
      if (referred) waiting.push(referred);
    }
  }
}

function readConfig(
  typescript: TypeScript,
  host: ts.ParseConfigFileHost,
  path: string,
): ProjectConfig | undefined {
  const parsed = typescript.getParsedCommandLineOfConfigFile(path, undefined, host);
  return parsed && { path, parsed };
}

/** TypeScript's internal function, on which its `sys.readDirectory` is based. */
interface MatchFiles {
  matchFiles(
    path: string,
    extensions: readonly string[] | undefined,
    excludes: readonly string[] | undefined,
    includes: readonly string[] | undefined,
    useCaseSensitiveFileNames: boolean,
    currentDirectory: string,
    depth: number | undefined,
    getFileSystemEntries: (path: string) => ReturnType<LanguageFiles['list']>,
    realpath: (path: string) => string,
  ): string[];
}

function createConfigHost(typescript: TypeScript, files: LanguageFiles): ts.ParseConfigFileHost {
  return {
    useCaseSensitiveFileNames: true,
    getCurrentDirectory: () => files.cwd,
    fileExists: (path) => files.isFile(path),
    readFile: (path) => files.readText(path),
    readDirectory: (path, extensions, excludes, includes, depth) =>
      (typescript as unknown as MatchFiles).matchFiles(
        path,
        extensions,
        excludes,
        includes,
        true,
        files.cwd,
        depth,
        (directory) => files.list(directory),
        (link) => files.realPath(link),
      ),
    // The error is also in `errors` of the result.
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  };
}

/** The host with TypeScript's internal members. */
interface LanguageServiceHost extends ts.LanguageServiceHost {
  hasInvalidatedResolutions(): boolean;
  useSourceOfProjectReferenceRedirect(): boolean;
}

function isSameConfig(a: ts.ParsedCommandLine, b: ts.ParsedCommandLine): boolean {
  const toText = ({ options, fileNames, projectReferences }: ts.ParsedCommandLine) =>
    JSON.stringify([{ ...options, configFile: undefined }, fileNames, projectReferences]);
  return toText(a) === toText(b);
}

/** The values that change with each request. */
interface Current {
  readonly files: LanguageFiles;
  readonly config: ProjectConfig;
  /** Requested files that the config doesn't include. */
  readonly roots: readonly string[];
  isOver(): boolean;
}

/**
 * The language service of a project. Its data about a file is kept as long as the file's version is
 * the same.
 */
export class TypeScriptProject {
  readonly #typescript: TypeScript;
  readonly #lib: LibSource;
  /**
   * The compiler's results for paths at which it looked for modules, when its program was created.
   */
  readonly #probes = new Map<string, boolean>();
  /**
   * Versions of files that it has read besides the program's: each package.json says where its
   * modules are.
   */
  readonly #readVersions = new Map<string, string | undefined>();
  #haveProbesChanged = false;
  /**
   * The configs that this one refers to, by path, from this request and the last one that used
   * them.
   */
  readonly #referred = new Map<
    string,
    { turn: number; parsed: ts.ParsedCommandLine | undefined }
  >();
  /** The number of the request. During a request the program doesn't change. */
  #turn = 0;
  #current: Current;
  readonly service: ts.LanguageService;

  constructor(typescript: TypeScript, lib: LibSource, current: Current) {
    this.#typescript = typescript;
    this.#lib = lib;
    this.#current = current;
    this.service = typescript.createLanguageService(this.#createHost());
  }

  /** The files that the config names. */
  get fileNames(): readonly string[] {
    return this.#current.config.parsed.fileNames;
  }

  get config(): ProjectConfig {
    return this.#current.config;
  }

  /** Sets the files of the next request. */
  follow(current: Current): void {
    this.#current = current;
    this.#turn += 1;
    const { files } = current;
    // A module has appeared or disappeared. The versions of the program's files don't show that.
    const hasMoved = ([probe, was]: readonly [string, boolean]) => {
      const path = probe.slice(1);
      return was !== (probe.startsWith('d') ? files.isDirectory(path) : files.isFile(path));
    };
    this.#haveProbesChanged =
      [...this.#probes].some(hasMoved) ||
      [...this.#readVersions].some(([path, was]) => was !== files.versionOf(path));
    if (!this.#haveProbesChanged) return;
    this.#probes.clear();
    this.#readVersions.clear();
  }

  #probe(kind: 'd' | 'f', path: string): boolean {
    const { files } = this.#current;
    const is = kind === 'd' ? files.isDirectory(path) : files.isFile(path);
    this.#probes.set(kind + path, is);
    return is;
  }

  /**
   * The same object as long as the content is the same, because a new object causes a new program.
   */
  #parseReferred(path: string): ts.ParsedCommandLine | undefined {
    const last = this.#referred.get(path);
    if (last?.turn === this.#turn) return last.parsed;
    const host = createConfigHost(this.#typescript, this.#current.files);
    const fresh = readConfig(this.#typescript, host, path)?.parsed;
    const parsed = fresh && last?.parsed && isSameConfig(last.parsed, fresh) ? last.parsed : fresh;
    this.#referred.set(path, { turn: this.#turn, parsed });
    return parsed;
  }

  #createHost(): LanguageServiceHost {
    const typescript = this.#typescript;
    const lib = this.#lib;
    const files = () => this.#current.files;
    const config = () => this.#current.config;
    const libName = (path: string) =>
      path.startsWith(libFolder) ? path.slice(libFolder.length + 1) : undefined;
    const read = (path: string) => {
      const name = libName(path);
      return name === undefined ? files().readText(path) : lib(name);
    };
    return {
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      getProjectVersion: () => String(this.#turn),
      getCurrentDirectory: () => dirname(config().path ?? joinPath(files().cwd, 'tsconfig.json')),
      getCompilationSettings: () => config().parsed.options,
      getProjectReferences: () => config().parsed.projectReferences,
      getScriptFileNames: () => [...new Set([...this.fileNames, ...this.#current.roots])],
      getScriptVersion: (path) =>
        libName(path) === undefined ? (files().versionOf(path) ?? 'absent') : 'lib',
      getScriptSnapshot(path) {
        const text = read(path);
        return text === undefined ? undefined : typescript.ScriptSnapshot.fromString(text);
      },
      getDefaultLibFileName: (options) =>
        `${libFolder}/${typescript.getDefaultLibFileName(options)}`,
      fileExists: (path) => {
        const name = libName(path);
        return name === undefined ? this.#probe('f', path) : lib(name) !== undefined;
      },
      readFile: (path) => {
        if (libName(path) === undefined) this.#readVersions.set(path, files().versionOf(path));
        return read(path);
      },
      directoryExists: (path) => path === libFolder || this.#probe('d', path),
      getDirectories: (path) => [...files().list(path).directories],
      // Uses the sources of referenced projects, because their build output may not exist.
      useSourceOfProjectReferenceRedirect: () => true,
      getParsedCommandLine: (path) => this.#parseReferred(path),
      realpath: (path) => (path.startsWith(libFolder) ? path : files().realPath(path)),
      hasInvalidatedResolutions: () => this.#haveProbesChanged,
      getCancellationToken: () => ({ isCancellationRequested: () => this.#current.isOver() }),
    };
  }
}
