// The two frames of an MCP App. The outer one is served with the page and has no origin. It holds a second frame
// without an origin, which has the app's document, and passes messages. mcp-app.tsx creates the frames for an app on
// the screen.

/** The options of a frame. */
export interface AppFrameOptions {
  /** Where `app-frame.html` is served. */
  readonly url: string;
  /** The document that `toAppDocument` of app-document.ts makes. */
  readonly html: string;
  /** The frame's title, for screen readers. */
  readonly title: string;
  /** Called with each message of the app: anything that can be cloned. */
  onMessage(message: unknown): void;
}

export interface AppFrame extends Disposable {
  /** The element for the page to put in place. */
  readonly element: HTMLIFrameElement;
  /** Posts a message to the app. Does nothing before the app is loaded. */
  post(message: unknown): void;
}

export function createAppFrame({ url, html, title, onMessage }: AppFrameOptions): AppFrame {
  const element = document.createElement('iframe');
  // Security: without `allow-same-origin` the frame has no origin, so no storage and no way into this page. Without
  // `allow-popups`, `allow-downloads` and `allow-top-navigation` it can open no other page.
  element.setAttribute('sandbox', 'allow-scripts allow-forms');
  element.setAttribute('referrerpolicy', 'no-referrer');
  element.title = title;
  element.src = url;
  let isLoaded = false;
  // `*`: a frame without an origin has no other address. The frame is ours until it navigates, and
  // its policy refuses that.
  const post = (message: unknown) => element.contentWindow?.postMessage(message, '*');
  const hear = ({ source, data }: MessageEvent<unknown>) => {
    // Security: any window may post to this one. Messages of the app come only from the outer frame.
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
