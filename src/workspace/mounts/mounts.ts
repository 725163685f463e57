// The mounts of one host: opens them, knows which are read-only, and writes everything back when
// the host closes. Each host has one; the code of mounts and sources is loaded with the first
// mount.
import { SdkError } from '../../core/errors.ts';
import { isInside, resolvePath } from '../../core/path.ts';
import { isSessionPath } from '../../core/session/session-path.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { Workspace } from '../workspace.ts';
import { guardReadOnly } from './guard-read-only.ts';
import type { HostFs } from './host-fs.ts';
import type { Mount, MountOptions, OpenMount } from './mount.ts';

/** Read-only mounts of other tabs of the same workspace. */
export interface SharedReadOnly {
  /** Absolute paths, as far as known: a new mount is known a moment later. */
  others(): readonly string[];
  /** Announces the path to the others until the result is disposed of. */
  hold(path: string): Promise<Disposable>;
}

/** The parameters of a host's mounts. */
export interface MountsOptions<Source> {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** Relative paths are resolved against it. */
  readonly cwd: string;
  /** Converts a source. The host decides which kinds it supports. */
  readonly toHostFs: (source: Source, options: MountOptions) => Promise<HostFs>;
  /** Locks a path while something is mounted there. Null if another tab has it. */
  readonly lock?: (path: string) => Promise<Disposable | null>;
  /** Left out if nobody else has the workspace open. */
  readonly shared?: SharedReadOnly;
}

/** A host's mounts. */
export interface Mounts<Source> {
  /** The workspace as the host should pass it on: it refuses changes of read-only mounts. */
  readonly workspace: Workspace;
  /** The paths of read-only mounts, including those of other tabs. */
  readOnlyPaths(): readonly string[];
  /** Returns the mounts in the order in which they were mounted. */
  list(): readonly Mount[];
  /**
   * @throws SdkError `invalid-input` for an invalid path, `EBUSY` if something is already mounted
   * there,
   *   what {@link Mount.sync} throws, and `aborted`.
   */
  mount(path: string, source: Source, options?: MountOptions): Promise<Mount>;
  /** Writes back what is possible and closes all sources. The files stay in the workspace. */
  close(): Promise<void>;
}

export function createMounts<Source>({
  workspace,
  clock,
  cwd,
  toHostFs,
  lock,
  shared,
}: MountsOptions<Source>): Mounts<Source> {
  const mounts = new Map<string, OpenMount>();
  /** The paths of mounts, including those being opened, so that no two have the same path. */
  const taken = new Set<string>();
  /** Read-only mounts, guarded from the moment they start to open. */
  const readOnly = new Set<string>();
  const readOnlyPaths = () => [...readOnly, ...(shared?.others() ?? [])];

  async function open(path: string, given: Source, options: MountOptions): Promise<Mount> {
    const held = await lock?.(path);
    let told: Disposable | undefined;
    if (held === null) {
      throw new SdkError('EBUSY', `${path} is mounted in another tab. Unmount it there first.`);
    }
    const letGo = () => {
      told?.[Symbol.dispose]();
      held?.[Symbol.dispose]();
      taken.delete(path);
      readOnly.delete(path);
      mounts.delete(path);
    };
    try {
      const source = await toHostFs(given, options);
      const isReadOnly = options.readOnly ?? source.isReadOnly ?? false;
      if (isReadOnly) {
        readOnly.add(path);
        told = await shared?.hold(path);
      }
      const { openMount } = await import('./mount.ts');
      const { onState } = options;
      const opened = await openMount({
        ...options,
        workspace,
        clock,
        path,
        source,
        onState(state) {
          if (state.kind === 'ended') letGo();
          onState?.(state);
        },
      });
      mounts.set(path, opened);
      return opened;
    } catch (error) {
      letGo();
      throw error;
    }
  }

  return {
    workspace: guardReadOnly(workspace, readOnlyPaths),
    readOnlyPaths,
    list: () => [...mounts.values()],
    async mount(given, source, options = {}) {
      const path = checkPath(resolvePath(cwd, given), taken);
      taken.add(path);
      return open(path, source, options);
    },
    async close() {
      const closing = [...mounts.values()].map((mount) => mount.close());
      // Changes that could not be written stay in the workspace. The mount's state has the reason.
      await Promise.allSettled(closing);
    },
  };
}

function checkPath(path: string, taken: ReadonlySet<string>): string {
  if (path === '/' || isSessionPath(path)) {
    const message = `Nothing can be mounted at ${path}. Name a directory below the root.`;
    throw new SdkError('invalid-input', message, { data: { path } });
  }
  const other = [...taken].find((one) => isInside(one, path) || isInside(path, one));
  if (other === undefined) return path;
  const message = `${path} can't be mounted while there is a mount at ${other}. Unmount that first.`;
  throw new SdkError('EBUSY', message, { data: { path, mounted: other } });
}
