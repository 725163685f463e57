// Three-way merges of git's line-based files: packed-refs, shallow and ref logs. The workspace's
// writer calls them if two commits have both changed one.
import { decodeLatin1, encodeLatin1 } from '../../core/bytes/latin1.ts';

/** Merges a log, to which lines are only added: keeps what both sides have added, theirs first. */
export function mergeLog(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array {
  const [old, our, their] = [base, ours, theirs].map(toLines) as [string[], string[], string[]];
  const isGrown = startsWith(our, old) && startsWith(their, old);
  // If one side has truncated the log, the common beginning is kept once.
  const shared = isGrown ? old.length : countShared(our, their);
  return fromLines([...their, ...our.slice(shared)]);
}

/**
 * Merges the list of commits without parents in this clone. Each line is added or removed on its
 * own.
 */
export function mergeShallow(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array {
  const [old, our] = [new Set(toLines(base)), new Set(toLines(ours))];
  const their = toLines(theirs);
  const kept = their.filter((line) => our.has(line) || !old.has(line));
  const added = [...our].filter((line) => !old.has(line) && !their.includes(line));
  return fromLines([...kept, ...added].toSorted());
}

/** Ref name → its oid, and the line with the peeled tag. */
type PackedRefs = ReadonlyMap<string, readonly [oid: string, peeled: string | undefined]>;

/** Returns undefined if both sides changed one ref in different ways. */
export function mergePackedRefs(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
): Uint8Array | undefined {
  const [old, our, their] = [base, ours, theirs].map(readPackedRefs) as [
    PackedRefs,
    PackedRefs,
    PackedRefs,
  ];
  const lines: string[] = [formatHeader(ours, theirs)];
  for (const ref of [...new Set([...our.keys(), ...their.keys()])].toSorted()) {
    const [before, mine, other] = [old, our, their].map((refs) => refs.get(ref)?.join('^'));
    if (mine !== other && before !== other && before !== mine) return undefined;
    const [oid, peeled] = (before === other ? our : their).get(ref) ?? [];
    if (oid === undefined) continue;
    lines.push(`${oid} ${ref}`);
    if (peeled !== undefined) lines.push(`^${peeled}`);
  }
  return fromLines(lines);
}

export function readPackedRefs(bytes: Uint8Array): PackedRefs {
  const refs = new Map<string, readonly [string, string | undefined]>();
  let last: string | undefined;
  for (const line of toLines(bytes)) {
    if (line.startsWith('#')) continue;
    if (line.startsWith('^')) {
      const [oid] = (last !== undefined && refs.get(last)) || [];
      if (last !== undefined && oid !== undefined) refs.set(last, [oid, line.slice(1)]);
      continue;
    }
    const blank = line.indexOf(' ');
    last = line.slice(blank + 1);
    refs.set(last, [line.slice(0, blank), undefined]);
  }
  return refs;
}

/** Without the header on one side, its tags may not be peeled. */
function formatHeader(ours: Uint8Array, theirs: Uint8Array): string {
  const [our, their] = [ours, theirs].map(
    (bytes) => /^# pack-refs with:(.*)$/u.exec(toLines(bytes)[0] ?? '')?.[1]?.split(' ') ?? [],
  );
  const shared = ['peeled', 'fully-peeled'].filter(
    (trait) => our?.includes(trait) && their?.includes(trait),
  );
  return `# pack-refs with: ${[...shared, 'sorted', ''].join(' ')}`;
}

function toLines(bytes: Uint8Array): string[] {
  // Refs and names may be in any encoding. Decoded so, all bytes are preserved.
  const lines = decodeLatin1(bytes).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function fromLines(lines: readonly string[]): Uint8Array {
  return encodeLatin1(lines.map((line) => `${line}\n`).join(''));
}

function startsWith(lines: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((line, at) => lines[at] === line);
}

function countShared(left: readonly string[], right: readonly string[]): number {
  const end = left.findIndex((line, at) => right[at] !== line);
  return end < 0 ? left.length : end;
}
