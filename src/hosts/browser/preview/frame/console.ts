// Collects the page's console messages, errors and failed loads. They are sent in batches, because
// a loop that logs would otherwise keep the host page busy.
import type { Link } from './link.ts';
import type { FrameMessage } from './messages.ts';

export type Report = (level: FrameMessage['level'], text: string) => void;

export interface FrameConsole {
  readonly report: Report;
  /** Sends what was reported so far, so that an answer doesn't come before it. */
  flush(): void;
}

const maxTextChars = 2_000;
// 50 ms between two batches. Of more than 200 messages in that time the newest are sent, with the
// number of dropped ones.
const heapMs = 50;
const maxHeap = 200;

const levels = ['debug', 'log', 'info', 'warn', 'error'] as const;

/** Installed before any code of the page runs. */
export function watchConsole(link: Link): FrameConsole {
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
    if (heap.length === 0) return;
    link.tell({ type: 'console', messages: heap, dropped });
    heap = [];
    dropped = 0;
  };

  for (const level of levels) {
    const before = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      report(level, describeAll(values));
      before(...values);
    };
  }
  watchOthers(report);
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
  return { report, flush: tellHeap };
}

/** The rest of what apps usually log by. */
function watchOthers(report: Report): void {
  const counts = new Map<string, number>();
  const began = new Map<string, number>();
  const all = (...values: unknown[]) => report('log', describeAll(values));
  const others: Readonly<Record<string, (...values: unknown[]) => void>> = {
    dir: all,
    group: all,
    groupCollapsed: all,
    table: all,
    assert(isRight, ...values) {
      if (!isRight) report('error', `Assertion failed: ${describeAll(values)}`.trim());
    },
    count(label = 'default') {
      const name = String(label);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      report('log', `${name}: ${counts.get(name)}`);
    },
    time: (label = 'default') => void began.set(String(label), performance.now()),
    timeEnd(label = 'default') {
      const since = began.get(String(label));
      if (since === undefined) return;
      report('log', `${String(label)}: ${Math.round(performance.now() - since)} ms`);
      began.delete(String(label));
    },
    trace(...values) {
      const places = placesOf(new Error('trace')).slice(2, maxFrames + 2);
      report('log', [`Trace: ${describeAll(values)}`.trim(), ...places].join('\n'));
    },
  };
  for (const [name, tell] of Object.entries(others)) {
    const before = Reflect.get(console, name) as (...values: unknown[]) => void;
    Object.assign(console, {
      [name](...values: unknown[]) {
        tell(...values);
        before.apply(console, values);
      },
    });
  }
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

/** As a console writes them, `%s` and its like included. */
function describeAll([first, ...rest]: readonly unknown[]): string {
  if (typeof first !== 'string' || !/%[sdifoOc]/.test(first)) {
    return first === undefined && rest.length === 0 ? '' : [first, ...rest].map(describe).join(' ');
  }
  const left = [...rest];
  const text = first.replaceAll(/%([sdifoOc%])/g, (mark, kind: string) => {
    if (kind === '%') return '%';
    if (left.length === 0) return mark;
    const value = left.shift();
    // The style of what follows.
    if (kind === 'c') return '';
    if (kind === 'd' || kind === 'i') return String(Math.trunc(Number(value)));
    return kind === 'f' ? String(Number(value)) : describe(value);
  });
  return [text, ...left.map(describe)].join(' ');
}

export function describe(value: unknown): string {
  try {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return describeError(value);
    if (value instanceof Element) return clip(value.outerHTML);
    if (typeof value !== 'object' || value === null) return String(value);
    return JSON.stringify(toPlain(value, [])) ?? String(value);
  } catch {
    // For objects that throw when they are read.
    return Object.prototype.toString.call(value);
  }
}

/** What JSON would leave out or refuse: errors, maps, sets, elements, functions, and circles. */
function toPlain(value: unknown, around: readonly object[]): unknown {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    return typeof value === 'function' ? `[function ${value.name}]` : String(value);
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (around.includes(value)) return '[circular]';
  const within = [...around, value];
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Element) return `<${value.localName}>`;
  if (value instanceof Map) return { Map: [...value].map((pair) => toPlain(pair, within)) };
  if (value instanceof Set) return { Set: [...value].map((one) => toPlain(one, within)) };
  if (Array.isArray(value)) return value.map((one: unknown) => toPlain(one, within));
  if ('toJSON' in value && typeof value.toJSON === 'function') return value;
  if (within.length > maxDepth) return Object.prototype.toString.call(value);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toPlain(one, within)]));
}

// 6: what is deeper is a library's.
const maxDepth = 6;

// 4: the place of the error. Further frames are usually library code.
const maxFrames = 4;

function describeError(error: Error): string {
  const title = `${error.name}: ${error.message}`;
  const cause = error.cause === undefined ? [] : [`  because of ${describe(error.cause)}`];
  return [title, ...placesOf(error).slice(0, maxFrames), ...cause].join('\n');
}

function placesOf(error: Error): readonly string[] {
  return (error.stack ?? '').split('\n').flatMap(toPlace);
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
