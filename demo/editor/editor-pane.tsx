// The region in which a file is edited. The editor is loaded when the first file is opened. Earlier files stay
// mounted but hidden, with their undo history, cursor and scroll position.
import { useCallback, useEffect, useState } from 'react';
import type { ComponentType } from 'react';
import type {
  FileChange,
  OpenDocuments,
  TextDocumentOptions,
  TextDocumentState,
} from 'rockpool/browser';
import type { OpenFileProps, OpenFileRequest } from './open-file.tsx';
import { pictureType } from './picture-type.ts';

export interface EditorPaneProps {
  readonly workspace: TextDocumentOptions['workspace'];
  readonly documents: OpenDocuments;
  /** The working directory: paths below it are shown without it. */
  readonly root: string;
  readonly file: OpenFileRequest | null;
  /** The changes that the agent's open question is about. */
  readonly proposals: readonly FileChange[];
  /** The input of the call that the question is about, if a person has changed it. */
  readonly changedInput: OpenFileProps['changedInput'];
  readonly onOpen: (path: string) => void;
}

type FileView = ComponentType<OpenFileProps>;

const loadText = async (): Promise<FileView> => (await import('./open-file.tsx')).OpenFile;
const loadPicture = async (): Promise<FileView> => (await import('./picture-file.tsx')).PictureFile;

/** How many files stay mounted: more than a person returns to. An editor takes some 100 kB. */
const maxFiles = 16;

type Kind = TextDocumentState['kind'];

/** True if the editor's text is stored nowhere else. */
const isInDanger = (kind: Kind | undefined) => kind === 'conflict' || kind === 'failed';

export function EditorPane(props: EditorPaneProps) {
  const { workspace, documents, root, file, proposals, changedInput, onOpen } = props;
  /** The open files, newest first. */
  const [files, setFiles] = useState<readonly OpenFileRequest[]>([]);
  const [kinds, setKinds] = useState<ReadonlyMap<string, Kind>>(new Map());
  const onState = useCallback((path: string, kind: Kind) => {
    setKinds((known) => new Map(known).set(path, kind));
  }, []);
  if (file && files[0] !== file) {
    const others = files.filter(({ path }) => path !== file.path);
    setFiles([
      file,
      ...others.filter(({ path }, at) => at < maxFiles - 1 || isInDanger(kinds.get(path))),
    ]);
  }
  if (!file) {
    return (
      <div className="editor-empty">
        <p>Choose a file, or ask the agent to find one.</p>
      </div>
    );
  }
  const endangered = files.filter(({ path }) => path !== file.path && isInDanger(kinds.get(path)));
  // Sorted by path, because an element that moves in the page loses its scroll position.
  const inOrder = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return (
    <>
      {endangered.map(({ path }) => (
        <div key={path} className="bar bar-warning" role="alert">
          <span>{toShown(path, root)} has edits of yours that aren’t saved.</span>
          <button type="button" onClick={() => onOpen(path)}>
            Show {toShown(path, root)}
          </button>
        </div>
      ))}
      <div className="editor-stack">
        {inOrder.map((each) => {
          const isShown = each.path === file.path;
          return (
            // One editor for each path, so that nothing of one file can get into another.
            <div key={each.path} className="editor-slot" data-shown={isShown}>
              <LoadedFile
                load={pictureType(each.path) === undefined ? loadText : loadPicture}
                workspace={workspace}
                documents={documents}
                name={toShown(each.path, root)}
                file={each}
                proposal={proposals.find(({ path }) => path === each.path)}
                changedInput={changedInput}
                isShown={isShown}
                onState={onState}
              />
            </div>
          );
        })}
      </div>
    </>
  );
}

interface LoadedFileProps extends OpenFileProps {
  readonly load: () => Promise<FileView>;
}

/** `React.lazy` isn't used, because it would keep a failure for ever, and empty the whole page. */
function LoadedFile({ load, ...props }: LoadedFileProps) {
  const [loaded, setLoaded] = useState<{ readonly View?: FileView; readonly isFailed?: true }>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isGone = false;
    const show = (next: typeof loaded) => {
      if (!isGone) setLoaded(next);
    };
    load().then(
      (View) => show({ View }),
      () => show({ isFailed: true }),
    );
    return () => {
      isGone = true;
    };
  }, [load, attempt]);
  const { View, isFailed } = loaded;
  if (View) return <View {...props} />;
  if (!isFailed) return <div className="editor-empty">Opening…</div>;
  return (
    <div className="editor-empty" role="alert">
      <p>The editor could not be loaded. Go online, then try again.</p>
      <button type="button" onClick={() => setAttempt(attempt + 1)}>
        Try again
      </button>
    </div>
  );
}

function toShown(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
