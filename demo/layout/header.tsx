// The bar on top: the project, the model, how much is asked, light or dark.
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
  /** Asks where work would be stopped. */
  readonly mayLeave: MayLeave;
  /** Null where the conversation that is shown has a model that isn't the page's to choose: the cloud's. */
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
      {model ? (
        <button
          type="button"
          className="model-button"
          data-kind={model.kind}
          title="Choose the model"
          onClick={props.onChooseModel}
        >
          {describeChoice(model)}
        </button>
      ) : (
        <span className="note">The cloud’s model</span>
      )}
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
      {/* For whoever works on the tools: what is built hasn't got it. */}
      {import.meta.env.DEV && <a href="./gallery.html">Gallery</a>}
      <NotifyButton />
      <ThemeSelect />
    </header>
  );
}
