// Validates a change set for the writer. Security: it comes from another realm, so types, paths,
// sizes and numbers are checked as if an attacker had written it. Nothing is corrected.
import type { Change, ChangeContent, ChangeSet, FileBase } from '../../core/change-set.ts';
import { basename, dirname, normalizePath } from '../../core/path.ts';
import {
  byteLengthExceeds,
  maxFileBytes,
  maxNameBytes,
  maxPathBytes,
} from '../files/file-limits.ts';
import { invalid, isCount, toFields } from '../state/read-fields.ts';

// 1 000 000: a clone of the largest repository that was measured makes 40 000 changes.
const maxChanges = 1_000_000;
// 1.5 GiB: a record is encoded in one buffer, and browsers refuse buffers of 2 GiB and more.
const maxRecordBytes = 1_610_612_736;

type Making = Exclude<Change, { readonly type: 'remove' }>;

/**
 * Returns a value with known fields only. @throws SdkError `invalid-input` that says which change
 * is wrong, and why
 */
export function validateChangeSet(value: unknown): ChangeSet {
  const fields = toFields(value, 'The change set');
  const { baseSeq, changes } = fields;
  if (!isCount(baseSeq)) throw invalid('The change set has no baseSeq.');
  if (!Array.isArray(changes)) throw invalid('The change set has no list of changes.');
  if (changes.length > maxChanges) {
    throw invalid(`A change set may hold ${maxChanges} changes; commit it in parts.`);
  }
  const validated: Change[] = [];
  for (const change of changes as unknown[]) {
    validated.push(validateChange(change, validated.length, validated.at(-1)?.path));
  }
  requireOnce(validated);
  requireFitting(validated);
  return { baseSeq, changes: validated };
}

/** `before` is the path of the previous change. */
function validateChange(value: unknown, at: number, before: string | undefined): Change {
  const fields = toFields(value, `Change ${at}`);
  const path = validatePath(fields['path'], at, before);
  const baseVersion = fields['baseVersion'];
  if (!isCount(baseVersion)) throw invalid(`Change ${at} (${path}) has no baseVersion.`);
  const type = fields['type'];
  if (type === 'remove') {
    const { recursive } = fields;
    if (recursive === undefined) return { type, path, baseVersion };
    if (recursive === true) return { type, path, baseVersion, recursive };
    throw invalid(`Change ${at} (${path}): recursive is true, or left out.`);
  }
  const seen = { path, baseVersion, ...validateParentVersion(fields['parentVersion'], at) };
  const mtimeMs = fields['mtimeMs'];
  if (typeof mtimeMs !== 'number' || !Number.isFinite(mtimeMs)) {
    throw invalid(`Change ${at} (${path}) has no mtimeMs.`);
  }
  if (type === 'symlink') {
    const target = validateTarget(fields['target'], at);
    return { type, ...seen, target, mtimeMs };
  }
  const mode = fields['mode'];
  if (!isCount(mode) || mode > 0o7777) throw invalid(`Change ${at} (${path}) has no mode.`);
  if (type === 'mkdir') return { type, ...seen, mode, mtimeMs };
  if (type !== 'write') throw invalid(`Change ${at} (${path}) has an unknown type.`);
  const content = validateContent(fields['content'], at);
  const base = validateBase(fields['base'], at);
  return { type, ...seen, content, mode, mtimeMs, ...(base && { base }) };
}

// Matches most names. It can't match `.` or `..`, or any invalid character.
const plainName = /^[\w-][\w.-]{0,254}$/;

/**
 * `before` is a path that is already validated. The prefix that both paths share isn't checked
 * again.
 */
function validatePath(path: unknown, at: number, before: string | undefined): string {
  if (typeof path === 'string' && before !== undefined && isPlainSibling(path, before)) return path;
  if (typeof path !== 'string' || !path.startsWith('/') || path === '/') {
    throw invalid(`Change ${at} has no absolute path below the root.`);
  }
  // Security: `..` or a doubled slash would name a file for which no rule was checked.
  if (normalizePath(path) !== path) throw invalid(`Change ${at}: the path isn't normal: ${path}`);
  if (path.includes('\0') || /\p{Surrogate}/u.test(path)) {
    throw invalid(`Change ${at}: the path holds a NUL or is no valid Unicode.`);
  }
  const isTooLong = path.split('/').some((name) => byteLengthExceeds(name, maxNameBytes));
  if (isTooLong || byteLengthExceeds(path, maxPathBytes)) {
    throw invalid(`Change ${at}: the path or a name in it is too long.`);
  }
  return path;
}

function isPlainSibling(path: string, before: string): boolean {
  return (
    path.length <= maxPathBytes / 3 &&
    dirname(path) === dirname(before) &&
    path.startsWith('/') &&
    plainName.test(basename(path))
  );
}

/** A link's target isn't resolved here. Each view that follows it applies its own rules. */
function validateTarget(target: unknown, at: number): string {
  const isTarget =
    typeof target === 'string' &&
    target !== '' &&
    !target.includes('\0') &&
    !/\p{Surrogate}/u.test(target) &&
    !byteLengthExceeds(target, maxPathBytes);
  if (!isTarget) throw invalid(`Change ${at} is a link without a valid target.`);
  return target;
}

function validateContent(content: unknown, at: number): ChangeContent {
  if (content instanceof Uint8Array) {
    if (content.length > maxFileBytes) throw invalid(`Change ${at} is larger than 1 GiB.`);
    return content;
  }
  const { contentId } = toFields(content, `The content of change ${at}`);
  if (!isCount(contentId)) throw invalid(`Change ${at} has neither bytes nor a contentId.`);
  return { contentId };
}

function validateBase(base: unknown, at: number): FileBase | undefined {
  if (base === undefined) return undefined;
  const { contentId, mode } = toFields(base, `The base of change ${at}`);
  if (isCount(contentId) && isCount(mode) && mode <= 0o7777) return { contentId, mode };
  throw invalid(`The base of change ${at} has no contentId or no mode.`);
}

function validateParentVersion(value: unknown, at: number): Pick<Making, 'parentVersion'> {
  if (value === undefined) return {};
  if (isCount(value)) return { parentVersion: value };
  throw invalid(`Change ${at}: the parentVersion must be a version.`);
}

/** A path may occur twice only as a removal followed by a new node. */
function requireOnce(changes: readonly Change[]): void {
  const seen = new Map<string, 'removed' | 'made'>();
  for (const { path, type } of changes) {
    const before = seen.get(path);
    if (before === 'made' || (before === 'removed' && type === 'remove')) {
      throw invalid(`The change set names ${path} more than once.`);
    }
    seen.set(path, type === 'remove' ? 'removed' : 'made');
  }
}

function requireFitting(changes: readonly Change[]): void {
  let bytes = 0;
  for (const change of changes) {
    if (change.type === 'write' && change.content instanceof Uint8Array) {
      bytes += change.content.length;
    }
  }
  if (bytes > maxRecordBytes) {
    throw invalid('A change set may hold 1.5 GiB of contents; commit it in parts.');
  }
}
