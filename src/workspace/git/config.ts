// The repository's config: reads values, and sets single values without touching other lines.
import { SdkError } from '../../core/errors.ts';
import type { Repository } from './repository.ts';

type ConfigSource = Pick<Repository, 'files' | 'commonDirectory'>;

interface ConfigLine {
  /** `remote "origin"` becomes `remote.origin`. The section's own name is in lower case. */
  readonly section: string;
  /** In lower case. Undefined in the line that opens a section, and in blank lines. */
  readonly key?: string;
  readonly value?: string;
  readonly text: string;
}

const headingPattern = /^\s*\[([^\s"\]]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]/u;

/** Returns the last value of `section.key` or `section.name.key`, or undefined. */
export function readConfig(source: ConfigSource, name: string): string | undefined {
  const { section, key } = splitName(name);
  return readLines(source).findLast((line) => line.section === section && line.key === key)?.value;
}

/** Replaces the last value, or adds one at the end of its section. Undefined removes it. */
export function writeConfig(source: ConfigSource, name: string, value: string | undefined): void {
  const { section, key, heading } = splitName(name);
  const lines = readLines(source);
  const own = lines.findLastIndex((line) => line.section === section && line.key === key);
  const text = value === undefined ? undefined : `\t${key} = ${quote(value)}`;
  if (own !== -1) lines.splice(own, 1, ...(text === undefined ? [] : [{ section, text }]));
  else if (text !== undefined) {
    const last = lines.findLastIndex((line) => line.section === section && line.text.trim() !== '');
    if (last !== -1) lines.splice(last + 1, 0, { section, text });
    else lines.push({ section, text: heading }, { section, text });
  }
  saveLines(source, lines);
}

/**
 * Returns the names of a group's sections, such as the remotes for `remote`, in order and without
 * duplicates.
 */
export function listConfigSections(source: ConfigSource, group: string): string[] {
  const names = readLines(source)
    .filter(({ section }) => section.startsWith(`${group}.`))
    .map(({ section }) => section.slice(group.length + 1));
  return [...new Set(names)];
}

/** Removes a section with everything in it. */
export function removeConfigSection(source: ConfigSource, name: string): void {
  const lines = readLines(source);
  const kept = lines.filter((line) => line.section !== name);
  if (kept.length < lines.length) saveLines(source, kept);
}

/**
 * Renames a section with everything in it, including comments. If a section of the new name exists,
 * it is merged into that.
 */
export function renameConfigSection(source: ConfigSource, from: string, to: string): void {
  const { heading } = splitName(`${to}.key`);
  const lines = readLines(source);
  if (!lines.some(({ section }) => section === from)) return;
  const renamed = lines.map((line) =>
    line.section === from
      ? { ...line, text: line.text.replace(headingPattern, () => heading) }
      : line,
  );
  saveLines(source, renamed);
}

function splitName(name: string) {
  const from = name.indexOf('.');
  const to = name.lastIndexOf('.');
  const group = name.slice(0, from).toLowerCase();
  const own = name.slice(from + 1, to);
  const key = name.slice(to + 1).toLowerCase();
  if (/[\n\0]/u.test(name)) {
    throw new SdkError('invalid-input', `${JSON.stringify(name)} is no name of a git setting.`);
  }
  if (to === from) return { section: group, key, heading: `[${group}]` };
  const escaped = own.replaceAll(/["\\]/gu, String.raw`\$&`);
  return { section: `${group}.${own}`, key, heading: `[${group} "${escaped}"]` };
}

function readLines({ files, commonDirectory }: ConfigSource): ConfigLine[] {
  const path = `${commonDirectory}/config`;
  if (!files.sync.existsSync(path)) return [];
  const lines: ConfigLine[] = [];
  let section = '';
  const texts = files.sync.readFileSync(path, 'utf8').replace(/\n$/u, '').split('\n');
  for (let at = 0; at < texts.length; at += 1) {
    let text = texts[at] ?? '';
    // A backslash at the end continues the line.
    while (/(?:^|[^\\])(?:\\\\)*\\$/u.test(text) && at + 1 < texts.length) {
      at += 1;
      text += `\n${texts[at]}`;
    }
    const heading = headingPattern.exec(text);
    if (heading) {
      const [, group = '', own] = heading;
      const plain = own?.replaceAll(/\\(.)/gu, '$1');
      section = plain === undefined ? group.toLowerCase() : `${group.toLowerCase()}.${plain}`;
    }
    const rest = heading ? text.slice(heading[0].length) : text;
    const setting = /^\s*([a-z][a-z0-9-]*)\s*(?:=([^]*))?$/iu.exec(rest);
    if (setting) {
      const [, key = '', value] = setting;
      const parsed = value === undefined ? 'true' : unquote(value);
      lines.push({ section, key: key.toLowerCase(), value: parsed, text });
    } else lines.push({ section, text });
  }
  return lines;
}

function saveLines({ files, commonDirectory }: ConfigSource, lines: readonly ConfigLine[]): void {
  files.sync.writeFileSync(
    `${commonDirectory}/config`,
    lines.map(({ text }) => `${text}\n`).join(''),
  );
}

/** Removes comments, quotes and escapes as git does. */
function unquote(text: string): string {
  let value = '';
  let isQuoted = false;
  let kept = 0;
  const source = text.trimStart();
  for (let at = 0; at < source.length; at += 1) {
    const unit = source[at] ?? '';
    if (unit === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
    } else if (unit === '\\') {
      at += 1;
      const escaped = source[at] ?? '';
      const known: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\n': '' };
      value += known[escaped] ?? escaped;
      kept = value.length;
    } else if (!isQuoted && (unit === '#' || unit === ';')) break;
    else {
      value += unit;
      if (isQuoted || !/\s/u.test(unit)) kept = value.length;
    }
  }
  return value.slice(0, kept);
}

function quote(value: string): string {
  const escaped = value
    .replaceAll(/["\\]/gu, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`);
  return /^\s|\s$|[#;]/u.test(value) ? `"${escaped}"` : escaped;
}
