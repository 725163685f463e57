// The preview in the page: the name of the shown file, a button that runs it, and the frame. A hidden preview keeps
// its size, so that the agent can still use the page.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { BrowserHost } from 'rockpool/browser';
import { messageOf } from '../message-of.ts';
import { preview, previewElement, previewPane } from './preview.ts';
import { focusRegion } from '../layout/use-regions.ts';

export interface PreviewPaneProps {
  readonly host: BrowserHost;
  /** All files of the project. */
  readonly paths: readonly string[];
  /** The file in the editor. If it is an HTML page, this is the page to run. */
  readonly openPath: string | null;
}

export function PreviewPane({ host, paths, openPath }: PreviewPaneProps) {
  const { isShown, path, errors, viewport } = useSyncExternalStore(
    previewPane.subscribe,
    previewPane.getSnapshot,
  );
  const [problem, setProblem] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    holder.current?.append(previewElement);
    // Closes the preview, because the next project's host has other files.
    return () => preview.close();
  }, [host]);

  const page = findPage(paths, openPath, path);
  const change = useCallback(async (work: () => Promise<unknown>) => {
    setProblem(null);
    setRunning(true);
    try {
      await work();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setRunning(false);
    }
  }, []);
  const run = () => {
    if (page === undefined) {
      setProblem('This project has no HTML file. Ask the agent for a page.');
      return;
    }
    void change(() => preview.open(page, { files: host.workspace.fs }));
  };

  const name = (path ?? page)?.replace(`${host.cwd}/`, '');
  return (
    <section className="preview-pane" data-shown={isShown} inert={!isShown} aria-label="Preview">
      <header className="pane-header">
        <h2 className="editor-path">{name ?? 'Preview'}</h2>
        <span className="editor-state" role="status">
          {isRunning ? 'Loading…' : describeErrors(path, errors)}
        </span>
        <button type="button" className="pane-button" onClick={run}>
          {path === null ? 'Run' : 'Run again'}
        </button>
        {path !== null && viewport !== null && (
          <button
            type="button"
            className="pane-button"
            title={`The page has ${viewport.width} × ${viewport.height} pixels`}
            onClick={() => void change(() => preview.act({ type: 'resize' }))}
          >
            Fill the pane
          </button>
        )}
        <button
          type="button"
          className="pane-button"
          onClick={() => {
            previewPane.show(false);
            // The pane becomes inert, so the focus would be lost.
            requestAnimationFrame(() => focusRegion('editor'));
          }}
        >
          Hide
        </button>
      </header>
      {problem !== null && (
        <p className="bar bar-warning" role="alert">
          {problem}
        </p>
      )}
      {path === null && (
        <div className="editor-empty">
          <p>
            {page === undefined
              ? 'Ask the agent for a page. It runs here, without a server.'
              : 'Run shows the page here, without a server.'}
          </p>
        </div>
      )}
      <div className="preview-holder" data-open={path !== null} ref={holder} />
    </section>
  );
}

/** The page that is open in the editor, or the one that ran, or the project's first. */
function findPage(
  paths: readonly string[],
  openPath: string | null,
  ran: string | null,
): string | undefined {
  const isPage = (path: string) => /\.html?$/iu.test(path);
  if (openPath !== null && isPage(openPath)) return openPath;
  if (ran !== null) return ran;
  const pages = paths.filter(isPage).toSorted((one, other) => one.length - other.length);
  return pages.find((path) => path.endsWith('/index.html')) ?? pages[0];
}

function describeErrors(path: string | null, errors: number): string {
  if (path === null || errors === 0) return '';
  return errors === 1 ? '1 error' : `${errors} errors`;
}
