// What a tab does to its own folder until its browser is killed: operations that follow from a seed,
// so that the page, which carries them out, and the test, which only knows how far it came, agree.

/** A folder's files: path below the folder to content. */
export type Files = ReadonlyMap<string, string>;

/** `batch` and `tool` change several files in one commit: all of them, or none. */
export type Operation =
  | { readonly type: 'write' | 'append'; readonly path: string; readonly text: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  | { readonly type: 'remove'; readonly path: string }
  | { readonly type: 'batch' | 'tool'; readonly files: readonly (readonly [string, string])[] };

export interface Step {
  readonly operation: Operation;
  /** After the operation. */
  readonly files: Files;
}

/** The first operation is number 1. Endless. */
export function* playHistory(seed: number): Generator<Step, never> {
  const random = createRandom(seed);
  let files: Files = new Map();
  for (let number = 1; ; number += 1) {
    const operation = chooseOperation(random, number, [...files.keys()]);
    files = applyOperation(files, operation);
    yield { operation, files };
  }
}

function chooseOperation(
  random: () => number,
  number: number,
  paths: readonly string[],
): Operation {
  const pick = (): string => paths[Math.floor(random() * paths.length)] ?? '';
  const fresh = (at = 0) => `${Math.floor(random() * 9)}/new-${number}-${at}`;
  const kind = random();
  if (paths.length < 5 || kind < 0.3) {
    return { type: 'write', path: fresh(), text: createText(random, number) };
  }
  if (kind < 0.5) return { type: 'write', path: pick(), text: createText(random, number) };
  if (kind < 0.6) return { type: 'append', path: pick(), text: `appended by ${number}\n` };
  if (kind < 0.7) return { type: 'rename', from: pick(), to: fresh() };
  if (kind < 0.8) return { type: 'remove', path: pick() };
  const files = [0, 1, 2].map((at) => [fresh(at), createText(random, number)] as const);
  return { type: kind < 0.9 ? 'batch' : 'tool', files };
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
    case 'remove':
      next.delete(operation.path);
      return next;
    case 'batch':
    case 'tool':
      for (const [path, text] of operation.files) next.set(path, text);
      return next;
  }
}

/** Mostly some hundred bytes, now and then much: a write that takes long is killed more easily. */
function createText(random: () => number, number: number): string {
  const lines = random() < 0.05 ? 20_000 : Math.ceil(random() * 40);
  return `operation ${number}\n`.repeat(lines);
}

/** Numbers from 0 to 1 that follow from the seed: a linear congruence is random enough here. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
