// The two frames of an MCP App. The outer one is served with the page and has no origin. It holds
// the app's document, in a frame that has none either, and passes messages. Made by mcp-app.tsx for
// an app that is on the screen.

/** How it is made. */
export interface AppFrameOptions {
  /** Where `app-frame.html` is served. */
  readonly url: string;
  /** The document that `toAppDocument` of app-document.ts makes. */
  readonly html: string;
  /** For screen readers. */
  readonly title: string;
  /** What the app has said: anything that can be cloned. */
  onMessage(message: unknown): void;
}

export interface AppFrame extends Disposable {
  /** To be put into the page. */
  readonly element: HTMLIFrameElement;
  /** Does nothing before the app is loaded. */
  post(message: unknown): void;
}

export function createAppFrame({ url, html, title, onMessage }: AppFrameOptions): AppFrame {
  const element = document.createElement('iframe');
  // Security: without `allow-same-origin` it has no origin: no storage, and no way into this page. Without
  // `allow-popups`, `allow-downloads` and `allow-top-navigation` it leads nowhere.
  element.setAttribute('sandbox', 'allow-scripts allow-forms');
  element.setAttribute('referrerpolicy', 'no-referrer');
  element.title = title;
  element.src = url;
  let isLoaded = false;
  // `*`: a frame without an origin has no other address. It is ours until it navigates, which its policy refuses.
  const post = (message: unknown) => element.contentWindow?.postMessage(message, '*');
  const hear = ({ source, data }: MessageEvent<unknown>) => {
    // Security: any window may speak to this one. The app itself speaks by the outer frame alone.
    if (source === null || source !== element.contentWindow) return;
    if (isLoaded) {
      onMessage(data);
      return;
    }
    isLoaded = true;
    post({ html, title });
  };
  window.addEventListener('message', hear);
  return {
    element,
    post: (message) => isLoaded && post(message),
    [Symbol.dispose]() {
      window.removeEventListener('message', hear);
      element.remove();
    },
  };
}
