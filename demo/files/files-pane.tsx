// The files region: a search over all files, and below it the results, or else the tree.
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import { WorkspaceFacts } from '../project/workspace-facts.tsx';
import type { FileListSnapshot } from './file-list.ts';
import { createFileSearch } from './file-search.ts';
import type { FileSearch, SearchQuestion } from './file-search.ts';
import { FileTree } from './file-tree.tsx';
import { SearchBox } from './search-box.tsx';
import { SearchResults } from './search-results.tsx';

export interface FilesPaneProps {
  readonly host: BrowserHost;
  readonly files: FileListSnapshot;
  readonly openPath: string | null;
  readonly onOpen: (path: string, line?: number) => void;
}

export function FilesPane(props: FilesPaneProps) {
  const { host } = props;
  const [search, setSearch] = useState<FileSearch | null>(null);
  useEffect(() => {
    const created = createFileSearch(host, host.cwd);
    setSearch(created);
    return () => created[Symbol.dispose]();
  }, [host]);
  return search && <SearchedFiles {...props} search={search} />;
}

function SearchedFiles({
  host,
  files,
  openPath,
  onOpen,
  search,
}: FilesPaneProps & { readonly search: FileSearch }) {
  const found = useSyncExternalStore(search.subscribe, search.getSnapshot);
  const [question, setQuestion] = useState<SearchQuestion>({
    text: '',
    isPattern: false,
    matchCase: false,
  });
  const ask = (next: SearchQuestion) => {
    setQuestion(next);
    search.ask(next);
  };
  return (
    <>
      <SearchBox question={question} search={found} onAsk={ask} onStop={search.stop} />
      {question.text === '' ? (
        <FileTree root={host.cwd} files={files} openPath={openPath} onOpen={onOpen} />
      ) : (
        <SearchResults root={host.cwd} files={found.files} onOpen={onOpen} />
      )}
      <WorkspaceFacts host={host} fileCount={files.paths.length} />
    </>
  );
}
