// All that a guest can reach: these functions and nothing else. Each checks its arguments, and
// works on the cell that runs; between cells there is none, and each of them refuses.
import { SdkError } from '../core/errors.ts';
import { compilePathGlob } from '../core/path-glob.ts';
import { resolvePath } from '../core/path.ts';
import type { Dirent, Stats, SyncFileSystem } from '../workspace/file-system.ts';
import type { GuestValue, HostFunction } from './engine.ts';
import {
  bytesArgument,
  dataArgument,
  numberArgument,
  optionalText,
  pairListArgument,
  pathArgument,
  textArgument,
  textListArgument,
} from './guest-arguments.ts';
import { resolveModule } from './module-resolver.ts';
import { ModuleSources } from './module-source.ts';
import { CodeSyntaxError } from './syntax/parse.ts';
import type { StripTypes } from './syntax/typescript.ts';
import { findTestFiles } from './test-files.ts';
import { parseQuery, parseUrl, writeQuery } from './url-parts.ts';
import { lazyPart } from './world/world.ts';

/** What the running cell lends to the guest. */
export interface CellWorld {
  readonly fs: SyncFileSystem;
  readonly cwd: string;
  /** Undefined in a cell that showed no sign of needing modules; see session.ts. */
  readonly stripTypes: StripTypes | undefined;
  write(stream: 'stdout' | 'stderr', text: string): void;
}

/** Besides these the guest decodes latin1 by itself. */
const encodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;

// The platform's own limit of getRandomValues.
const maxRandomBytes = 65_536;

/** The functions by name. `cell` gives the cell that runs, and throws when there is none. */
export function createHostFunctions(
  cell: () => CellWorld,
  now: () => number,
): Readonly<Record<string, HostFunction>> {
  return {
    ...fileFunctions(cell),
    ...moduleFunctions(cell),
    cwd: () => cell().cwd,
    now: () => now(),
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
        const failure = new SdkError('invalid-input', 'The encoded data was not valid.');
        failure.name = 'TypeError';
        throw failure;
      }
    },
    randomUuid: () => crypto.randomUUID(),
    randomBytes: (length) =>
      crypto.getRandomValues(
        new Uint8Array(numberArgument(length, 'length', { min: 0, max: maxRandomBytes })),
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
    part(name) {
      const code = lazyPart(textArgument(name, 'name'));
      if (!code) throw new SdkError('invalid-input', 'There is no such part of the world.');
      return code;
    },
  };
}

/**
 * Node's `fs`, as far as a whole-file file system goes. Paths go on as they came: the view takes
 * relative ones from the same working directory, and only it knows where links lead.
 */
function fileFunctions(cell: () => CellWorld): Record<string, HostFunction> {
  const done = (_nothing: void) => undefined;
  return {
    readText: (path) => cell().fs.readFileSync(pathArgument(path), 'utf8'),
    readBytes: (path) => cell().fs.readFileSync(pathArgument(path)),
    writeFile: (path, data) =>
      done(cell().fs.writeFileSync(pathArgument(path), dataArgument(data, 'data'))),
    appendFile: (path, data) =>
      done(cell().fs.appendFileSync(pathArgument(path), dataArgument(data, 'data'))),
    exists: (path) => cell().fs.existsSync(pathArgument(path)),
    access: (path) => done(cell().fs.accessSync(pathArgument(path))),
    stat: (path) => encodeStats(cell().fs.statSync(pathArgument(path))),
    lstat: (path) => encodeStats(cell().fs.lstatSync(pathArgument(path))),
    readdir(path, isRecursive, withTypes) {
      const options = { recursive: isRecursive === true };
      const { fs } = cell();
      return JSON.stringify(
        withTypes === true
          ? fs
              .readdirSync(pathArgument(path), { ...options, withFileTypes: true })
              .map(toPlainEntry)
          : fs.readdirSync(pathArgument(path), options),
      );
    },
    mkdir: (path, isRecursive) =>
      cell().fs.mkdirSync(pathArgument(path), { recursive: isRecursive === true }),
    mkdtemp: (prefix) => cell().fs.mkdtempSync(pathArgument(prefix, 'prefix')),
    rm: (path, isRecursive, isForced) =>
      done(
        cell().fs.rmSync(pathArgument(path), {
          recursive: isRecursive === true,
          force: isForced === true,
        }),
      ),
    rmdir: (path) => done(cell().fs.rmdirSync(pathArgument(path))),
    unlink: (path) => done(cell().fs.unlinkSync(pathArgument(path))),
    rename: (from, to) =>
      done(cell().fs.renameSync(pathArgument(from, 'oldPath'), pathArgument(to, 'newPath'))),
    copyFile: (from, to) =>
      done(cell().fs.copyFileSync(pathArgument(from, 'src'), pathArgument(to, 'dest'))),
    cp: (from, to, isRecursive) =>
      done(
        cell().fs.cpSync(pathArgument(from, 'src'), pathArgument(to, 'dest'), {
          recursive: isRecursive === true,
        }),
      ),
    realpath: (path) => cell().fs.realpathSync(pathArgument(path)),
    readlink: (path) => cell().fs.readlinkSync(pathArgument(path)),
    // A link's target stays as it is written: it may be relative to the link.
    symlink: (target, path) =>
      done(cell().fs.symlinkSync(pathArgument(target, 'target'), pathArgument(path))),
    chmod: (path, mode) =>
      done(
        cell().fs.chmodSync(
          pathArgument(path),
          numberArgument(mode, 'mode', { min: 0, max: 0o7777 }),
        ),
      ),
    utimes: (path, atime, mtime) =>
      done(cell().fs.utimesSync(pathArgument(path), timeArgument(atime), timeArgument(mtime))),
    truncate: (path, length) =>
      done(
        cell().fs.truncateSync(
          pathArgument(path),
          numberArgument(length, 'len', { min: 0, max: 2 ** 31 }),
        ),
      ),
  };
}

function moduleFunctions(cell: () => CellWorld): Record<string, HostFunction> {
  const sources = new ModuleSources();
  return {
    resolve: (specifier, importer) =>
      resolveModule(
        cell().fs,
        textArgument(specifier, 'specifier'),
        resolvePath(cell().cwd, pathArgument(importer, 'importer')),
      ),
    loadModule(path) {
      const { fs, cwd, stripTypes } = cell();
      const filename = resolvePath(cwd, pathArgument(path));
      if (!stripTypes) {
        throw new SdkError(
          'invalid-input',
          `${filename} can't be loaded here: write require(…) or import(…) out in the cell, under that name.`,
        );
      }
      try {
        return {
          source: sources.get(filename, fs.readFileSync(filename, 'utf8'), stripTypes),
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
    findTests: (patterns) =>
      JSON.stringify(findTestFiles(cell().fs, cell().cwd, textListArgument(patterns, 'patterns'))),
    matchGlob: (path, pattern) =>
      compilePathGlob(cell().cwd, pathArgument(pattern, 'pattern')).test(pathArgument(path)),
  };
}

function timeArgument(value: GuestValue): number {
  return numberArgument(value, 'time', { min: 0, max: 8.64e12 });
}

function encodeStats(stats: Stats): string {
  const { size, mode, mtimeMs } = stats;
  return JSON.stringify({ type: typeOf(stats), size, mode, mtimeMs });
}

function toPlainEntry(entry: Dirent): { name: string; parentPath: string; type: string } {
  return { name: entry.name, parentPath: entry.parentPath, type: typeOf(entry) };
}

function typeOf(entry: Pick<Stats, 'isFile' | 'isDirectory'>): string {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'symlink';
}
