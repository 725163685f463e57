// A conversation that runs in the cloud: a page session of `rockpool/react` over a connection. It continues to run
// when the page is closed.
import { createTimeline, SdkError } from 'rockpool/browser';
import type { BrowserHost, PermissionMode } from 'rockpool/browser';
import { followSession } from 'rockpool/react';
import type { PageSession, FollowedQuery } from 'rockpool/react';
import type { ConnectedSession } from 'rockpool/wire';
import type { Conversation } from '../agent/conversation.ts';
import { keepAnswers } from '../agent/kept-answers.ts';
import { keepWaiting, readWaiting } from '../agent/kept-waiting.ts';
import type { Cloud } from './cloud.ts';

export interface CloudConversationOptions {
  readonly host: BrowserHost;
  readonly cloud: Cloud;
  readonly id: string;
  /** The address of its wire. */
  readonly url: string;
  /** True if it has no messages: it is created with the first prompt. */
  readonly isNew: boolean;
  /** Called before a new conversation is created there. */
  readonly onBegin: () => void;
  /** The mode in which a new conversation begins. */
  readonly permissionMode: PermissionMode;
}

export function createCloudConversation(options: CloudConversationOptions): Conversation {
  const { host, cloud, id, url, isNew, onBegin, permissionMode } = options;
  /** The first prompt, which becomes the title of a new conversation. */
  let first = '';
  const session: PageSession<FollowedQuery<ConnectedSession>> = followSession(
    async ({ canUseTool, abortController }) => {
      const { connectSession } = await import('rockpool/wire');
      if (isNew) {
        onBegin();
        await cloud.add(id, first);
      }
      const ticket = () => cloud.ticket(url);
      const connected = await connectSession(url, { ticket, canUseTool, abortController });
      if (isNew) await connected.setPermissionMode(permissionMode);
      return connected;
    },
    // The server sends the whole conversation again from its beginning, so nothing is kept.
    { waiting: readWaiting(id), ...(!isNew && { kept: [] }) },
  );
  const leaveWaiting = keepWaiting(id, session);
  const answers = keepAnswers(id, session);
  const { opened } = session.query;
  const fail = (error: unknown) => session.store.fail(error);
  let connection: ConnectedSession['connection'] = () => (isNew ? 'open' : 'waiting');
  opened.then(
    (open) => ({ connection } = open),
    () => (connection = () => 'closed'),
  );
  const whenOpen = (run: (open: ConnectedSession) => Promise<unknown>) =>
    void opened.then(
      (open) => run(open).catch(fail),
      // The transcript says why.
      () => undefined,
    );
  const timeline = createTimeline({ follow: () => () => undefined });
  const onlyInTab = () => Promise.reject(new SdkError('bad-usage', tabOnly));
  return {
    ...session,
    id,
    answers,
    timeline,
    cloud: {
      url,
      isNew,
      connection: () => connection(),
      files: async () => (await opened).followFiles(),
    },
    send(text, images, priority) {
      if (first === '') first = text === '' ? 'An image' : text;
      session.send(text, images, priority);
    },
    sendAgain() {
      const { turns } = session.store.getSnapshot();
      const newest = turns.findLast(({ prompt, images }) => prompt !== '' || images.length > 0);
      if (newest) session.send(newest.prompt, newest.images);
    },
    missingModel: () => undefined,
    loadTools: () => host.loadTools(),
    servers: {
      status: async () => [],
      add: onlyInTab,
      toggle: onlyInTab,
      reconnect: onlyInTab,
      logIn: onlyInTab,
    },
    askMcpApp: onlyInTab,
    completeCommand: async () => [],
    stopTask: (taskId) => whenOpen((open) => open.stopTask(taskId)),
    backgroundTask: (toolUseId) => whenOpen((open) => open.backgroundTasks(toolUseId)),
    setPermissionMode: (mode) => whenOpen((open) => open.setPermissionMode(mode)),
    // The cloud has its own model.
    setModel: () => undefined,
    [Symbol.dispose]() {
      leaveWaiting();
      answers[Symbol.dispose]();
      timeline[Symbol.dispose]();
      session[Symbol.dispose]();
    },
  };
}

const tabOnly = 'MCP servers are a tab’s. Bring the conversation back to use them.';
