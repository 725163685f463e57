// npm's lockfile, versions 2 and 3: the package at each path of node_modules.
import { SdkError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';

/** One package of the lockfile. Fields that aren't listed here are preserved. */
export interface LockedPackage {
  /** Set if it isn't the last part of its path: an alias. */
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
}

/** The dependencies in a project's package.json. */
export interface ProjectManifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages by path from the project, deepest last, without the project itself. */
export type LockedPackages = ReadonlyMap<string, LockedPackage>;

/** @throws SdkError `invalid-input` if it isn't a lockfile or has invalid paths. */
export function readLockfile(text: string): LockedPackages {
  const value = parse(text, 'package-lock.json');
  const { lockfileVersion, packages } = value;
  if (lockfileVersion !== 2 && lockfileVersion !== 3) {
    const message = `package-lock.json has the version ${String(lockfileVersion)}; 2 and 3 are known here. Make it anew with a current npm.`;
    throw new SdkError('invalid-input', message);
  }
  if (!isRecord(packages))
    throw new SdkError('invalid-input', 'package-lock.json has no packages.');
  const locked = new Map<string, LockedPackage>();
  for (const [path, entry] of Object.entries(packages)) {
    // Workspaces of the project are its own files.
    if (path === '' || !path.includes('node_modules/')) continue;
    if (!isRecord(entry) || !packagePath.test(path)) {
      const message = `package-lock.json has ${JSON.stringify(path)}, which is no package's place. Nothing was installed.`;
      throw new SdkError('invalid-input', message, { data: { path } });
    }
    locked.set(path, entry as LockedPackage);
  }
  return new Map([...locked].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** @throws SdkError `invalid-input`. */
export function parseManifest(text: string): ProjectManifest & Record<string, unknown> {
  return parse(text, 'package.json');
}

function parse(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SdkError('invalid-input', `${what} is no JSON: ${String(error)}`, { cause: error });
  }
  if (isRecord(value)) return value;
  throw new SdkError('invalid-input', `${what} is no object.`);
}

// Security: the name becomes a path. Names can't begin with a dot, so `..` and extra slashes don't
// match.
const packagePath = /^(?:[\w@.-]+\/)*node_modules\/(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/u;
const packageName = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/u;

/** @throws SdkError `invalid-input` if it isn't a valid package name. */
export function checkPackageName(name: string): string {
  if (packageName.test(name) && name.length <= 214) return name;
  throw new SdkError('invalid-input', `${JSON.stringify(name)} is no name of a package.`);
}

/** Returns the package name at the end of a node_modules path. */
export function nameOfPath(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
