// The three regions over one open project: files, editor, agent. On a phone tabs choose the one that
// is shown; a permission question shows in all of them.
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { BrowserHost, FileChange, PermissionMode } from 'rockpool/browser';
import {
  createPermissionQueue,
  createTranscriptStore,
  OpenFileContext,
  PermissionCard,
  toolViews,
  usePermissionQuestions,
  useSession,
} from 'rockpool/react';
import type { PermissionCardProps, PermissionQuestion, WaitingPrompt } from 'rockpool/react';
import { AgentPane } from './agent/agent-pane.tsx';
import type { Conversation } from './agent/conversation.ts';
import type { ModelChoice } from './agent/model-choice.ts';
import type { Cloud } from './cloud/cloud.ts';
import { CloudFilesPane } from './cloud/cloud-files-pane.tsx';
import { followInstructions } from './agent/user-files.ts';
import { readNewIn, rememberNewIn } from './cloud/find-conversation.ts';
import type { Place } from './cloud/find-conversation.ts';
import { useCloudFiles } from './cloud/use-cloud-files.ts';
import { useConversation } from './agent/use-conversation.ts';
import { useTools } from './agent/use-tools.ts';
import type { ConversationState } from './agent/use-conversation.ts';
import { EditorPane } from './editor/editor-pane.tsx';
import type { OpenFileRequest } from './editor/open-file.tsx';
import { createFileList } from './files/file-list.ts';
import type { FileList } from './files/file-list.ts';
import { FilesPane } from './files/files-pane.tsx';
import { GitPanel } from './git/git-panel.tsx';
import type { GitWatch } from './git/git-watch.ts';
import { Tabs } from './layout/tabs.tsx';
import { focusRegion, useFocusAcross, useRegions } from './layout/use-regions.ts';
import { previewPane } from './preview/preview.ts';
import { PreviewPane } from './preview/preview-pane.tsx';
import type { Project } from './project/project.ts';
import { TrustDialog } from './project/trust-dialog.tsx';
import type { OpenConversations } from './sessions/open-conversations.ts';
import type { SessionAddress } from './sessions/session-address.ts';
import { SessionBar } from './sessions/session-bar.tsx';

export interface WorkbenchProps {
  readonly host: BrowserHost;
  /** Null if the page has no cloud. */
  readonly cloud: Cloud | null;
  /** Called with the place where the shown conversation runs. */
  readonly onPlace: (place: Place) => void;
  readonly project: Project;
  readonly model: ModelChoice;
  readonly permissionMode: PermissionMode;
  /** Called with the shown conversation's mode. Null: it hasn't reported it yet. */
  readonly onSessionMode: (mode: PermissionMode | null) => void;
  readonly address: SessionAddress;
  /** Called with the open conversations, and with null when they are closed. */
  readonly onConversations: (all: OpenConversations | null) => void;
  readonly onChooseModel: () => void;
  readonly onMendKey: () => void;
  /** The content of the git panel. Null while it is closed. */
  readonly git: GitWatch | null;
  readonly onCloseGit: () => void;
}

export function Workbench(props: WorkbenchProps) {
  const { host, cloud, address, onConversations } = props;
  const [newIn, setNewIn] = useState<Place>(() => readNewIn(cloud));
  const [files, setFiles] = useState<FileList | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const list = createFileList(host.workspace, host.cwd, setProblem);
    setFiles(list);
    return () => list[Symbol.dispose]();
  }, [host]);
  useEffect(() => {
    const following = followInstructions(host);
    return () => following[Symbol.dispose]();
  }, [host]);
  const [agent, conversations, reopen] = useConversation({
    ...props,
    newIn,
    sessionId: address.id,
  });
  /** The conversation for which the place was chosen. */
  const [chosenFor, setChosenFor] = useState<string | null>(null);
  const chooseNewIn = async (place: Place) => {
    setChosenFor(address.id);
    rememberNewIn(place);
    setNewIn(place);
    await conversations?.close(address.id);
    reopen();
  };
  useEffect(() => {
    onConversations(conversations);
    return () => onConversations(null);
  }, [conversations, onConversations]);
  if (problem !== null) throw problem;
  if (!files || !conversations) return <div className="regions" />;
  const shown = { files, agent, conversations, onReopen: reopen };
  const choice = {
    newIn: cloud && newIn,
    wasChosen: chosenFor === address.id,
    onNewIn: (place: Place) => void chooseNewIn(place),
  };
  return <Regions {...props} {...shown} {...choice} />;
}

interface ModeTellerProps {
  readonly session: Conversation | null;
  readonly onSessionMode: (mode: PermissionMode | null) => void;
}

/** A separate component, like the card below, because it renders at each step of the agent. */
function ModeTeller({ session, onSessionMode }: ModeTellerProps) {
  const { permissionMode } = useSession(session?.store ?? noSession);
  useEffect(() => onSessionMode(permissionMode), [permissionMode, onSessionMode]);
  return null;
}

interface QuestionCardProps {
  readonly session: Conversation;
  readonly questions: readonly PermissionQuestion[];
  readonly onChangedInput: NonNullable<PermissionCardProps['onChangedInput']>;
}

/** A separate component, so that the page around it doesn't render at each step of the agent. */
function QuestionCard({ session, questions, onChangedInput }: QuestionCardProps) {
  const { tasks } = useSession(session.store);
  const tools = useTools(session);
  return (
    <PermissionCard
      questions={questions}
      tasks={tasks}
      views={toolViews}
      tools={tools}
      drafts={session.answers}
      onAnswer={(id, answer) => session.permissions.answer(id, answer)}
      onChangedInput={onChangedInput}
    />
  );
}

/** The changes that the question is about: proposed ones, or those to keep. */
function toProposals(question: PermissionQuestion | undefined): readonly FileChange[] {
  if (!question) return noProposals;
  return question.changes.length > 0 ? question.changes : (question.proposedChanges ?? noProposals);
}

const noProposals: readonly FileChange[] = [];

/** The queue while no conversation is open. */
const noQuestions = createPermissionQueue();
const noSession = createTranscriptStore();

interface RegionsProps extends WorkbenchProps {
  readonly files: FileList;
  readonly agent: ConversationState;
  readonly conversations: OpenConversations;
  readonly onReopen: () => void;
  readonly newIn: Place | null;
  readonly wasChosen: boolean;
  readonly onNewIn: (place: Place) => void;
}

interface ChangedQuestion {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>> | null;
}

/** The open file of a conversation in the cloud. */
interface CloudFile extends OpenFileRequest {
  readonly of: Conversation;
}

function Regions(props: RegionsProps) {
  const { host, cloud, project, model, agent, address, git, onCloseGit, onPlace } = props;
  const session = agent.kind === 'ready' ? agent.session : null;
  const { shown, show } = useRegions();
  const ofAgent = useFocusAcross('agent', agent);
  const projectList = useSyncExternalStore(props.files.subscribe, props.files.getSnapshot);
  const questions = usePermissionQuestions(session?.permissions ?? noQuestions);
  const inCloud = useCloudFiles(session, host.cwd);
  const place = inCloud ? 'cloud' : 'tab';
  useEffect(() => onPlace(place), [place, onPlace]);
  /** The shown files: the project's, or those of the conversation in the cloud. */
  const files = inCloud?.kind === 'open' ? inCloud.list : props.files;
  const fileList = useSyncExternalStore(files.subscribe, files.getSnapshot);
  const proposals = toProposals(questions[0]);
  /** The question whose input a person has changed: the editor shows their change, not the agent's. */
  const [changed, setChanged] = useState<ChangedQuestion>();
  const changedInput = changed && changed.id === questions[0]?.id ? changed.input : null;
  const [projectFile, setProjectFile] = useState<OpenFileRequest | null>(null);
  const [cloudFile, setCloudFile] = useState<CloudFile | null>(null);
  const openCloudFile = cloudFile?.of === session ? cloudFile : null;
  const openFile = inCloud ? openCloudFile : projectFile;
  const setOpenFile = useCallback(
    (file: OpenFileRequest) => {
      if (session?.cloud) setCloudFile({ ...file, of: session });
      else setProjectFile(file);
    },
    [session],
  );

  /** The conversation is closed here first, so that it may be opened again under its new id. */
  const goOn = async (left: string, id: string) => {
    await props.conversations.close(left);
    address.show(id);
    requestAnimationFrame(() => focusRegion('agent'));
  };
  const openAgain = async (id: string, prompts: readonly WaitingPrompt[]) => {
    await props.conversations.close(id);
    if (prompts.length > 0) props.conversations.left.set(id, prompts);
    props.onReopen();
    requestAnimationFrame(() => focusRegion('agent'));
  };
  const open = useCallback(
    (path: string, line?: number) => {
      const absolute = path.startsWith('/') ? path : `${host.cwd}/${path}`;
      files.markSeen(absolute);
      setOpenFile(line === undefined ? { path: absolute } : { path: absolute, line });
      onCloseGit();
      previewPane.show(false);
      show('editor');
    },
    [files, host, setOpenFile, onCloseGit, show],
  );
  const isGitShown = git !== null;
  const isPreviewShown = useSyncExternalStore(
    previewPane.subscribe,
    () => previewPane.getSnapshot().isShown,
  );
  // Both panels cover the editor. The one that was opened last is shown.
  useEffect(() => {
    if (!isGitShown) return;
    previewPane.show(false);
    show('editor');
  }, [isGitShown, show]);
  useEffect(() => {
    if (!isPreviewShown) return;
    onCloseGit();
    show('editor');
  }, [isPreviewShown, onCloseGit, show]);
  // A change by the agent is shown at once: in the open file, or in the first file that it changes or asks to change.
  const asked = proposals.find(({ type }) => type === 'update')?.path;
  useEffect(() => {
    if (inCloud && inCloud.kind !== 'open') return;
    const [first = asked] = fileList.changed;
    if (!openFile && first !== undefined) setOpenFile({ path: first });
    else if (openFile && fileList.changed.has(openFile.path)) files.markSeen(openFile.path);
  }, [files, fileList, inCloud, asked, openFile, setOpenFile]);
  const { isLoading } = fileList;
  const opener = useMemo(
    // While the files are being listed, nothing is known of them. The links are rendered again afterwards.
    () => ({ cwd: host.cwd, open, ...(!isLoading && { hasFile: files.has }) }),
    [host, open, files, isLoading],
  );

  return (
    <OpenFileContext value={opener}>
      <ModeTeller session={session} onSessionMode={props.onSessionMode} />
      <main className="regions" data-shown={shown}>
        <section
          className="region region-files"
          data-region="files"
          aria-label="Files"
          tabIndex={-1}
        >
          {inCloud ? (
            <CloudFilesPane
              root={host.cwd}
              files={inCloud}
              isNew={
                session?.cloud?.isNew === true && session.store.getSnapshot().turns.length === 0
              }
              openPath={openFile?.path ?? null}
              onOpen={open}
            />
          ) : (
            <FilesPane
              host={host}
              files={projectList}
              openPath={openFile?.path ?? null}
              onOpen={open}
            />
          )}
        </section>
        <section
          className="region region-editor"
          data-region="editor"
          aria-label="Editor"
          tabIndex={-1}
        >
          {/* It stays while the other is shown: what is typed there may be nowhere else. */}
          <div
            className="editor-below"
            inert={isGitShown || isPreviewShown}
            hidden={inCloud !== null}
          >
            <EditorPane
              workspace={host.workspace}
              documents={host.documents}
              root={host.cwd}
              file={projectFile}
              proposals={inCloud ? noProposals : proposals}
              changedInput={changedInput}
              onOpen={open}
            />
          </div>
          {inCloud?.kind === 'open' && (
            <div className="editor-below">
              <EditorPane
                key={session?.id}
                workspace={inCloud.workspace}
                documents={inCloud.documents}
                root={host.cwd}
                file={openCloudFile}
                proposals={proposals}
                changedInput={changedInput}
                onOpen={open}
              />
            </div>
          )}
          {!inCloud && (
            <PreviewPane
              host={host}
              paths={projectList.paths}
              openPath={projectFile?.path ?? null}
            />
          )}
          {git && (
            <GitPanel
              host={host}
              watch={git}
              fileCount={fileList.paths.length}
              onClose={() => {
                onCloseGit();
                requestAnimationFrame(() => focusRegion('editor'));
              }}
            />
          )}
        </section>
        <section
          className="region region-agent"
          data-region="agent"
          aria-label="Agent"
          tabIndex={-1}
          {...ofAgent}
        >
          <h2 className="rp-hidden">Agent</h2>
          <SessionBar
            host={host}
            cloud={cloud}
            address={address}
            conversations={props.conversations}
            session={session}
            onReopen={props.onReopen}
          />
          {session && (
            <AgentPane
              // The text that was typed for one conversation must not appear in the next.
              key={session.id}
              host={host}
              paths={fileList.paths}
              session={session}
              model={model}
              isSample={project.kind === 'sample'}
              newIn={props.newIn}
              wasChosen={props.wasChosen}
              onNewIn={props.onNewIn}
              onNewConversation={address.showNew}
              onOpenAgain={(prompts) => void openAgain(session.id, prompts)}
              onGoneOn={(id) => void goOn(session.id, id)}
              onChooseModel={props.onChooseModel}
              onMendKey={props.onMendKey}
            />
          )}
          {agent.kind === 'opening' && (
            <p className="agent-opening note" role="status">
              Opening the conversation…
            </p>
          )}
          {agent.kind === 'failed' && (
            <div className="bar bar-danger" role="alert">
              {agent.message}
              <button
                type="button"
                onClick={() => {
                  props.onReopen();
                  requestAnimationFrame(() => focusRegion('agent'));
                }}
              >
                Try again
              </button>
            </div>
          )}
        </section>
        <div className="question-dock">
          {session && (
            <QuestionCard
              key={session.id}
              session={session}
              questions={questions}
              onChangedInput={(id, input) => setChanged({ id, input })}
            />
          )}
        </div>
      </main>
      <TrustDialog root={host.cwd} />
      <Tabs shown={shown} onShow={show} hasQuestion={questions.length > 0} />
    </OpenFileContext>
  );
}
