// The mounts of one host: opens them, knows which may only be read, and writes all back when the host closes.
// Made by each host; the code of a mount and of a source is loaded with the first one.
import { SdkError } from '../../core/errors.ts';
import { isInside, resolvePath } from '../../core/path.ts';
import { isSessionPath } from '../../core/session/session-path.ts';
import type { Clock } from '../../core/tool/ports.ts';
import type { Workspace } from '../workspace.ts';
import { guardReadOnly } from './guard-read-only.ts';
import type { HostFs } from './host-fs.ts';
import type { Mount, MountOptions, OpenMount } from './mount.ts';

/** Which paths other openings of the workspace have mounted, and can only be read. */
export interface SharedReadOnly {
  /** Absolute, as far as it is known by now: a new one is known a moment later. */
  others(): readonly string[];
  /** Says so to the others, until it is disposed. */
  hold(path: string): Promise<Disposable>;
}

/** What a host's mounts work on. */
export interface MountsOptions<Source> {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** Relative paths are taken from it. */
  readonly cwd: string;
  /** Which sources there are is the host's to say. */
  readonly toHostFs: (source: Source, options: MountOptions) => Promise<HostFs>;
  /** Taken for a path while something is mounted there; null where somebody else has it. */
  readonly lock?: (path: string) => Promise<Disposable | null>;
  /** Left out: nobody else has the workspace open. */
  readonly shared?: SharedReadOnly;
}

/** A host's mounts. */
export interface Mounts<Source> {
  /** The workspace as the host hands it out: with the door before mounts that can only be read. */
  readonly workspace: Workspace;
  /** The paths of those that can only be read, other tabs' included. */
  readOnlyPaths(): readonly string[];
  /** In the order in which they were mounted. */
  list(): readonly Mount[];
  /**
   * @throws SdkError `invalid-input` for a path that can't be one, `EBUSY` where something is mounted already,
   *   what {@link Mount.sync} throws, and `aborted`.
   */
  mount(path: string, source: Source, options?: MountOptions): Promise<Mount>;
  /** Writes back what can be, and lets go of all sources. What is in the workspace stays. */
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
  /** The paths of mounts, including those that are being opened, so that no two are at one path. */
  const taken = new Set<string>();
  /** Read-only ones are behind the door from the beginning. */
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
      // What couldn't be written stays in the workspace, and its state has told why.
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
