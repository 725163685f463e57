// The open project as React state: opening, importing with progress, resetting, failing.
import { useCallback, useEffect, useRef, useState } from 'react';
import { importZip } from 'rockpool/browser';
import type { BrowserHost, ImportableFiles } from 'rockpool/browser';
import { writeSetting } from '../settings.ts';
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

export interface ProjectControl {
  readonly state: ProjectState;
  /** Files that the last import left out, with all that is below them. */
  readonly excluded: number;
  readonly openSample: () => void;
  /** Replaces what this browser holds of a folder of that name. */
  readonly openFolder: (name: string, files: ImportableFiles) => void;
  /** The same of a zip. */
  readonly openZip: (name: string, zip: Blob) => void;
  /** Deletes what this browser holds of the project, and opens the sample. */
  readonly reset: () => void;
  /** Stops an import; what was read so far stays. */
  readonly cancel: () => void;
}

interface Opening {
  readonly project: Project;
  readonly isFresh: boolean;
  readonly files?: ImportableFiles;
  readonly zip?: Blob;
}

export function useProject(): ProjectControl {
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
  const importing = useRef<AbortController | null>(null);
  /** Hosts open and close one after the other: two would wait for one another's lock. */
  const last = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    const { project } = opening;
    const controller = new AbortController();
    importing.current = controller;
    let isCurrent = true;
    let host: BrowserHost | undefined;
    setState({ kind: 'opening', project, files: null });
    setExcluded(0);

    const open = async () => {
      if (!isCurrent) return;
      host = await openProject(project);
      if (opening.isFresh) {
        await host.destroy();
        host = await openProject(project);
      }
      if (opening.files) {
        const counts = await host.importFiles(opening.files, {
          exclude: excludedFromImport,
          signal: controller.signal,
          onProgress: ({ files }) => isCurrent && setState({ kind: 'opening', project, files }),
        });
        setExcluded(counts.excluded);
      } else if (opening.zip) {
        await importZip(host.workspace, opening.zip, {
          directory: host.cwd,
          signal: controller.signal,
          onProgress: ({ files }) => isCurrent && setState({ kind: 'opening', project, files }),
        });
      } else if (project.kind === 'sample' && (await isEmpty(host))) {
        await loadSample(host);
      }
      if (isCurrent) setState({ kind: 'open', project, host });
    };
    const opened = last.current.then(open).catch((error: unknown) => {
      // A cancelled import leaves a part of the folder, which can be worked on.
      if (controller.signal.aborted && host && isCurrent) setState({ kind: 'open', project, host });
      else if (isCurrent) setState({ kind: 'failed', project, error });
    });
    last.current = opened;
    return () => {
      isCurrent = false;
      controller.abort();
      last.current = opened
        .then(() => host?.[Symbol.asyncDispose]())
        // A host that can't be closed must not keep the next one from opening.
        .catch(() => undefined);
    };
  }, [opening]);

  return {
    state,
    excluded,
    openSample: useCallback(() => setOpening({ project: sampleProject, isFresh: false }), []),
    openFolder: useCallback(
      (name, files) => setOpening({ project: { kind: 'folder', name }, isFresh: true, files }),
      [],
    ),
    openZip: useCallback(
      (name, zip) => setOpening({ project: { kind: 'folder', name }, isFresh: true, zip }),
      [],
    ),
    reset: useCallback(() => {
      writeSetting('project', undefined);
      setOpening({ project: sampleProject, isFresh: true });
    }, []),
    cancel: useCallback(() => importing.current?.abort(), []),
  };
}
