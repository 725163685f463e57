// The host functions: everything that a guest can reach. Each validates its arguments and works on
// the running cell. Between cells, most of them refuse.
import { SdkError } from '../../core/errors.ts';
import { gitCommands } from '../../core/git/git-commands.ts';
import { resolvePath } from '../../core/path.ts';
import type { SyncFileSystem } from '../../workspace/files/file-system.ts';
import type { GuestValue, HostFunction } from '../vm/engine.ts';
import type { CellGit } from '../cell/cell-git.ts';
import type { CellTools } from '../cell/cell-tools.ts';
import type { DraftMeter } from '../session/draft-meter.ts';
import type { CellSources } from './cell-sources.ts';
import { fileFunctions } from './file-functions.ts';
import {
  bytesArgument,
  invalidArgument,
  jsonArgument,
  numberArgument,
  optionalText,
  pairListArgument,
  pathArgument,
  textArgument,
  textListArgument,
} from './guest-arguments.ts';
import type { HostCalls } from './host-calls.ts';
import { LocaleServices } from './locale-services.ts';
import { limitReached, type CellLimits } from '../vm/limits.ts';
import { Barrels, fileOfModule } from '../modules/barrels.ts';
import { resolveModule } from '../modules/module-resolver.ts';
import { findProjectOptions } from '../modules/find-project-options.ts';
import { ModuleSources } from '../modules/module-source.ts';
import type { GuestWorld } from './load-world.ts';
import type { GuestRequest, NetworkBroker } from './network-broker.ts';
import { CodeSyntaxError } from '../syntax/parse.ts';
import { readScriptNames } from '../syntax/script-names.ts';
import type { StripTypes } from '../syntax/typescript.ts';
import { compileFileGlob, findTestFiles } from './test-files.ts';
import { parseQuery, parseUrl, writeQuery } from './url-parts.ts';

/** The parts of the running cell that host functions use. */
export interface CellWorld {
  readonly fs: SyncFileSystem;
  readonly cwd: string;
  readonly limits: CellLimits;
  readonly network: NetworkBroker;
  readonly tools: CellTools;
  readonly git: CellGit;
  readonly draft: DraftMeter;
  readonly stripTypes: StripTypes;
  readonly guest: Pick<
    GuestWorld,
    | 'crc32'
    | 'findPart'
    | 'hashes'
    | 'prepareDerivation'
    | 'prepareSubtle'
    | 'runCipher'
    | 'unzipPart'
    | 'zipBytes'
  >;
  write(stream: 'stdout' | 'stderr', text: string): void;
  /**
   * Returns a source line of the running cell, by its name in stack traces, or of a file. Undefined
   * if it can't be read.
   */
  sourceLine(file: string, line: number): string | undefined;
  /** @throws SdkError if the module must not be loaded; see download-taint.ts */
  checkModule(path: string): void;
  /**
   * Counts work of the host as computing time of the cell, in steps of a few milliseconds. Without
   * it, such work wouldn't count where clocks stand still.
   */
  charge(steps: number): void;
}

/** The parts of the session that host functions use in all cells. */
export interface HostPorts {
  readonly calls: HostCalls;
  /** The guest's current clock and randomness. */
  sources(): CellSources;
  /** The initial values of `process.env`. */
  readonly env: Readonly<Record<string, string>>;
}

/** The guest itself decodes latin1. */
const encodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;

// 65 536: the platform's limit for getRandomValues.
const maxRandomBytes = 65_536;

/**
 * Creates the host functions by name. `cell` returns the running cell, and throws if there is none.
 */
export function createHostFunctions(
  cell: () => CellWorld,
  ports: HostPorts,
): Readonly<Record<string, HostFunction>> {
  return {
    ...charged(cell, cellFunctions(cell, ports)),
    // These are also called while a VM boots, when there is no cell.
    now: () => ports.sources().now(),
    env: () => JSON.stringify(ports.env),
    random: () => ports.sources().fraction(),
    randomBytes: (length) =>
      ports
        .sources()
        .randomBytes(numberArgument(length, 'length', { min: 0, max: maxRandomBytes })),
  };
}

// 65 536 bytes: the host reads, copies or hashes as much in a few milliseconds on a slow machine.
const bytesAStep = 65_536;

/** Wraps functions so that data between guest and host counts as computing time, by its size. */
function charged(
  cell: () => CellWorld,
  functions: Readonly<Record<string, HostFunction>>,
): Record<string, HostFunction> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]) => [
      name,
      (...args: readonly GuestValue[]) => {
        const result = run(...args);
        // A loop without allocations, because it runs in every call.
        let bytes = sizeOf(result);
        for (const value of args) bytes += sizeOf(value);
        if (bytes >= bytesAStep) cell().charge(Math.floor(bytes / bytesAStep));
        return result;
      },
    ]),
  );
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

const addSize = (sum: number, value: GuestValue) => sum + sizeOf(value);

function cellFunctions(cell: () => CellWorld, ports: HostPorts): Record<string, HostFunction> {
  const locales = new LocaleServices();
  return {
    ...fileFunctions(
      () => cell().fs,
      (path) => cell().tools.noteRead(path),
      () => cell().draft,
    ),
    ...moduleFunctions(cell),
    ...startedFunctions(cell, ports),
    cwd: () => cell().cwd,
    checkHandles(open) {
      const { limits } = cell();
      const count = numberArgument(open, 'open', { min: 0, max: Infinity });
      if (count >= limits.maxOpenHandles) throw limitReached('maxOpenHandles', limits);
      return undefined;
    },
    write(stream, text) {
      const name = textArgument(stream, 'stream') === 'stderr' ? 'stderr' : 'stdout';
      cell().write(name, textArgument(text, 'text'));
      return undefined;
    },
    encodeText: (text) => new TextEncoder().encode(textArgument(text, 'text')),
    decodeText(bytes, isFatal, keepsByteOrderMark, label) {
      const decoder = new TextDecoder(encodings.find((known) => known === label) ?? 'utf-8', {
        fatal: isFatal === true,
        ignoreBOM: keepsByteOrderMark === true,
      });
      try {
        return decoder.decode(bytesArgument(bytes, 'bytes'));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        const failure = new SdkError(
          'invalid-input',
          `The encoded data was not valid for encoding ${decoder.encoding}`,
        );
        failure.name = 'TypeError';
        throw failure;
      }
    },
    hash(algorithm, state, data, length) {
      const { blockSize, hashNames, hashStep, stateSize } = cell().guest.hashes;
      const name = hashNames.find((known) => known === algorithm);
      const bytes = bytesArgument(data, 'data');
      if (!name || (length === undefined && bytes.length % blockSize(name) !== 0)) {
        throw invalidArgument('algorithm', `one of ${hashNames.join(', ')}, and data whole blocks`);
      }
      cell().charge(1);
      const before = state === undefined ? undefined : bytesArgument(state, 'state');
      if (before && before.length !== stateSize(name))
        throw invalidArgument('state', 'a hash state');
      return length === undefined
        ? hashStep(name, before, bytes)
        : hashStep(
            name,
            before,
            bytes,
            numberArgument(length, 'length', { min: 0, max: Number.MAX_SAFE_INTEGER }),
          );
    },
    cipher: (mode, isDecrypting, key, iv, more, data) =>
      cell().guest.runCipher({
        mode: textArgument(mode, 'mode'),
        isDecrypting: isDecrypting === true,
        key: bytesArgument(key, 'key'),
        iv: bytesArgument(iv, 'iv'),
        more: bytesArgument(more, 'more'),
        data: bytesArgument(data, 'data'),
      }),
    derive(derivation, secret, salt, info) {
      const { guest, limits } = cell();
      const { steps, run } = guest.prepareDerivation(
        jsonArgument(derivation, 'derivation'),
        bytesArgument(secret, 'secret'),
        bytesArgument(salt, 'salt'),
        bytesArgument(info, 'info'),
        limits.maxMemoryBytes,
      );
      cell().charge(steps);
      return run();
    },
    zip(format, data, level) {
      const { guest, limits } = cell();
      const bytes = guest.zipBytes(
        textArgument(format, 'format'),
        bytesArgument(data, 'data'),
        numberArgument(level, 'level', { min: -1, max: 9 }),
        limits.maxMemoryBytes,
      );
      if (bytes === 'over') throw limitReached('maxMemoryBytes', limits);
      return bytes;
    },
    unzipPart(format, data, window) {
      const { guest, limits } = cell();
      const bytes = guest.unzipPart(
        textArgument(format, 'format'),
        bytesArgument(data, 'data'),
        bytesArgument(window, 'window'),
        limits.maxMemoryBytes,
      );
      if (bytes === 'over') throw limitReached('maxMemoryBytes', limits);
      return bytes;
    },
    crc32: (data, start) =>
      cell().guest.crc32(
        bytesArgument(data, 'data'),
        numberArgument(start, 'start', { min: 0, max: 2 ** 32 - 1 }),
      ),
    parseUrl: (url, base, part, value) =>
      parseUrl(
        textArgument(url, 'url'),
        optionalText(base, 'base'),
        optionalText(part, 'part'),
        optionalText(value, 'value'),
      ),
    parseQuery: (text) => parseQuery(textArgument(text, 'query')),
    writeQuery: (list) => writeQuery(pairListArgument(list, 'query')),
    intl(service, setup, method, args) {
      const list = jsonArgument(args, 'arguments');
      if (!Array.isArray(list)) throw invalidArgument('arguments', 'a list');
      return locales.ask(
        textArgument(service, 'service'),
        textArgument(setup, 'setup'),
        textArgument(method, 'method'),
        list,
        () => cell().charge(1),
      );
    },
    part: (name) => cell().guest.findPart(textArgument(name, 'name')),
  };
}

/**
 * Functions that start an asynchronous call. Each returns the number of the call (see HostCalls).
 */
function startedFunctions(
  cell: () => CellWorld,
  { calls, sources }: HostPorts,
): Record<string, HostFunction> {
  return {
    startFetch(head, body) {
      const request = requestArgument(head, body);
      const { network } = cell();
      return calls.start(async (signal) => {
        const { body: received, ...rest } = await network.fetch(request, signal);
        return [JSON.stringify(rest), received];
      }, request.body?.length);
    },
    toolNames: () => JSON.stringify(cell().tools.names),
    startTool(name, input) {
      const json = textArgument(input, 'input');
      const { draft, tools } = cell();
      draft.require(0);
      const run = tools.prepare(textArgument(name, 'name'), jsonArgument(json, 'input'));
      return calls.start(async (signal) => {
        try {
          return [await run(signal)];
        } finally {
          // A tool writes to the same draft, even if it fails later.
          draft.recount();
        }
      }, json.length);
    },
    gitCommands: () => JSON.stringify([...gitCommands.keys()]),
    startGit(command, args, isWatched, directory) {
      const json = textArgument(args, 'arguments');
      const list = jsonArgument(json, 'arguments');
      if (!Array.isArray(list)) throw invalidArgument('arguments', 'a list');
      const name = textArgument(command, 'command');
      const { draft, git } = cell();
      const where = directory === undefined ? undefined : textArgument(directory, 'directory');
      const run = git.prepare(name, list, where);
      const isOfServer = gitCommands.get(name)?.effect === 'network';
      return calls.start((signal, note) => {
        const start = () => run(signal, (progress) => isWatched === true && note([progress]));
        return isOfServer ? draft.leaveOut(start) : start();
      }, json.length);
    },
    startSubtle(request, ...bytes) {
      const json = textArgument(request, 'request');
      const { guest } = cell();
      const call = guest.prepareSubtle(jsonArgument(json, 'request'), bytes, (length) =>
        sources().randomBytes(length),
      );
      cell().charge(call.steps);
      return calls.start(() => call.run(), json.length + bytes.reduce(addSize, 0));
    },
    cancelCall(id) {
      calls.cancel(numberArgument(id, 'id', { min: 0, max: Number.MAX_SAFE_INTEGER }));
      return undefined;
    },
  };
}

/** Security: the guest wrote this JSON, so each field is validated. */
function requestArgument(head: GuestValue, body: GuestValue): GuestRequest {
  const [url = '', method = '', redirect = '', ...headers] = textListArgument(head, 'request');
  if (!URL.canParse(url)) throw invalidArgument('url', 'a URL');
  const known = redirects.find((kind) => kind === redirect);
  if (!known || headers.length % 2 !== 0) throw invalidArgument('request', 'a request');
  return {
    url,
    method,
    redirect: known,
    headers: headers.flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [],
    ),
    body: body === undefined ? undefined : bytesArgument(body, 'body'),
  };
}

const redirects = ['follow', 'error', 'manual'] as const;

function moduleFunctions(cell: () => CellWorld): Record<string, HostFunction> {
  const sources = new ModuleSources();
  const barrels = new Barrels();
  return {
    resolve(specifier, importer, isRequired, names) {
      const { fs, cwd } = cell();
      const found = resolveModule(
        fs,
        textArgument(specifier, 'specifier'),
        resolvePath(cwd, pathArgument(importer, 'importer')),
        isRequired === true ? 'require' : 'import',
      );
      // As in Node, a linked package resolves its imports from its real path, and is one module
      // under all of its names.
      const path = found === undefined ? undefined : fs.realpathSync(found);
      return path === undefined || typeof names !== 'string'
        ? path
        : barrels.narrow(fs, path, names);
    },
    loadModule(path) {
      const { fs, cwd, stripTypes } = cell();
      const filename = resolvePath(cwd, pathArgument(path));
      cell().checkModule(fs.realpathSync(fileOfModule(filename)));
      try {
        const text = barrels.read(fs, filename) ?? fs.readFileSync(filename, 'utf8');
        return {
          source: sources.get(filename, text, {
            stripTypes,
            projectOptions: () => findProjectOptions(fs, filename),
          }),
          filename,
        };
      } catch (error) {
        if (!(error instanceof CodeSyntaxError)) throw error;
        const { message, line, column } = error;
        const failure = new SdkError('invalid-input', `${message} (${filename}:${line}:${column})`);
        failure.name = 'SyntaxError';
        throw failure;
      }
    },
    sourceLine: (file, line) =>
      cell().sourceLine(
        pathArgument(file, 'file'),
        numberArgument(line, 'line', { min: 1, max: Number.MAX_SAFE_INTEGER }),
      ),
    scriptNames(code) {
      try {
        return JSON.stringify(readScriptNames(textArgument(code, 'code')));
      } catch (error) {
        if (!(error instanceof CodeSyntaxError)) throw error;
        const failure = new SdkError(
          'invalid-input',
          `${error.message} (${error.line}:${error.column})`,
        );
        failure.name = 'SyntaxError';
        throw failure;
      }
    },
    findTests: (patterns) =>
      JSON.stringify(findTestFiles(cell().fs, cell().cwd, textListArgument(patterns, 'patterns'))),
    matchesGlob: (pattern, path) =>
      compileFileGlob(cell().cwd, pathArgument(pattern, 'pattern'))(pathArgument(path, 'path')),
  };
}
