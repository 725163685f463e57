// The one preview of the page, and whether its pane is shown. A person shows it by a button, and the agent by opening
// a page.
import { createPreview } from 'rockpool/browser';
import type { Preview, PreviewSize } from 'rockpool/browser';
import { appFrame } from '../project/app-frame.ts';

/** It stays in its place while the project is open, because a frame loads again when it is moved. */
export const previewElement = document.createElement('div');
previewElement.className = 'preview-frame';

export const preview = createPreview({ container: previewElement, frameUrl: appFrame });

/** The preview for the host: it shows the pane when the agent opens a page. */
export const agentPreview: Preview = {
  ...preview,
  open(path, options) {
    previewPane.show(true);
    return preview.open(path, options);
  },
};

export interface PreviewPaneState {
  readonly isShown: boolean;
  /** The HTML file. Null if none is open. */
  readonly path: string | null;
  readonly errors: number;
  /** The size that the agent gave the page. Null if it fills the pane. */
  readonly viewport: PreviewSize | null;
}

let state: PreviewPaneState = { isShown: false, path: null, errors: 0, viewport: null };
const listeners = new Set<() => void>();

function change(next: Partial<PreviewPaneState>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

preview.onChange(() => {
  const { path = null, errors, viewport = null } = preview.state();
  change({ path, errors, viewport });
});

export const previewPane = {
  getSnapshot: (): PreviewPaneState => state,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  show: (isShown: boolean) => change({ isShown }),
};
