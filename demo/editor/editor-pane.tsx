// Where a file is edited. The editor itself is loaded when the first file is opened.
import { lazy, Suspense } from 'react';
import type { OpenFileProps, OpenFileRequest } from './open-file.tsx';

export interface EditorPaneProps extends Omit<OpenFileProps, 'file'> {
  readonly file: OpenFileRequest | null;
}

const OpenFile = lazy(() =>
  import('./open-file.tsx').then((module) => ({ default: module.OpenFile })),
);

export function EditorPane({ workspace, root, file }: EditorPaneProps) {
  if (!file) {
    return (
      <div className="editor-empty">
        <p>Choose a file, or ask the agent to find one.</p>
      </div>
    );
  }
  return (
    <Suspense fallback={<div className="editor-empty">Opening…</div>}>
      {/* One editor a path: nothing of one file can leak into another. */}
      <OpenFile key={file.path} workspace={workspace} root={root} file={file} />
    </Suspense>
  );
}
