// One line below the tree that says where the files are stored.
import { useEffect, useState } from 'react';
import type { BrowserHost, StorageFacts, WorkspaceInfo } from 'rockpool/browser';

export interface WorkspaceFactsProps {
  readonly host: BrowserHost;
  readonly fileCount: number;
}

export function WorkspaceFacts({ host, fileCount }: WorkspaceFactsProps) {
  const { workspace } = host;
  const [info, setInfo] = useState<WorkspaceInfo | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const read = () => {
      workspace.info().then(
        (next) => isCurrent && setInfo(next),
        // A lost workspace is reported elsewhere, not in this line.
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
  const storage = useStorageFacts(host);
  if (!info) return null;
  const place = info.isPersistent ? describeStorage(storage) : 'gone when this page closes';
  const count = fileCount === 1 ? '1 file' : `${fileCount.toLocaleString('en')} files`;
  return (
    <p
      className="facts"
      title={
        `${formatBytes(info.logBytes)} in the log, record ${info.seq}` +
        (info.role === 'follower' ? '; another tab keeps it' : '') +
        (storage ? `. ${describeQuota(storage)}` : '')
      }
    >
      {info.driver}, {count}, {place}
    </p>
  );
}

function useStorageFacts(host: BrowserHost): StorageFacts | undefined {
  const [facts, setFacts] = useState<StorageFacts>();
  useEffect(() => {
    let isCurrent = true;
    host.storageFacts().then(
      (next) => isCurrent && setFacts(next),
      // The value is shown only if it is known.
      () => undefined,
    );
    return () => void (isCurrent = false);
  }, [host]);
  return facts;
}

function describeStorage(storage: StorageFacts | undefined): string {
  if (!storage) return 'stored in this browser';
  return storage.isPersisted ? 'kept by this browser' : 'in this browser, which may evict it';
}

function describeQuota({ usageBytes, quotaBytes }: StorageFacts): string {
  if (usageBytes === undefined || quotaBytes === undefined) return 'The browser tells no quota.';
  return `This site uses ${formatBytes(usageBytes)} of ${formatBytes(quotaBytes)}.`;
}

function formatBytes(bytes: number): string {
  return bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024)} kB`
    : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
