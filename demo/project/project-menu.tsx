// The project's name, and what can be done with it: open another, save, close, reset.
import { useId, useRef, useState } from 'react';
import { exportZip } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';
import type { GitWatch } from '../git/git-watch.ts';
import { FolderLine, FolderProblems } from './folder-line.tsx';
import { hasFolderPicker, pickFolder, pickZip } from './pick-folder.ts';
import type { MayLeave } from '../agent/may-leave.ts';
import type { ProjectControl, ProjectState } from './use-project.ts';

export interface ProjectMenuProps {
  readonly control: ProjectControl;
  /** Null while no project is open. */
  readonly git: GitWatch | null;
  /** Asks the person if work would be stopped. */
  readonly mayLeave: MayLeave;
  readonly onClone: () => void;
}

export function ProjectMenu({ control, git, mayLeave, onClone }: ProjectMenuProps) {
  const menuId = useId();
  const menuRef = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState('');
  const { project } = control.state;
  const hasGit = git !== null && git.getSnapshot().kind === 'ready';
  const run = (action: () => void | Promise<void>) => {
    menuRef.current?.hidePopover();
    setProblem('');
    Promise.resolve(action()).catch((error: unknown) => setProblem(messageOf(error)));
  };

  return (
    <div className="project">
      <button type="button" className="project-button" popoverTarget={menuId} title="Project">
        {project.name}
        {project.kind === 'sample' && <span className="note"> sample</span>}
      </button>
      <div id={menuId} ref={menuRef} popover="auto" className="menu">
        {control.folder && <FolderProblems state={control.folder} />}
        {project.kind !== 'sample' && project.kind !== 'mount' && (
          <button
            type="button"
            onClick={() =>
              run(() => {
                if (mayLeave('Open the sample project?')) control.openSample();
              })
            }
          >
            Open the sample project
          </button>
        )}
        {project.kind === 'mount' && (
          <button type="button" onClick={() => run(() => closeFolder(control, mayLeave))}>
            Close the folder {project.name}
            <span className="note">
              What isn’t written yet is written to it. Its files leave this browser.
            </span>
          </button>
        )}
        <button type="button" onClick={() => run(() => openFolder(control, mayLeave))}>
          Open a folder from disk…
          <span className="note">
            {hasFolderPicker()
              ? 'The folder itself: changes are written to it, and its changes are seen here. node_modules stays out.'
              : 'Copied into this browser. The folder itself is only read; node_modules and .git are left out.'}
          </span>
        </button>
        <button type="button" onClick={() => run(onClone)}>
          Open a git repository…
          <span className="note">Cloned from its server into this browser.</span>
        </button>
        <button type="button" onClick={() => run(() => openZip(control, mayLeave))}>
          Open a zip…
          <span className="note">Unpacked into this browser, whole or not at all.</span>
        </button>
        {control.state.kind === 'open' && (
          <button type="button" onClick={() => run(() => saveAsZip(control.state, false))}>
            Save as a zip
            <span className="note">
              All files but node_modules{hasGit && ' and .git'}, as they are now.
            </span>
          </button>
        )}
        {control.state.kind === 'open' && hasGit && (
          <button type="button" onClick={() => run(() => saveAsZip(control.state, true))}>
            Save as a zip with .git
            <span className="note">With all commits and branches, for any git to read.</span>
          </button>
        )}
        {project.kind !== 'mount' && (
          <button
            type="button"
            className="danger"
            onClick={() => run(() => reset(control, mayLeave))}
          >
            {project.kind === 'sample' ? 'Reset the sample' : 'Delete this copy'}
            <span className="note">{resetNotes[project.kind]}</span>
          </button>
        )}
      </div>
      {/* While it is opened the page says so: nothing is written then. */}
      {control.folder && control.state.kind === 'open' && (
        <FolderLine state={control.folder} onReconnect={() => run(control.reconnect)} />
      )}
      {control.excluded > 0 && control.state.kind === 'open' && (
        <span className="note">{control.excluded} left out</span>
      )}
      {problem !== '' && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

const resetNotes = {
  sample: 'Deletes all changes and loads it anew, with its bug.',
  folder: 'Deletes what this browser holds of the folder. The folder on disk stays as it is.',
  git: 'Deletes what this browser holds of the repository. What was not pushed is lost.',
} as const;

async function openFolder(
  { openFolder: open, openMount }: ProjectControl,
  mayLeave: ProjectMenuProps['mayLeave'],
): Promise<void> {
  const picked = await pickFolder();
  if (!picked || !mayLeave(`Open the folder ${picked.name}?`)) return;
  if (picked.kind === 'handle') await openMount(picked.handle);
  else open(picked.name, picked.files);
}

async function closeFolder(
  control: ProjectControl,
  mayLeave: ProjectMenuProps['mayLeave'],
): Promise<void> {
  if (mayLeave(`Close the folder ${control.state.project.name}?`)) await control.closeFolder();
}

async function openZip(
  { openZip: open }: ProjectControl,
  mayLeave: ProjectMenuProps['mayLeave'],
): Promise<void> {
  const zip = await pickZip();
  const name = zip?.name.replace(/\.zip$/i, '');
  if (zip && name && mayLeave(`Open the zip ${zip.name}?`)) open(name, zip);
}

async function saveAsZip(state: ProjectState, withGit: boolean): Promise<void> {
  if (state.kind !== 'open') return;
  const { workspace, cwd } = state.host;
  const exclude = ['**/node_modules', ...(withGit ? [] : ['.git'])];
  const zip = exportZip(workspace, { directory: cwd, exclude });
  const blob = await new Response(zip).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${state.project.name}.zip`;
  link.click();
  // By then the browser has read the data.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function reset(control: ProjectControl, mayLeave: ProjectMenuProps['mayLeave']): void {
  const { project } = control.state;
  const what = `all changes to ${project.name} and its conversations`;
  // Uses the browser's own question, which nothing can cover.
  if (mayLeave(`Delete ${what} in this browser? This can't be undone.`, 'always')) control.reset();
}
