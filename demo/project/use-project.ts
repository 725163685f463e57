// The open project as React state: opening, importing or mounting with progress, resetting, failing.
import { useCallback, useEffect, useRef, useState } from 'react';
import { importZip } from 'rockpool/browser';
import type { BrowserHost, ImportableFiles, Mount, MountState } from 'rockpool/browser';
import type { GitCredentialSource } from 'rockpool/git';
import { writeSetting } from '../settings.ts';
import { findFolder, isGranted, keepFolder } from './folder-handles.ts';
import {
  excludedFromImport,
  isEmpty,
  loadSample,
  openProject,
  readLastProject,
  sampleProject,
} from './project.ts';
import type { Project } from './project.ts';

export type ProjectState =
  | { readonly kind: 'opening'; readonly project: Project; readonly files: number | null }
  | { readonly kind: 'open'; readonly project: Project; readonly host: BrowserHost }
  | { readonly kind: 'failed'; readonly project: Project; readonly error: unknown };

/** The state of a mounted folder. `off`: the person must allow it again, or there is an error. */
export type FolderState = MountState | { readonly kind: 'off'; readonly error?: unknown };

export interface ProjectControl {
  readonly state: ProjectState;
  /** The paths that the last import left out, with everything below them. */
  readonly excluded: number;
  /** Null if the project isn't a mounted folder. */
  readonly folder: FolderState | null;
  readonly openSample: () => void;
  /** Copies a folder. Replaces this browser's copy of a folder with that name. */
  readonly openFolder: (name: string, files: ImportableFiles) => void;
  /** Mounts the folder: changes are written to it, and its changes are read. */
  readonly openMount: (handle: FileSystemDirectoryHandle) => Promise<void>;
  /** The same for a zip. */
  readonly openZip: (name: string, zip: Blob) => void;
  /** Opens this browser's copy of a clone. */
  readonly openClone: (project: Project) => void;
  /** Asks for the permission again, or retries what failed. Call it from a click. */
  readonly reconnect: () => Promise<void>;
  /** Writes remaining changes to the folder, then opens the sample. Rejects if they can't be written. */
  readonly closeFolder: () => Promise<void>;
  /** Deletes this browser's copy of the project, and opens the sample. */
  readonly reset: () => void;
  /** Stops an import. The files that were read so far stay. */
  readonly cancel: () => void;
}

interface Opening {
  readonly project: Project;
  readonly isFresh: boolean;
  /** The project to delete before the other one is opened. */
  readonly deleted?: Project;
  readonly files?: ImportableFiles;
  readonly zip?: Blob;
}

/** Packages, which npm can install again. Git's files belong to the folder, and are mounted. */
const excludedFromMount = ['**/node_modules'];

export function useProject(credentials: GitCredentialSource): ProjectControl {
  const [opening, setOpening] = useState<Opening>(() => ({
    project: readLastProject(),
    isFresh: false,
  }));
  const [state, setState] = useState<ProjectState>({
    kind: 'opening',
    project: opening.project,
    files: null,
  });
  const [excluded, setExcluded] = useState(0);
  const [folder, setFolder] = useState<FolderState | null>(null);
  const mount = useRef<Mount | null>(null);
  const importing = useRef<AbortController | null>(null);
  /** Hosts are opened and closed one after the other, because two would wait for each other's lock. */
  const last = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    const { project } = opening;
    const controller = new AbortController();
    importing.current = controller;
    let isCurrent = true;
    let host: BrowserHost | undefined;
    setState({ kind: 'opening', project, files: null });
    setExcluded(0);
    setFolder(null);

    const showFiles = ({ files }: { readonly files: number }) => {
      if (isCurrent) setState({ kind: 'opening', project, files });
    };
    const open = async () => {
      if (!isCurrent) return;
      if (opening.deleted) await (await openProject(opening.deleted, credentials)).destroy();
      host = await openProject(project, credentials);
      if (opening.isFresh) {
        await host.destroy();
        host = await openProject(project, credentials);
      }
      const { signal } = controller;
      if (opening.files) {
        const counts = await host.importFiles(opening.files, {
          exclude: excludedFromImport,
          signal,
          onProgress: showFiles,
        });
        setExcluded(counts.excluded);
      } else if (opening.zip) {
        await importZip(host.workspace, opening.zip, {
          directory: host.cwd,
          signal,
          onProgress: showFiles,
        });
      } else if (project.kind === 'mount') {
        await connect(host, project, signal);
      } else if (project.kind === 'sample' && (await isEmpty(host))) {
        await loadSample(host);
      }
      if (isCurrent) setState({ kind: 'open', project, host });
    };
    const connect = async (opened: BrowserHost, { id }: { id: number }, signal: AbortSignal) => {
      try {
        const handle = await findFolder(id);
        if (handle && (await isGranted(handle))) await show(opened, handle, signal);
        else setFolder({ kind: 'off' });
      } catch (error) {
        // The folder was moved, or another tab has it. This browser's copy may be the only one.
        if (signal.aborted || (await isEmpty(opened))) throw error;
        if (isCurrent) setFolder({ kind: 'off', error });
      }
    };
    const show = async (
      opened: BrowserHost,
      handle: FileSystemDirectoryHandle,
      signal: AbortSignal,
    ) => {
      mount.current = await mountFolder(opened, handle, {
        signal,
        onProgress: showFiles,
        onState: (next) => isCurrent && setFolder(next),
      });
      if (isCurrent) setFolder(mount.current.state());
    };
    const opened = last.current.then(open).catch((error: unknown) => {
      // A cancelled import leaves a part of the folder, which can be used.
      if (controller.signal.aborted && host && isCurrent) {
        if (project.kind === 'mount') setFolder({ kind: 'off' });
        setState({ kind: 'open', project, host });
      } else if (isCurrent) setState({ kind: 'failed', project, error });
    });
    last.current = opened;
    return () => {
      isCurrent = false;
      controller.abort();
      mount.current = null;
      last.current = opened
        .then(() => host?.[Symbol.asyncDispose]())
        // A host that can't be closed must not keep the next one from opening.
        .catch(() => undefined);
    };
  }, [opening, credentials]);

  return {
    state,
    excluded,
    folder,
    openSample: useCallback(() => setOpening({ project: sampleProject, isFresh: false }), []),
    openFolder: useCallback(
      (name, files) => setOpening({ project: { kind: 'folder', name }, isFresh: true, files }),
      [],
    ),
    openMount: useCallback(async (handle) => {
      const id = await keepFolder(handle);
      setOpening({ project: { kind: 'mount', name: handle.name, id }, isFresh: false });
    }, []),
    openZip: useCallback(
      (name, zip) => setOpening({ project: { kind: 'folder', name }, isFresh: true, zip }),
      [],
    ),
    openClone: useCallback((project) => setOpening({ project, isFresh: false }), []),
    async reconnect() {
      if (mount.current) return mount.current.sync();
      const { project } = opening;
      if (state.kind !== 'open' || project.kind !== 'mount') return;
      const handle = await findFolder(project.id);
      if (!handle) throw new Error(`This browser has forgotten ${project.name}. Open it again.`);
      mount.current = await mountFolder(state.host, handle, { onState: setFolder });
      setFolder(mount.current.state());
    },
    async closeFolder() {
      await mount.current?.unmount();
      setOpening({ project: sampleProject, isFresh: false });
    },
    reset: useCallback(() => {
      writeSetting('project', undefined);
      setOpening(({ project }) =>
        project.kind === 'sample'
          ? { project, isFresh: true }
          : { project: sampleProject, isFresh: false, deleted: project },
      );
    }, []),
    cancel: useCallback(() => importing.current?.abort(), []),
  };
}

/** Mounts the folder at the working directory. */
function mountFolder(
  host: BrowserHost,
  handle: FileSystemDirectoryHandle,
  options: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: { readonly files: number }) => void;
    readonly onState: (state: MountState) => void;
  },
): Promise<Mount> {
  return host.mount(host.cwd, handle, { exclude: excludedFromMount, ...options });
}
