import { useEffect, useState } from 'react';
import { query, type BrowserHost, type Model } from 'rockpool/browser';
import {
  Composer,
  createPageSession,
  PermissionCard,
  StatusLine,
  toolViews,
  Transcript,
  usePermissionQuestions,
  useSession,
  useWaitingPrompts,
  type PageSession,
} from 'rockpool/react';

export function AgentPanel({ host, model }: { host: BrowserHost; model: Model }) {
  const [session, setSession] = useState<PageSession | null>(null);
  useEffect(() => {
    const started = createPageSession(({ prompt, ...wiring }) =>
      query({ prompt, options: { host, model, includePartialMessages: true, ...wiring } }),
    );
    setSession(started);
    return () => started[Symbol.dispose]();
  }, [host, model]);
  return session && <Conversation session={session} />;
}

function Conversation({ session }: { session: PageSession }) {
  const { store, permissions, send, stop, takeBack, sendWaiting } = session;
  const snapshot = useSession(store);
  const questions = usePermissionQuestions(permissions);
  const waiting = useWaitingPrompts(session.waiting);
  return (
    <div style={{ display: 'flex', flexDirection: 'column', height: '100vh' }}>
      <Transcript turns={snapshot.turns} views={toolViews} />
      <StatusLine session={snapshot} openQuestions={questions.length} onStop={stop} />
      <PermissionCard questions={questions} views={toolViews} onAnswer={permissions.answer} />
      <Composer
        isBusy={snapshot.isRunning}
        onSend={send}
        onSendNow={(text, images) => send(text, images, 'next')}
        onStop={stop}
        waiting={waiting}
        onTakeBack={takeBack}
        onSendWaiting={sendWaiting}
      />
    </div>
  );
}
