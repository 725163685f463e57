// Collects the page's console messages, errors and failed loads. They are sent in batches, because
// a loop that logs would otherwise keep the host page busy.
import type { Link } from './link.ts';
import type { FrameMessage } from './messages.ts';

export type Report = (level: FrameMessage['level'], text: string) => void;

const maxTextChars = 2_000;
// 50 ms between two batches. Of more than 200 messages in that time the newest are sent, with the
// number of dropped ones.
const heapMs = 50;
const maxHeap = 200;

const levels = ['debug', 'log', 'info', 'warn', 'error'] as const;

/** Installed before any code of the page runs. */
export function watchConsole(link: Link): Report {
  const later = window.setTimeout.bind(window);
  let heap: FrameMessage[] = [];
  let dropped = 0;
  const report: Report = (level, text) => {
    if (heap.length === 0) later(tellHeap, heapMs);
    heap.push({ level, text: clip(text) });
    if (heap.length <= maxHeap) return;
    heap.shift();
    dropped += 1;
  };
  const tellHeap = () => {
    link.tell({ type: 'console', messages: heap, dropped });
    heap = [];
    dropped = 0;
  };

  for (const level of levels) {
    const before = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      report(level, values.map(describe).join(' '));
      before(...values);
    };
  }
  window.addEventListener('error', (event) => {
    if (!(event instanceof ErrorEvent)) return;
    const { error, message, filename, lineno } = event;
    const place = filename === '' ? '' : ` (${filename}:${lineno})`;
    report('error', error === null ? `${message}${place}` : `Uncaught ${describe(error)}`);
  });
  window.addEventListener('unhandledrejection', ({ reason }) => {
    report('error', `Uncaught (in promise) ${describe(reason)}`);
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    const { blockedURI, effectiveDirective } = event;
    // A reference to one of the app's own files, which files.ts loads.
    const isOwn = /^(?:img|media)-src/.test(effectiveDirective) && isHere(blockedURI);
    if (!isOwn) report('request', `${blockedURI} was refused (${effectiveDirective}). ${advice}`);
  });
  return report;
}

const advice =
  'A preview reaches no network. It loads files of the workspace: by import and fetch, and by the src and href that stand in the page.';

/**
 * The document's base URL is that of the outer frame, so relative references resolve against it.
 */
function isHere(address: string): boolean {
  try {
    return new URL(address).origin === new URL(document.baseURI).origin;
  } catch {
    return false;
  }
}

export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return describeError(value);
    if (value instanceof Element) return clip(value.outerHTML);
    if (typeof value !== 'object' || value === null) return String(value);
    return JSON.stringify(value) ?? String(value);
  } catch {
    // For circular objects, and objects that throw when they are read.
    return Object.prototype.toString.call(value);
  }
}

// 4: the place of the error. Further frames are usually library code.
const maxFrames = 4;

function describeError(error: Error): string {
  const title = `${error.name}: ${error.message}`;
  const places = (error.stack ?? '').split('\n').flatMap(toPlace);
  return [title, ...places.slice(0, maxFrames)].join('\n');
}

/** Parses a stack line of V8, or of Firefox and Safari: `name@place`. */
function toPlace(line: string): readonly string[] {
  if (/^\s+at .*\/[^/]/.test(line)) return [line];
  const [, name, place] = /^([^@]*)@(.*\/[^/].*)$/.exec(line) ?? [];
  if (place === undefined) return [];
  return [name ? `    at ${name} (${place})` : `    at ${place}`];
}

function clip(text: string): string {
  return text.length > maxTextChars ? `${text.slice(0, maxTextChars)}…` : text;
}
