// The files region while a conversation of the cloud is shown: the files there, and a note on what they lack in
// comparison with a tab.
import { useSyncExternalStore } from 'react';
import { FileTree } from '../files/file-tree.tsx';
import type { FileList } from '../files/file-list.ts';
import type { CloudFiles } from './use-cloud-files.ts';

export interface CloudFilesPaneProps {
  readonly root: string;
  readonly files: CloudFiles;
  /** True if the conversation begins only with the first prompt. */
  readonly isNew: boolean;
  readonly openPath: string | null;
  readonly onOpen: (path: string, line?: number) => void;
}

export function CloudFilesPane({ root, files, isNew, openPath, onOpen }: CloudFilesPaneProps) {
  return (
    <>
      <p className="cloud-files-note">
        <strong>Files in the cloud</strong>
        <span className="note">
          They follow what happens there. Search, git and folders of your disk are for the files in
          this browser.
        </span>
      </p>
      {files.kind === 'coming' && (
        <p className="note" role="status">
          {isNew ? 'They come with the first message.' : 'Fetching the files…'}
        </p>
      )}
      {files.kind === 'failed' && (
        <p className="bar bar-danger" role="alert">
          {files.message}
        </p>
      )}
      {files.kind === 'open' && (
        <Tree root={root} list={files.list} openPath={openPath} onOpen={onOpen} />
      )}
    </>
  );
}

interface TreeProps extends Pick<CloudFilesPaneProps, 'root' | 'openPath' | 'onOpen'> {
  readonly list: FileList;
}

function Tree({ root, list, openPath, onOpen }: TreeProps) {
  const files = useSyncExternalStore(list.subscribe, list.getSnapshot);
  const count = files.paths.length;
  return (
    <>
      <FileTree root={root} files={files} openPath={openPath} onOpen={onOpen} />
      <p className="facts">{count === 1 ? '1 file' : `${count} files`}, in the cloud</p>
    </>
  );
}
