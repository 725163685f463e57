/**
 * A folder on disk as entries of a workspace, and entries as a folder: what the headless command
 * loads and what it writes out.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { packBytes, packFiles, type PackedEntry } from './file-pack.ts';

/** Not loaded: other people's code, and git's own, which no tool of ours reads yet. */
const leftOut = new Set(['node_modules', '.git']);

/** Everything below `folder` but what is left out, in batches; parents before children. */
export function* readFolder(folder: string): Generator<PackedEntry[]> {
  let batch: PackedEntry[] = [];
  let bytes = 0;
  for (const entry of walk(folder, folder)) {
    batch.push(entry);
    if ('bytes' in entry) bytes += entry.bytes.length;
    if (batch.length < packFiles && bytes < packBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  yield batch;
}

function* walk(root: string, folder: string): Generator<PackedEntry> {
  for (const name of readdirSync(folder).sort()) {
    if (leftOut.has(name)) continue;
    const place = join(folder, name);
    const path = relative(root, place).replaceAll(sep, '/');
    const stats = lstatSync(place);
    if (stats.isSymbolicLink()) yield { path, target: readlinkSync(place) };
    else if (stats.isDirectory()) {
      yield { path, isDirectory: true };
      yield* walk(root, place);
    } else if (stats.isFile()) {
      const { mode, mtimeMs } = stats;
      yield { path, bytes: readFileSync(place), mode: mode & 0o777, mtimeMs };
    }
  }
}

export interface FolderWriter {
  /** Parents before children. Nothing that is there is written over. */
  write(entries: readonly PackedEntry[]): void;
  /** Makes the links. */
  finish(): void;
}

/** Writes entries into a folder that is new or empty. */
export function createFolderWriter(folder: string): FolderWriter {
  const links: { place: string; target: string }[] = [];
  mkdirSync(folder, { recursive: true });
  return {
    write(entries) {
      for (const entry of entries) {
        const place = join(folder, entry.path);
        // Security: no path of a workspace may lead out of the folder that was named.
        if (relative(folder, place).split(sep)[0] === '..') {
          throw new Error(
            `The workspace has the path ${entry.path}, which leads out of ${folder}.`,
          );
        }
        if ('isDirectory' in entry) mkdirSync(place, { recursive: true });
        // Security: links come last, so that no file can be written through one.
        else if ('target' in entry) links.push({ place, target: entry.target });
        else {
          mkdirSync(dirname(place), { recursive: true });
          writeFileSync(place, entry.bytes, { flag: 'wx' });
          if (entry.mode !== undefined) chmodSync(place, entry.mode);
          if (entry.mtimeMs !== undefined) {
            const mtime = new Date(entry.mtimeMs);
            utimesSync(place, mtime, mtime);
          }
        }
      }
    },
    finish() {
      for (const { place, target } of links) {
        mkdirSync(dirname(place), { recursive: true });
        symlinkSync(target, place);
      }
    },
  };
}
