// The tree of files: an ARIA tree with one tab stop. Arrows, Home, End and letters move in it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import type { FileListSnapshot } from './file-list.ts';
import { parentsOf, toTreeRows } from './tree-rows.ts';
import type { TreeRow } from './tree-rows.ts';

export interface FileTreeProps {
  readonly root: string;
  readonly files: FileListSnapshot;
  readonly openPath: string | null;
  readonly onOpen: (path: string) => void;
}

export function FileTree({ root, files, openPath, onOpen }: FileTreeProps) {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(
    () => new Set([`${root}/src`, `${root}/test`]),
  );
  const [activePath, setActivePath] = useState<string | null>(null);
  const treeRef = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => toTreeRows(root, files.paths, expanded), [root, files, expanded]);
  const active = rows.find((row) => row.path === activePath) ?? rows[0];

  // Scrolls to a file that is opened from another place, such as a link in the transcript.
  useEffect(() => {
    if (openPath === null) return;
    setExpanded((current) => new Set([...current, ...parentsOf(root, openPath)]));
    setActivePath(openPath);
  }, [root, openPath]);

  const focusRow = (row: TreeRow | undefined) => {
    if (!row) return;
    setActivePath(row.path);
    const rowElements = treeRef.current?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [];
    [...rowElements].find((element) => element.dataset['path'] === row.path)?.focus();
  };
  const hasFocus = useRef(false);
  const lastAt = useRef(0);
  useLayoutEffect(() => {
    // The agent has deleted or renamed the file with the focus. The focus stays at the same place in the tree.
    const isLost = hasFocus.current && document.activeElement === document.body;
    if (isLost) focusRow(rows[Math.min(lastAt.current, rows.length - 1)]);
    lastAt.current = active ? rows.indexOf(active) : 0;
  });
  const toggle = (path: string, isOpen: boolean) =>
    setExpanded((current) => {
      const next = new Set(current);
      if (isOpen) next.add(path);
      else next.delete(path);
      return next;
    });
  const activate = (row: TreeRow) => {
    setActivePath(row.path);
    if (row.kind === 'directory') toggle(row.path, !row.isExpanded);
    else onOpen(row.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!active || event.ctrlKey || event.metaKey || event.altKey) return;
    const move = keyMove(event.key, rows, active);
    if (!move) return;
    event.preventDefault();
    if (move.type === 'focus') focusRow(move.row);
    else if (move.type === 'toggle') toggle(active.path, move.isOpen);
    else activate(active);
  };

  if (files.isLoading) return <p className="note">Listing files…</p>;
  if (rows.length === 0) return <p className="note">This workspace has no files yet.</p>;
  return (
    <div
      className="tree"
      role="tree"
      aria-label="Files"
      // Its rows have the tab stop.
      tabIndex={-1}
      ref={treeRef}
      onKeyDown={onKeyDown}
      onFocus={() => (hasFocus.current = true)}
      onBlur={() => (hasFocus.current = false)}
    >
      {rows.map((row) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree has the keys
        <div
          key={row.path}
          data-path={row.path}
          data-kind={row.kind}
          className="tree-row"
          role="treeitem"
          aria-level={row.level}
          aria-posinset={row.position}
          aria-setsize={row.siblings}
          aria-selected={row.path === openPath}
          {...(row.kind === 'directory' && { 'aria-expanded': row.isExpanded })}
          tabIndex={row === active ? 0 : -1}
          onClick={() => activate(row)}
        >
          <Indent level={row.level} />
          <span className="tree-mark" aria-hidden="true" />
          <span className="tree-name" title={row.name}>
            {row.name}
          </span>
          {files.changed.has(row.path) && (
            <span className="tree-changed">
              <span aria-hidden="true">●</span>
              <span className="rp-hidden">changed by the agent</span>
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** One guide line for each level. They are elements, because the page's policy forbids style attributes. */
function Indent({ level }: { readonly level: number }) {
  return Array.from({ length: level - 1 }, (_, index) => (
    <span key={index} className="tree-indent" aria-hidden="true" />
  ));
}

type Move =
  | { readonly type: 'focus'; readonly row: TreeRow | undefined }
  | { readonly type: 'toggle'; readonly isOpen: boolean }
  | { readonly type: 'activate' };

/** The effect of a key by the ARIA practices for trees. Null: none. */
function keyMove(key: string, rows: readonly TreeRow[], active: TreeRow): Move | null {
  const at = rows.indexOf(active);
  switch (key) {
    case 'ArrowDown':
      return { type: 'focus', row: rows[at + 1] };
    case 'ArrowUp':
      return { type: 'focus', row: rows[at - 1] };
    case 'Home':
      return { type: 'focus', row: rows[0] };
    case 'End':
      return { type: 'focus', row: rows.at(-1) };
    case 'ArrowRight':
      if (active.kind === 'file') return null;
      return active.isExpanded
        ? { type: 'focus', row: rows[at + 1] }
        : { type: 'toggle', isOpen: true };
    case 'ArrowLeft':
      if (active.isExpanded) return { type: 'toggle', isOpen: false };
      return { type: 'focus', row: rows.findLast((row, i) => i < at && row.level < active.level) };
    case 'Enter':
    case ' ':
      return { type: 'activate' };
    default: {
      if (key.length !== 1) return null;
      const after = [...rows.slice(at + 1), ...rows.slice(0, at + 1)];
      const letter = key.toLowerCase();
      return {
        type: 'focus',
        row: after.find((row) => row.name.toLowerCase().startsWith(letter)),
      };
    }
  }
}
