// What the page says of itself: its console, what it throws, and what wasn't loaded. Told in heaps, or a loop that
// logs would keep the page around it busy.
import type { Link } from './link.ts';
import type { FrameMessage } from './messages.ts';

export type Report = (level: FrameMessage['level'], text: string) => void;

const maxTextChars = 2_000;
// Between two heaps. Of more than 200 messages in that time the newest are told, and how many weren't.
const heapMs = 50;
const maxHeap = 200;

const levels = ['debug', 'log', 'info', 'warn', 'error'] as const;

/** Takes over before anything of the page has run. */
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
    // A reference to the app's own file, which files.ts loads.
    const isOwn = /^(?:img|media)-src/.test(effectiveDirective) && isHere(blockedURI);
    if (!isOwn) report('request', `${blockedURI} was refused (${effectiveDirective}). ${advice}`);
  });
  return report;
}

const advice =
  'A preview reaches no network. It loads files of the workspace: by import and fetch, and by the src and href that stand in the page.';

/** The document's own address is that of the frame around it, and so is what relative references come to. */
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
    // Circles, and objects that throw when they are looked at.
    return Object.prototype.toString.call(value);
  }
}

// Where it was thrown; further down are frames of the library that called.
const maxFrames = 4;

function describeError(error: Error): string {
  const title = `${error.name}: ${error.message}`;
  const places = (error.stack ?? '').split('\n').flatMap(toPlace);
  return [title, ...places.slice(0, maxFrames)].join('\n');
}

/** As V8 writes it, or else as Firefox and Safari do: `name@place`. */
function toPlace(line: string): readonly string[] {
  if (/^\s+at .*\/[^/]/.test(line)) return [line];
  const [, name, place] = /^([^@]*)@(.*\/[^/].*)$/.exec(line) ?? [];
  if (place === undefined) return [];
  return [name ? `    at ${name} (${place})` : `    at ${place}`];
}

function clip(text: string): string {
  return text.length > maxTextChars ? `${text.slice(0, maxTextChars)}…` : text;
}
