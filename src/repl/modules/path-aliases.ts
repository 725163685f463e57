// The path aliases of a project, such as `@/lib/x` for src/lib/x. They are `paths` and `baseUrl` of
// the tsconfig.json or jsconfig.json nearest to the importing file, as TypeScript resolves them.
// Those of the nearest bundler's config count, too.
import { type SdkError, hasCode } from '../../core/errors.ts';
import { dirname, joinPath, resolvePath } from '../../core/path.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { readConfigAliases } from './config-aliases.ts';
import type { ModuleFiles } from './module-resolver.ts';
import { isFile, readConfig, toList } from './read-tsconfig.ts';

export interface PathAliases {
  /** Pattern → its absolute targets. Each has at most one `*`. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  /** The folder in which a specifier is looked up if no pattern and no package matches. */
  readonly baseUrl: string | undefined;
  /** A configuration that can't be read, so that aliases may be missing. */
  readonly broken?: SdkError | undefined;
}

// 100: more than a project has. Security: the limit bounds the work, because the files are
// untrusted.
const maxConfigurations = 100;

/** Finds the aliases of the nearest configurations; undefined if there is none. */
export function findAliases(
  files: ModuleFiles,
  folders: Iterable<string>,
): PathAliases | undefined {
  let ofConfig: PathAliases['paths'] = new Map();
  let found: PathAliases | undefined;
  for (const folder of folders) {
    if (ofConfig.size === 0) ofConfig = readConfigAliases(files, folder);
    const name = ['tsconfig.json', 'jsconfig.json'].find((known) =>
      isFile(files, joinPath(folder, known)),
    );
    if (name !== undefined) found ??= readAliases(files, joinPath(folder, name), new Map());
  }
  if (ofConfig.size === 0) return found;
  return {
    paths: new Map([...(found?.paths ?? []), ...ofConfig]),
    baseUrl: found?.baseUrl,
    broken: found?.broken,
  };
}

/**
 * Returns the paths to which the patterns map a specifier, in the order of preference. An exact
 * name comes before a pattern, and the pattern with the longest prefix is used.
 */
export function toAliasedPaths({ paths }: PathAliases, specifier: string): readonly string[] {
  const exact = paths.get(specifier);
  if (exact) return exact;
  let longest = -1;
  let found: readonly string[] = [];
  for (const [pattern, targets] of paths) {
    const [head = '', tail] = pattern.split('*');
    if (tail === undefined || head.length <= longest) continue;
    const fits = specifier.length >= head.length + tail.length;
    if (!fits || !specifier.startsWith(head) || !specifier.endsWith(tail)) continue;
    longest = head.length;
    const star = specifier.slice(head.length, specifier.length - tail.length);
    found = targets.map((target) => target.replace('*', () => star));
  }
  return found;
}

/**
 * `known` has the configurations that were read. Security: each file is read once, because
 * configurations may refer to each other in a cycle.
 */
function readAliases(
  files: ModuleFiles,
  path: string,
  known: Map<string, PathAliases>,
): PathAliases {
  const before = known.get(path);
  if (before) return before;
  // A configuration that refers back to this one while it is read gets no aliases.
  known.set(path, { paths: new Map(), baseUrl: undefined });
  const aliases = readOne(files, path, known);
  known.set(path, aliases);
  return aliases;
}

function readOne(files: ModuleFiles, path: string, known: Map<string, PathAliases>): PathAliases {
  const folder = dirname(path);
  let broken: SdkError | undefined;
  const config = readIfWhole(files, path, (error) => (broken = error));
  const options = isRecord(config['compilerOptions']) ? config['compilerOptions'] : {};
  let { paths, baseUrl }: PathAliases = { paths: new Map(), baseUrl: undefined };
  const readOther = (other: string) =>
    known.size < maxConfigurations ? readAliases(files, other, known) : undefined;
  for (const extended of toList(config['extends'])) {
    // A configuration from an installed package has no paths of this project.
    if (typeof extended !== 'string' || !/^[./]/u.test(extended)) continue;
    const other = resolvePath(folder, extended);
    const inherited = readOther(isFile(files, other) ? other : `${other}.json`);
    broken ??= inherited?.broken;
    if (inherited?.baseUrl !== undefined) baseUrl = inherited.baseUrl;
    if (inherited && inherited.paths.size > 0) paths = inherited.paths;
  }
  if (typeof options['baseUrl'] === 'string') baseUrl = resolvePath(folder, options['baseUrl']);
  if (isRecord(options['paths'])) {
    const toAbsolute = (target: unknown) =>
      resolvePath(baseUrl ?? folder, String(target).replace('${configDir}', folder));
    paths = new Map(
      Object.entries(options['paths']).map(([pattern, targets]) => [
        pattern,
        toList(targets).map(toAbsolute),
      ]),
    );
  }
  if (paths.size > 0 || baseUrl !== undefined) return { paths, baseUrl, broken };
  // The configuration of a whole names those of its parts, which have the options.
  for (const reference of toList(config['references'])) {
    if (!isRecord(reference) || typeof reference['path'] !== 'string') continue;
    const part = resolvePath(folder, reference['path']);
    const found = readOther(isFile(files, part) ? part : joinPath(part, 'tsconfig.json'));
    if (found && (found.paths.size > 0 || found.baseUrl !== undefined)) return found;
    broken ??= found?.broken;
  }
  return { paths, baseUrl, broken };
}

/** A broken one counts as empty, and is told. Most modules are found without it. */
function readIfWhole(
  files: ModuleFiles,
  path: string,
  onBroken: (error: SdkError) => void,
): Record<string, unknown> {
  try {
    return readConfig(files, path);
  } catch (error) {
    if (!hasCode(error, 'invalid-input')) throw error;
    onBroken(error);
    return {};
  }
}
