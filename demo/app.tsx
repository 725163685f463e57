// The page as a whole: header, three regions, the question that stands above everything.
import { useEffect, useState } from 'react';
import type { PermissionMode } from 'rockpool/browser';
import { readModelChoice, rememberModelChoice } from './agent/model-choice.ts';
import type { ModelChoice } from './agent/model-choice.ts';
import { ModelChooser } from './agent/model-chooser.tsx';
import { readPermissionMode, rememberPermissionMode } from './agent/permission-modes.ts';
import { Header } from './layout/header.tsx';
import { Opening } from './layout/opening.tsx';
import { Unsupported } from './layout/unsupported.tsx';
import { useProject } from './project/use-project.ts';
import { Workbench } from './workbench.tsx';

export function App() {
  const control = useProject();
  const { state } = control;
  const [model, setModel] = useState<ModelChoice>(readModelChoice);
  const [permissionMode, setPermissionMode] = useState<PermissionMode>(readPermissionMode);
  const [isChoosing, setIsChoosing] = useState(false);
  /** Another number is another conversation. */
  const [conversation, setConversation] = useState(0);
  useEffect(() => rememberPermissionMode(permissionMode), [permissionMode]);

  if (state.kind === 'failed') {
    return (
      <Unsupported error={state.error} project={state.project} onSample={control.openSample} />
    );
  }
  return (
    <div className="page">
      <Header
        control={control}
        model={model}
        permissionMode={permissionMode}
        onPermissionMode={setPermissionMode}
        onChooseModel={() => setIsChoosing(true)}
        onNewConversation={() => setConversation((current) => current + 1)}
      />
      {state.kind === 'opening' ? (
        <Opening project={state.project} files={state.files} onCancel={control.cancel} />
      ) : (
        <Workbench
          host={state.host}
          project={state.project}
          model={model}
          permissionMode={permissionMode}
          conversation={conversation}
        />
      )}
      {isChoosing && (
        <ModelChooser
          choice={model}
          onClose={() => setIsChoosing(false)}
          onChoose={(choice, keepsKey) => {
            rememberModelChoice(choice, keepsKey);
            setModel(choice);
            setIsChoosing(false);
          }}
        />
      )}
    </div>
  );
}
