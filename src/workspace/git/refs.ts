// Branches, tags and HEAD: reads and moves refs, writes their logs, and resolves revisions such as
// `main~2`. HEAD is in the work tree's own directory, other refs are in the common one.
import { SdkError } from '../../core/errors.ts';
import { dirname } from '../../core/path.ts';
import { nodeAt } from '../tree/tree.ts';
import type { GitCommit, GitSignature, Oid } from './git.ts';
import { formatSignature, parseCommit, parseTag } from './object-codec.ts';
import { isOid } from './objects/oid.ts';
import type { Repository } from './repository.ts';

/** The state of HEAD. `oid` is null on a branch without commits. */
export interface Head {
  /** For example `refs/heads/main`; null if HEAD is detached. */
  readonly ref: string | null;
  readonly oid: Oid | null;
}

export const zeroOid: Oid = '0'.repeat(40);

type RefSource = Pick<Repository, 'draft' | 'files' | 'cache' | 'gitDirectory' | 'commonDirectory'>;

/** Reads HEAD of this work tree. */
export function readHead(source: RefSource): Head {
  const text = readLoose(source, 'HEAD');
  const ref = text && /^ref: (.+)/u.exec(text)?.[1]?.trim();
  if (ref) return { ref, oid: readRef(source, ref) ?? null };
  return { ref: null, oid: text ?? null };
}

/** Returns `main` for `refs/heads/main`, and null for anything else. */
export function branchName(ref: string | null): string | null {
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

/** Returns the object of a full ref, following symbolic refs, or undefined. */
export function readRef(source: RefSource, ref: string): Oid | undefined {
  let name = ref;
  // 5: git's own limit for chains of symbolic refs.
  for (let step = 0; step < 5; step += 1) {
    const text = readLoose(source, name) ?? readPacked(source).get(name)?.oid;
    const next = text && /^ref: (.+)/u.exec(text)?.[1]?.trim();
    if (!next) return text !== undefined && isOid(text) ? text : undefined;
    name = next;
  }
  return undefined;
}

/** Returns all refs below a prefix such as `refs/heads/`, by full name, in order. */
export function listRefs(source: RefSource, prefix: string): Map<string, Oid> {
  const found = new Map<string, Oid>();
  for (const [name, { oid }] of readPacked(source)) {
    if (name.startsWith(prefix)) found.set(name, oid);
  }
  const visit = (directory: string): void => {
    const path = `${source.commonDirectory}/${directory}`;
    if (nodeAt(source.draft.root, path)?.kind !== 'directory') return;
    for (const entry of source.files.sync.readdirSync(path, { withFileTypes: true })) {
      const name = `${directory}/${entry.name}`;
      if (entry.isDirectory()) visit(name);
      else {
        const oid = readRef(source, name);
        if (oid !== undefined) found.set(name, oid);
      }
    }
  };
  visit(prefix.replace(/\/$/u, ''));
  return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** What is logged when a ref moves. */
export interface RefMove {
  readonly who: GitSignature;
  /** For example `commit: …` or `checkout: moving from a to b`. */
  readonly why: string;
}

/** Points a ref at an object and logs it. Also logs it for HEAD if HEAD is on that ref. */
export function writeRef(source: RefSource, ref: string, oid: Oid, move: RefMove): void {
  const before = readRef(source, ref) ?? zeroOid;
  refuseNesting(source, ref);
  const { sync } = source.files;
  const path = placeOf(source, ref);
  sync.mkdirSync(dirname(path), { recursive: true });
  sync.writeFileSync(path, `${oid}\n`);
  appendLog(source, ref, before, oid, move);
  if (ref !== 'HEAD' && readHead(source).ref === ref) appendLog(source, 'HEAD', before, oid, move);
}

/** Sets HEAD to a branch, or detaches it at a commit. */
export function writeHead(
  source: RefSource,
  to: { readonly ref: string } | { readonly oid: Oid },
  move?: RefMove,
): void {
  const before = readHead(source).oid ?? zeroOid;
  const text = 'ref' in to ? `ref: ${to.ref}` : to.oid;
  source.files.sync.writeFileSync(`${source.gitDirectory}/HEAD`, `${text}\n`);
  const after = readHead(source).oid ?? zeroOid;
  if (move) appendLog(source, 'HEAD', before, after, move);
}

/** Removes a ref, loose or packed, with its log. */
export function deleteRef(source: RefSource, ref: string): void {
  const { sync } = source.files;
  const path = placeOf(source, ref);
  if (sync.existsSync(path)) {
    sync.rmSync(path);
    removeEmptyParents(source, dirname(path), dirname(placeOf(source, 'refs/heads')));
  }
  const log = logPlace(source, ref);
  if (sync.existsSync(log)) {
    sync.rmSync(log);
    removeEmptyParents(source, dirname(log), `${source.commonDirectory}/logs/refs`);
  }
  const packed = readPacked(source);
  if (!packed.has(ref)) return;
  const lines = ['# pack-refs with: peeled fully-peeled sorted '];
  for (const [name, { oid, peeled }] of packed) {
    if (name === ref) continue;
    lines.push(`${oid} ${name}`);
    if (peeled) lines.push(`^${peeled}`);
  }
  sync.writeFileSync(`${source.commonDirectory}/packed-refs`, `${lines.join('\n')}\n`);
}

/** Renames a ref. Its log is kept and gets a line. */
export function renameRef(
  source: RefSource,
  { oid, from, to }: { readonly oid: Oid; readonly from: string; readonly to: string },
  move: RefMove,
): void {
  const lines = readLog(source, from);
  deleteRef(source, from);
  refuseNesting(source, to);
  const { sync } = source.files;
  for (const path of [placeOf(source, to), logPlace(source, to)]) {
    sync.mkdirSync(dirname(path), { recursive: true });
  }
  sync.writeFileSync(placeOf(source, to), `${oid}\n`);
  writeLog(source, to, lines);
  appendLog(source, to, oid, oid, move);
}

function removeEmptyParents(source: RefSource, from: string, top: string): void {
  const { sync } = source.files;
  for (let at = from; at.startsWith(`${top}/`) && dirname(at) !== top; at = dirname(at)) {
    if (sync.readdirSync(at).length > 0) return;
    sync.rmdirSync(at);
  }
}

/** One line of a ref's log, oldest first. */
export interface LogLine {
  readonly before: Oid;
  readonly after: Oid;
  readonly text: string;
  readonly message: string;
}

export function readLog(source: RefSource, ref: string): LogLine[] {
  const { sync } = source.files;
  const path = logPlace(source, ref);
  if (!sync.existsSync(path)) return [];
  return sync
    .readFileSync(path, 'utf8')
    .split('\n')
    .filter((text) => text.length > 81)
    .map((text) => ({
      before: text.slice(0, 40),
      after: text.slice(41, 81),
      text,
      message: text.slice(text.indexOf('\t') + 1),
    }));
}

/** Replaces a ref's log, as `stash drop` does. Without lines, removes it. */
export function writeLog(source: RefSource, ref: string, lines: readonly LogLine[]): void {
  const { sync } = source.files;
  const path = logPlace(source, ref);
  if (lines.length === 0) {
    if (sync.existsSync(path)) sync.rmSync(path);
    return;
  }
  sync.writeFileSync(path, lines.map(({ text }) => `${text}\n`).join(''));
}

function appendLog(source: RefSource, ref: string, before: Oid, after: Oid, move: RefMove): void {
  // Git only keeps logs of these refs. Tags, for example, don't move.
  if (!/^(?:HEAD$|refs\/(?:heads|remotes|notes)\/|refs\/stash$)/u.test(ref)) return;
  const { sync } = source.files;
  const path = logPlace(source, ref);
  sync.mkdirSync(dirname(path), { recursive: true });
  const why = move.why.replaceAll(/\s+/gu, ' ').trim();
  sync.appendFileSync(path, `${before} ${after} ${formatSignature(move.who)}\t${why}\n`);
}

function placeOf({ gitDirectory, commonDirectory }: RefSource, ref: string): string {
  const isOwn = !ref.startsWith('refs/') || /^refs\/(?:bisect|worktree|rewritten)\//u.test(ref);
  return `${isOwn ? gitDirectory : commonDirectory}/${ref}`;
}

function logPlace({ gitDirectory, commonDirectory }: RefSource, ref: string): string {
  return `${ref.startsWith('refs/') ? commonDirectory : gitDirectory}/logs/${ref}`;
}

/** `a` and `a/b` can't both be refs, because a ref is a file. */
function refuseNesting(source: RefSource, ref: string): void {
  if (!ref.startsWith('refs/')) return;
  const taken = [...listRefs(source, ref.split('/').slice(0, 2).join('/')).keys()].find(
    (name) => name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`),
  );
  if (taken === undefined) return;
  throw new SdkError(
    'invalid-input',
    `${ref} can't be made: there is ${taken}. Take another name.`,
    {
      data: { ref, taken },
    },
  );
}

function readLoose(source: RefSource, ref: string): string | undefined {
  const node = nodeAt(source.draft.root, placeOf(source, ref));
  if (node?.kind !== 'file') return undefined;
  return source.files.sync.readFileSync(placeOf(source, ref), 'utf8').trim();
}

interface PackedRef {
  readonly oid: Oid;
  /** The object to which an annotated tag refers. */
  readonly peeled?: Oid;
}

class PackedRefs extends Map<string, PackedRef> {}

const noPackedRefs = new PackedRefs();

function readPacked({ draft, files, cache, commonDirectory }: RefSource): PackedRefs {
  const path = `${commonDirectory}/packed-refs`;
  const node = nodeAt(draft.root, path);
  if (node?.kind !== 'file') return noPackedRefs;
  const known = cache.parsed(node.content);
  if (known instanceof PackedRefs) return known;
  const packed = new PackedRefs();
  let last = '';
  for (const line of files.sync.readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('^')) {
      const named = packed.get(last);
      if (named) packed.set(last, { ...named, peeled: line.slice(1, 41) });
    } else if (!line.startsWith('#') && line.length > 41) {
      last = line.slice(41).trim();
      packed.set(last, { oid: line.slice(0, 40) });
    }
  }
  cache.setParsed(node.content, packed);
  return packed;
}

/** Reads a commit by its id. @throws SdkError `ENOENT`, `EIO` */
export function readCommit({ objects }: Pick<Repository, 'objects'>, oid: Oid): GitCommit {
  return parseCommit(oid, objects.readAs(oid, 'commit'));
}

/**
 * Returns the object of a revision: an id or the beginning of one, `HEAD`, a branch, a tag, or a
 * remote branch. Each may be followed by `~2`, `^2`, `^{tree}` or `@{1}`. @throws SdkError
 * `invalid-input`
 */
export function resolveRevision(repository: Repository, revision: string): Oid {
  const match = /^([^]*?)((?:@\{\d+\}|~\d*|\^\d*(?:\{\w*\})?)*)$/u.exec(revision);
  const [, base = '', steps = ''] = match ?? [];
  let at = resolveName(repository, base === '' || base === '@' ? 'HEAD' : base, steps);
  if (at === undefined) throw unknownRevision(revision);
  for (const [step] of steps.matchAll(/~\d*|\^\{\w*\}|\^\d*/gu)) {
    const next = takeStep(repository, at, step);
    if (next === undefined) throw unknownRevision(revision);
    at = next;
  }
  return at;
}

/**
 * Returns the commit of a revision. Annotated tags are followed. @throws SdkError `invalid-input`
 */
export function resolveCommit(repository: Repository, revision: string): GitCommit {
  const oid = peel(repository, resolveRevision(repository, revision));
  const object = repository.objects.read(oid);
  if (object.type === 'commit') return parseCommit(oid, object.bytes);
  throw new SdkError('invalid-input', `${revision} names a ${object.type}, not a commit.`, {
    data: { revision },
  });
}

/**
 * Returns the tree of a revision: a commit's tree, or the tree itself.
 *
 * @throws SdkError `invalid-input` for anything else. `permission-denied` for a tree object if
 * rules hide files from the view: rules use full paths, and a tree doesn't tell its path.
 */
export function resolveTree(repository: Repository, revision: string): Oid {
  const oid = peel(repository, resolveRevision(repository, revision));
  const object = repository.objects.read(oid);
  if (object.type === 'tree' && repository.gate.hasReadRules) {
    throw new SdkError(
      'permission-denied',
      `${revision} names a tree. Rules keep some files from you, so name a commit.`,
      { data: { revision } },
    );
  }
  if (object.type === 'tree') return oid;
  if (object.type === 'commit') return parseCommit(oid, object.bytes).tree;
  throw new SdkError('invalid-input', `${revision} names a file, not a commit.`, {
    data: { revision },
  });
}

/** Follows annotated tags to the tagged object. */
export function peel({ objects }: Pick<Repository, 'objects'>, oid: Oid): Oid {
  let at = oid;
  for (let object = objects.read(at); object.type === 'tag'; object = objects.read(at)) {
    at = parseTag(object.bytes).target;
  }
  return at;
}

function resolveName(repository: Repository, name: string, steps: string): Oid | undefined {
  const back = /^@\{(\d+)\}/u.exec(steps)?.[1];
  for (const ref of candidates(name)) {
    const oid = readRef(repository, ref);
    if (oid === undefined) continue;
    if (back === undefined) return oid;
    return readLog(repository, ref).at(-1 - Number(back))?.after;
  }
  if (isOid(name)) return repository.objects.has(name) ? name : undefined;
  const found = repository.objects.findPrefix(name);
  if (found.length <= 1) return found[0];
  throw new SdkError(
    'invalid-input',
    `${name} begins the ids of several objects. Give more of it.`,
    {
      data: { name, found },
    },
  );
}

/** Returns the possible full names of a ref, in git's order. */
function candidates(name: string): string[] {
  if (name === '' || name.startsWith('/') || name.split('/').includes('..')) return [];
  const isTop = name.startsWith('refs/') || /^[A-Z_]+$/u.test(name);
  return [
    ...(isTop ? [name] : []),
    `refs/${name}`,
    `refs/tags/${name}`,
    `refs/heads/${name}`,
    `refs/remotes/${name}`,
    `refs/remotes/${name}/HEAD`,
  ];
}

function takeStep(repository: Repository, from: Oid, step: string): Oid | undefined {
  if (step.startsWith('^{')) {
    const type = step.slice(2, -1);
    const oid = peel(repository, from);
    if (type !== 'tree') return oid;
    const object = repository.objects.read(oid);
    return object.type === 'commit' ? parseCommit(oid, object.bytes).tree : oid;
  }
  const count = step.length > 1 ? Number(step.slice(1)) : 1;
  let at = peel(repository, from);
  if (step.startsWith('^')) {
    return count === 0 ? at : readCommit(repository, at).parents[count - 1];
  }
  for (let done = 0; done < count; done += 1) {
    const parent = readCommit(repository, at).parents[0];
    if (parent === undefined) return undefined;
    at = parent;
  }
  return at;
}

function unknownRevision(revision: string): SdkError {
  return new SdkError(
    'invalid-input',
    `${JSON.stringify(revision)} names no commit, branch or tag here. git.branch.list() and git.log() show what there is.`,
    { data: { revision } },
  );
}
