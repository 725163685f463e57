// Where the files are, in one line at the foot of the tree.
import { useEffect, useState } from 'react';
import type { Workspace, WorkspaceInfo } from 'rockpool/browser';

export interface WorkspaceFactsProps {
  readonly workspace: Workspace;
  readonly fileCount: number;
}

export function WorkspaceFacts({ workspace, fileCount }: WorkspaceFactsProps) {
  const [info, setInfo] = useState<WorkspaceInfo | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const read = () => {
      workspace.info().then(
        (next) => isCurrent && setInfo(next),
        // The foot of the tree is no place to report that the workspace has gone.
        () => undefined,
      );
    };
    read();
    const following = workspace.onChange(read);
    return () => {
      isCurrent = false;
      following[Symbol.dispose]();
    };
  }, [workspace]);
  if (!info) return null;
  const place = info.isPersistent ? 'stored in this browser' : 'gone when this page closes';
  const count = fileCount === 1 ? '1 file' : `${fileCount.toLocaleString('en')} files`;
  return (
    <p className="facts" title={`${formatBytes(info.logBytes)} in the log, record ${info.seq}`}>
      {info.driver}, {count}, {place}
    </p>
  );
}

function formatBytes(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} kB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
