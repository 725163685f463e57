// What a tab does to its own folder until its browser is killed. The operations follow from a seed.
// So the page, which carries them out, and the test, which only knows how far it came, agree.
import { createRandom } from '../../support/random.ts';

/** A folder's files: path below the folder to content. */
export type Files = ReadonlyMap<string, string>;

/** `batch`, `tool` and `merge` change several files in one record of the log: all, or none. */
export type Operation =
  | { readonly type: 'write' | 'append'; readonly path: string; readonly text: string }
  | { readonly type: 'rename' | 'rename-tree'; readonly from: string; readonly to: string }
  | { readonly type: 'remove' | 'remove-tree'; readonly path: string }
  | {
      readonly type: 'batch' | 'tool' | 'merge';
      readonly files: readonly (readonly [string, string])[];
    }
  /** The folder becomes what it was at the last checkpoint. */
  | { readonly type: 'checkpoint' | 'rewind' };

/** The folder after an operation. */
export interface Step {
  readonly operation: Operation;
  readonly files: Files;
  /** As it was at each checkpoint of this history. */
  readonly checkpoints: readonly Files[];
}

/** The first operation is number 1. Endless. */
export function* playHistory(seed: number): Generator<Step, never> {
  const random = createRandom(seed).next;
  let files: Files = new Map();
  let checkpoints: readonly Files[] = [];
  for (let number = 1; ; number += 1) {
    const operation = chooseOperation(random, number, [...files.keys()], checkpoints.length > 0);
    if (operation.type === 'checkpoint') checkpoints = [...checkpoints, files];
    files =
      operation.type === 'rewind'
        ? (checkpoints.at(-1) ?? files)
        : applyOperation(files, operation);
    yield { operation, files, checkpoints };
  }
}

function chooseOperation(
  random: () => number,
  number: number,
  paths: readonly string[],
  canRewind: boolean,
): Operation {
  const pick = (): string => paths[Math.floor(random() * paths.length)] ?? '';
  const fresh = (at = 0) => `${Math.floor(random() * 9)}/new-${number}-${at}`;
  const text = () => createText(random, number);
  const several = () => [0, 1, 2].map((at) => [fresh(at), text()] as const);
  if (paths.length < 5) return { type: 'write', path: fresh(), text: text() };
  // In hundredths.
  const kind = random() * 100;
  if (kind < 20) return { type: 'write', path: fresh(), text: text() };
  if (kind < 40) return { type: 'write', path: pick(), text: text() };
  if (kind < 48) return { type: 'append', path: pick(), text: `appended by ${number}\n` };
  if (kind < 56) return { type: 'rename', from: pick(), to: fresh() };
  if (kind < 62) return { type: 'rename-tree', from: parentOf(pick()), to: `moved-${number}/tree` };
  if (kind < 70) return { type: 'remove', path: pick() };
  if (kind < 74) return { type: 'remove-tree', path: parentOf(pick()) };
  if (kind < 80) return { type: 'batch', files: several() };
  if (kind < 88) return { type: 'tool', files: several() };
  if (kind < 92) return { type: 'merge', files: several() };
  return { type: kind < 96 && canRewind ? 'rewind' : 'checkpoint' };
}

function applyOperation(files: Files, operation: Operation): Files {
  const next = new Map(files);
  switch (operation.type) {
    case 'write':
      return next.set(operation.path, operation.text);
    case 'append':
      return next.set(operation.path, (files.get(operation.path) ?? '') + operation.text);
    case 'rename':
      next.delete(operation.from);
      return next.set(operation.to, files.get(operation.from) ?? '');
    case 'rename-tree':
      for (const path of below(files, operation.from)) {
        next.delete(path);
        next.set(operation.to + path.slice(operation.from.length), files.get(path) ?? '');
      }
      return next;
    case 'remove':
      next.delete(operation.path);
      return next;
    case 'remove-tree':
      for (const path of below(files, operation.path)) next.delete(path);
      return next;
    case 'batch':
    case 'tool':
    case 'merge':
      for (const [path, text] of operation.files) next.set(path, text);
      return next;
    case 'checkpoint':
    case 'rewind':
      return files;
  }
}

/** The folder that a path is in. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function below(files: Files, directory: string): string[] {
  return [...files.keys()].filter((path) => path.startsWith(`${directory}/`));
}

/** Mostly some hundred bytes, now and then much: a write that takes long is killed more easily. */
function createText(random: () => number, number: number): string {
  // Up to 800 KB: over several of every unit in which bytes are kept or sent.
  const lines = random() < 0.05 ? random() * 60_000 : random() * 40;
  return `operation ${number}\n`.repeat(Math.ceil(lines));
}
