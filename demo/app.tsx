// The page as a whole: header, three regions, the question that stands above everything.
import { useEffect, useRef, useState } from 'react';
import type { PermissionMode } from 'rockpool/browser';
import type { Conversation } from './agent/conversation.ts';
import { mayLeave } from './agent/may-leave.ts';
import { isSameModel, readModelChoice, rememberModelChoice } from './agent/model-choice.ts';
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
  /** The dialog that is open, and whether it is about the key. */
  const [choosing, setChoosing] = useState<'model' | 'key' | null>(null);
  /** Another number is another conversation. */
  const [conversation, setConversation] = useState(0);
  const open = useRef<Conversation | null>(null);
  const [onConversation] = useState(() => (session: Conversation | null) => {
    open.current = session;
  });
  useEffect(() => rememberPermissionMode(permissionMode), [permissionMode]);
  const begin = () => setConversation((current) => current + 1);
  const beginIfAllowed = () => {
    if (mayLeave(open.current, 'Begin a new conversation?')) begin();
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
        mayLeave={(question) => mayLeave(open.current, question)}
        model={model}
        permissionMode={permissionMode}
        onPermissionMode={setPermissionMode}
        onChooseModel={() => setChoosing('model')}
        onNewConversation={beginIfAllowed}
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
          onConversation={onConversation}
          onNewConversation={beginIfAllowed}
          onMendKey={() => setChoosing('key')}
        />
      )}
      {choosing && (
        <ModelChooser
          choice={model}
          startsAtKey={choosing === 'key'}
          onClose={() => setChoosing(null)}
          onChoose={(choice, keepsKey) => {
            const isSame = isSameModel(choice, model);
            if (!isSame && !mayLeave(open.current, 'Begin a new one with this model?')) return;
            rememberModelChoice(choice, keepsKey);
            setModel(choice);
            setChoosing(null);
            if (!isSame) begin();
          }}
        />
      )}
    </div>
  );
}
