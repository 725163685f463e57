// The bar at the top: the project, the model, the permission mode, the theme.
import { useId, useRef } from 'react';
import type { PermissionMode } from 'rockpool/browser';
import type { MayLeave } from '../agent/may-leave.ts';
import { describeChoice } from '../agent/model-choice.ts';
import type { ModelChoice } from '../agent/model-choice.ts';
import { offeredModes } from '../agent/permission-modes.ts';
import { BranchButton } from '../git/branch-button.tsx';
import type { GitWatch } from '../git/git-watch.ts';
import { PreviewButton } from '../preview/preview-button.tsx';
import { ProjectMenu } from '../project/project-menu.tsx';
import type { ProjectControl } from '../project/use-project.ts';
import { NotifyButton } from './notify-button.tsx';
import { ThemeSelect } from './theme-select.tsx';

export interface HeaderProps {
  readonly control: ProjectControl;
  /** Asks the person if work would be stopped. */
  readonly mayLeave: MayLeave;
  /** Null if the shown conversation runs in the cloud, which has its own model. */
  readonly model: ModelChoice | null;
  readonly permissionMode: PermissionMode;
  readonly onPermissionMode: (mode: PermissionMode) => void;
  readonly onChooseModel: () => void;
  readonly onClone: () => void;
  /** Null while no project is open. */
  readonly git: GitWatch | null;
  readonly isGitShown: boolean;
  readonly onToggleGit: () => void;
}

export function Header(props: HeaderProps) {
  const { control, model, permissionMode } = props;
  const menuId = useId();
  const menuRef = useRef<HTMLDivElement>(null);
  const mode = offeredModes.find((offered) => offered.mode === permissionMode);
  return (
    <header className="header">
      <h1 className="brand">Rockpool</h1>
      <ProjectMenu
        control={control}
        git={props.git}
        mayLeave={props.mayLeave}
        onClone={props.onClone}
      />
      {props.git && (
        <BranchButton watch={props.git} isOpen={props.isGitShown} onToggle={props.onToggleGit} />
      )}
      {props.git && <PreviewButton />}
      <span className="header-space" />
      <MoreButton menuId={menuId} mode={permissionMode} />
      {/* Where the bar has no room a menu behind that button, else a part of the bar. */}
      <div id={menuId} ref={menuRef} popover="auto" className="header-more">
        {model ? (
          <button
            type="button"
            className="model-button"
            data-kind={model.kind}
            title="Choose the model"
            onClick={() => {
              // Closes the menu first, so that the focus returns to the menu's button after the dialog.
              menuRef.current?.hidePopover();
              props.onChooseModel();
            }}
          >
            {describeChoice(model)}
          </button>
        ) : (
          <span className="note">The cloud’s model</span>
        )}
        <label>
          <span className="header-word">Asks for permission</span>
          <select
            aria-label="When the agent asks for permission"
            title={mode?.text}
            value={permissionMode}
            data-mode={permissionMode}
            onChange={(event) => props.onPermissionMode(event.target.value as PermissionMode)}
          >
            {offeredModes.map((offered) => (
              <option key={offered.mode} value={offered.mode}>
                {offered.title}
              </option>
            ))}
          </select>
        </label>
        {/* For whoever works on the tools: what is built hasn't got it. */}
        {import.meta.env.DEV && <a href="./gallery.html">Gallery</a>}
        <NotifyButton />
        {/* oxlint-disable-next-line jsx-a11y/label-has-associated-control -- its field is ThemeSelect's */}
        <label>
          <span className="header-word">Colours</span>
          <ThemeSelect />
        </label>
      </div>
    </header>
  );
}

interface MoreButtonProps {
  readonly menuId: string;
  readonly mode: PermissionMode;
}

/** Visible only on phones and tablets. It shows the one mode that nobody should overlook. */
function MoreButton({ menuId, mode }: MoreButtonProps) {
  const isAllAllowed = mode === 'bypassPermissions';
  return (
    <button
      type="button"
      className="more-button"
      data-mode={mode}
      popoverTarget={menuId}
      title="Model, permissions, colours"
    >
      <span aria-hidden="true">⋯</span>
      <span className="rp-hidden">More{isAllAllowed && ', all is allowed'}</span>
    </button>
  );
}
