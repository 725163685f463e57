// One app in the transcript: the frame of its server's page. Around it are parts that the app can't change: the
// border, the server's name, the hosts that it may reach, and a button to close it. Loaded with the first app.
import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf } from '../../core/errors.ts';
import type { ViewedCall } from '../../core/tool/call-state.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import { ExternalLink } from '../kit/external-link.tsx';
import { createAppBridge } from './app-bridge.ts';
import type { AppBridge } from './app-bridge.ts';
import { toAppDocument } from './app-document.ts';
import type { AppDocument } from './app-document.ts';
import { createAppFrame } from './app-frame.ts';
import type { McpApps } from './apps-context.ts';
import { onThemeChange, readAppContext } from './read-app-context.ts';

export interface McpAppProps {
  readonly call: ViewedCall & Required<Pick<ViewedCall, 'app'>>;
  readonly apps: McpApps;
}

// 60 to 640 px: a small app is still seen, and a tall one scrolls by itself.
const minHeight = 60;
const maxHeight = 640;
const firstHeight = 240;

// 1 s: an app that has something to save has done so by then.
const endMs = 1_000;

/** A link that the app asks the person to open. */
interface AskedLink {
  readonly url: string;
  answer(isOpened: boolean): void;
}

export function McpApp({ call, apps }: McpAppProps) {
  const { serverName, toolUseId } = call.app;
  const [isClosed, setIsClosed] = useState(false);
  const [isWide, setIsWide] = useState(false);
  const [height, setHeight] = useState(firstHeight);
  const [drawn, setDrawn] = useState<AppDocument>();
  const [problem, setProblem] = useState<string>();
  const [link, setLink] = useState<AskedLink>();
  const box = useRef<HTMLElement>(null);
  const holder = useRef<HTMLDivElement>(null);
  const bridge = useRef<AppBridge>(undefined);
  const wide = useRef(isWide);
  const widen = useRef<HTMLButtonElement>(null);
  const again = useRef<HTMLButtonElement>(null);
  /** True if the part that is removed had the focus. The part that replaces it then gets the focus. */
  const hadFocus = useRef(false);
  // A call with an app doesn't change its input or output any more.
  const shown = useRef(call);

  const setClosed = useCallback((closed: boolean) => {
    const { activeElement } = document;
    hadFocus.current =
      box.current?.contains(activeElement) === true || activeElement === again.current;
    setIsClosed(closed);
  }, []);
  useEffect(() => {
    if (!hadFocus.current) return;
    hadFocus.current = false;
    (isClosed ? again : widen).current?.focus({ preventScroll: true });
  }, [isClosed]);

  useEffect(() => {
    const place = holder.current;
    if (!place || isClosed) return undefined;
    const ending = new AbortController();
    void draw(place, ending.signal).catch((error: unknown) => {
      if (!ending.signal.aborted) setProblem(messageOf(error));
    });
    return () => {
      ending.abort();
      bridge.current = undefined;
    };

    async function draw(into: HTMLElement, signal: AbortSignal): Promise<void> {
      await whenSeen(into, signal);
      const page = await apps.ask(toolUseId, { type: 'open' });
      if (signal.aborted) return;
      const made = toAppDocument(page);
      setDrawn(made);
      const asking = new Set<AskedLink>();
      const frame = createAppFrame({
        url: apps.frameUrl,
        html: made.html,
        title: `App of ${serverName}`,
        onMessage: (message) => spoken.hear(message),
      });
      const spoken = createAppBridge(shown.current, {
        clock: systemClock,
        post: frame.post,
        context: () => readAppContext(into, wide.current),
        callTool: (name, input) => apps.ask(toolUseId, { type: 'call-tool', name, input }),
        tellModel: (text) => apps.ask(toolUseId, { type: 'tell-model', text }),
        propose: apps.onMessage,
        askToOpen: (url) =>
          new Promise((resolve) => {
            const asked: AskedLink = {
              url,
              answer(isOpened) {
                if (!asking.delete(asked)) return;
                setLink((now) => (now === asked ? undefined : now));
                resolve(isOpened);
              },
            };
            // Only the newest question stays open, because nobody reads many of them.
            for (const before of asking) before.answer(false);
            asking.add(asked);
            setLink(asked);
          }),
        resize: (wanted) => setHeight(Math.min(maxHeight, Math.max(minHeight, wanted))),
        shrink: () => setIsWide(false),
        close: () => setClosed(true),
      });
      bridge.current = spoken;
      into.append(frame.element);
      const callOff = onThemeChange(spoken.tellContext);
      signal.addEventListener('abort', () => {
        callOff();
        for (const asked of asking) asked.answer(false);
        frame[Symbol.dispose]();
      });
    }
  }, [apps, toolUseId, serverName, isClosed, setClosed]);

  useEffect(() => {
    wide.current = isWide;
    // The wide app is shown in the top layer. Moved in the page, it would be loaded again.
    const element = box.current;
    if (!element || isClosed) return;
    if (isWide) {
      element.setAttribute('popover', 'manual');
      element.showPopover();
    } else element.removeAttribute('popover');
    bridge.current?.tellContext();
  }, [isWide, isClosed]);

  useEffect(() => {
    if (!isWide || !box.current) return undefined;
    const free = makeInertAround(box.current);
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      setIsWide(false);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      free();
    };
  }, [isWide]);

  const close = async () => {
    const over = bridge.current?.tellEnd();
    setIsWide(false);
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, endMs))]);
    setClosed(true);
  };

  if (isClosed) {
    return (
      <p className="rp-note rp-app-closed">
        The app of {serverName} is closed.{' '}
        <button type="button" ref={again} onClick={() => setClosed(false)}>
          Show it again
        </button>
      </p>
    );
  }
  return (
    <section
      className="rp-app"
      ref={box}
      data-wide={isWide || undefined}
      aria-label={`App of ${serverName}`}
    >
      <div className="rp-app-head">
        <span className="rp-app-name">{serverName}</span>
        <span className="rp-note">{describe(drawn)}</span>
        <button type="button" ref={widen} aria-pressed={isWide} onClick={() => setIsWide(!isWide)}>
          Full width
        </button>
        <button type="button" aria-label={`Close the app of ${serverName}`} onClick={close}>
          Close
        </button>
      </div>
      {link && (
        <div className="rp-app-link" role="status">
          The app wants to open {/* The person's own click opens it. */}
          <span
            onClick={() => {
              link.answer(true);
              widen.current?.focus({ preventScroll: true });
            }}
            role="presentation"
          >
            <ExternalLink address={link.url} label={link.url} />
          </span>
          <button
            type="button"
            onClick={() => {
              link.answer(false);
              widen.current?.focus({ preventScroll: true });
            }}
          >
            No
          </button>
        </div>
      )}
      {problem !== undefined && <p className="rp-note">The app can&apos;t be shown. {problem}</p>}
      <div
        className="rp-app-holder"
        ref={holder}
        style={isWide || problem !== undefined ? undefined : { height }}
      />
    </section>
  );
}

function describe(drawn: AppDocument | undefined): string {
  const { hosts = [], refused = [] } = drawn ?? {};
  const parts = [
    'an app of this MCP server',
    hosts.length > 0 && `it reaches ${hosts.join(', ')}`,
    refused.length > 0 && `it may not reach ${refused.join(', ')}`,
  ];
  return parts.filter((part) => part !== false).join(' · ');
}

/**
 * Makes everything behind an app that covers the page inert, so that it can't get the focus. Returns a function that
 * undoes this.
 */
function makeInertAround(element: Element): () => void {
  const made: HTMLElement[] = [];
  for (let inner = element; inner.parentElement; inner = inner.parentElement) {
    for (const beside of inner.parentElement.children) {
      if (beside === inner || !(beside instanceof HTMLElement) || beside.inert) continue;
      beside.inert = true;
      made.push(beside);
    }
  }
  return () => {
    for (const each of made) each.inert = false;
  };
}

/**
 * Resolves when the element is first seen. A conversation may have hundreds of apps, and each is a
 * process.
 */
function whenSeen(element: Element, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element);
    signal.addEventListener('abort', () => observer.disconnect());
  });
}
