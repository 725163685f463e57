// The whole page: header, three regions, and the permission question above everything.
import { useCallback, useRef, useState } from 'react';
import type { PermissionMode } from 'rockpool/browser';
import { mayLeave } from './agent/may-leave.ts';
import type { MayLeave } from './agent/may-leave.ts';
import { isSameModel, readModelChoice, rememberModelChoice } from './agent/model-choice.ts';
import type { ModelChoice } from './agent/model-choice.ts';
import { ModelChooser } from './agent/model-chooser.tsx';
import { readPermissionMode, rememberPermissionMode } from './agent/permission-modes.ts';
import { findCloud } from './cloud/cloud.ts';
import type { Place } from './cloud/find-conversation.ts';
import { CloneDialog } from './git/clone-dialog.tsx';
import { createTokenDesk } from './git/token-desk.ts';
import { TokenDialog } from './git/token-dialog.tsx';
import { useGitWatch } from './git/use-git.ts';
import { Header } from './layout/header.tsx';
import { Opening } from './layout/opening.tsx';
import { Unsupported } from './layout/unsupported.tsx';
import { useProject } from './project/use-project.ts';
import type { OpenConversations } from './sessions/open-conversations.ts';
import { useSessionAddress } from './sessions/session-address.ts';
import { Workbench } from './workbench.tsx';

export function App() {
  const [tokens] = useState(createTokenDesk);
  const control = useProject(tokens);
  const { state } = control;
  const git = useGitWatch(state.kind === 'open' ? state.host : null);
  const [cloud] = useState(findCloud);
  /** Where the shown conversation runs. Git's files and the chosen model belong to the tab. */
  const [place, setPlace] = useState<Place>('tab');
  const isInTab = place === 'tab';
  const [isGitShown, setGitShown] = useState(false);
  const closeGit = useCallback(() => setGitShown(false), []);
  const [isCloning, setCloning] = useState(false);
  const [model, setModel] = useState<ModelChoice>(readModelChoice);
  const [permissionMode, setPermissionMode] = useState<PermissionMode>(readPermissionMode);
  /** The open dialog: for the model, or for its key. */
  const [choosing, setChoosing] = useState<'model' | 'key' | null>(null);
  const address = useSessionAddress();
  const open = useRef<OpenConversations | null>(null);
  const [onConversations] = useState(() => (all: OpenConversations | null) => {
    open.current = all;
  });
  const mayLeaveProject: MayLeave = (...asked) => {
    const isAllowed = mayLeave(open.current?.all() ?? [], ...asked);
    // Conversations belong to their project.
    if (isAllowed) address.showNew();
    return isAllowed;
  };
  /** The conversation's mode, once it has reported it. Tools may set it, too. */
  const [sessionMode, setSessionMode] = useState<PermissionMode | null>(null);
  const choosePermissionMode = (mode: PermissionMode) => {
    rememberPermissionMode(mode);
    setPermissionMode(mode);
    setSessionMode(mode);
    open.current?.find(address.id)?.setPermissionMode(mode);
  };

  if (state.kind === 'failed') {
    return (
      <Unsupported error={state.error} project={state.project} onSample={control.openSample} />
    );
  }
  return (
    <div className="page">
      <Header
        control={control}
        mayLeave={mayLeaveProject}
        model={isInTab ? model : null}
        permissionMode={sessionMode ?? permissionMode}
        onPermissionMode={choosePermissionMode}
        onChooseModel={() => setChoosing('model')}
        onClone={() => setCloning(true)}
        git={isInTab ? git : null}
        isGitShown={isGitShown}
        onToggleGit={() => setGitShown(!isGitShown)}
      />
      {state.kind === 'opening' ? (
        <Opening project={state.project} files={state.files} onCancel={control.cancel} />
      ) : (
        <Workbench
          host={state.host}
          cloud={cloud}
          onPlace={setPlace}
          project={state.project}
          model={model}
          permissionMode={permissionMode}
          onSessionMode={setSessionMode}
          address={address}
          onConversations={onConversations}
          onChooseModel={() => setChoosing('model')}
          onMendKey={() => setChoosing('key')}
          git={isGitShown && isInTab ? git : null}
          onCloseGit={closeGit}
        />
      )}
      {isCloning && (
        <CloneDialog
          desk={tokens}
          onClose={() => setCloning(false)}
          onOpen={(project) => {
            if (!mayLeaveProject(`Open ${project.name}?`)) return;
            setCloning(false);
            control.openClone(project);
          }}
        />
      )}
      <TokenDialog desk={tokens} />
      {choosing && (
        <ModelChooser
          choice={model}
          startsAtKey={choosing === 'key'}
          onClose={() => setChoosing(null)}
          onChoose={(choice, keepsKey) => {
            const shown = open.current?.find(address.id);
            const goesOn = isSameModel(choice, model) || shown?.missingModel() !== undefined;
            rememberModelChoice(choice, keepsKey);
            setModel(choice);
            setChoosing(null);
            if (!goesOn) address.showNew();
          }}
        />
      )}
    </div>
  );
}
