// The preview of a page: shows one app of the workspace at a time, in a frame inside an element of
// the page. It is a host's `host.preview`, and a person's buttons can open pages through it as
// well.
import { checkOptionNames } from '../../../core/check-option-names.ts';
import { SdkError } from '../../../core/errors.ts';
import { createAbortError, throwIfAborted, untilAborted } from '../../../core/async/abort.ts';
import { tellSafely } from '../../../core/async/surface.ts';
import { clipText } from '../../../core/text/clip-text.ts';
import { loadOnce } from '../../../core/async/load-once.ts';
import { createSerialQueue } from '../../../core/async/serial-queue.ts';
import { dirname, resolvePath } from '../../../core/path.ts';
import type {
  Preview,
  PreviewAction,
  PreviewColorScheme,
  PreviewFiles,
  PreviewFilter,
  PreviewMessage,
  PreviewPage,
  PreviewSize,
} from '../../../core/host-ports/preview.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { LinkedPage } from './find-linked.ts';
import type { CompiledModules } from './app-modules.ts';
import { createAppFiles, mediaTypeOf, type AppFiles } from './app-files.ts';
import type { FrameAction } from './frame/messages.ts';
import { createPreviewFrame, toSdkError, type PreviewFrame } from './preview-frame.ts';

/** Where a preview is shown, and its frame's URL. */
export interface BrowserPreviewOptions {
  /**
   * The element for the frame, without other content. Give it a size and make it visible while the
   * agent works, because hidden content can't be read.
   */
  readonly container: HTMLElement;
  /** The URL of `rockpool/app-frame.html`, of your page's origin but served without its policy. */
  readonly frameUrl: string | URL;
  /** The clock for deadlines. @defaultValue the page's own timers */
  readonly clock?: Clock;
}

/** The current state of the preview. */
export interface PreviewState {
  /** The HTML file. Undefined if no page is open. */
  readonly path: string | undefined;
  /** The number of errors and refused requests since the page was opened. */
  readonly errors: number;
  /** The size that the page was given by the action `resize`. Undefined if it fills its place. */
  readonly viewport: PreviewSize | undefined;
}

/** A preview in a page, for its host and for buttons. Disposing of it empties the frame. */
export interface BrowserPreview extends Required<Preview>, Disposable {
  state(): PreviewState;
  /** Calls back when the state changes, whoever opened the page. */
  onChange(listener: () => void): Disposable;
  /** Shows nothing any more. */
  close(): void;
}

// 20 s for a page to load and 8 s to react. start-frame.ts reads a loading page after 10 s at most,
// and a reacting one after 2 s.
const openMs = 20_000;
const actMs = 8_000;
// 20 s: a large page is copied and drawn.
const screenshotMs = 20_000;
// 200: the newest console messages are kept.
const maxKept = 200;
// 300: longer than any path, so that a `data:` URL isn't shown.
const maxNameChars = 300;

/** How a page is reached. */
interface Way extends Partial<LinkedPage> {
  readonly signal?: AbortSignal;
  readonly filter?: PreviewFilter;
  readonly root?: string;
}

interface OpenPage {
  readonly path: string;
  readonly root: string;
  readonly frame: PreviewFrame;
  messages: PreviewMessage[];
  dropped: number;
  errors: number;
  /** The last list of the whole page. Empty at first. */
  listed: string;
}

interface Reading {
  readonly atMostMs: number;
  readonly filter: PreviewFilter | undefined;
}

/**
 * Creates a preview in an element of the page, for the option `preview` of `createBrowserHost`.
 *
 * @throws SdkError `bad-usage` if there is no such element
 */
export function createPreview(options: BrowserPreviewOptions): BrowserPreview {
  checkOptionNames('createPreview', options, knownOptions);
  const { container, clock = systemClock } = options;
  if (!(container instanceof HTMLElement)) {
    throw new SdkError('bad-usage', 'createPreview needs the element that the frame stands in.');
  }
  const frameUrl = new URL(options.frameUrl, document.baseURI).href;
  const listeners = new Set<() => void>();
  let page: OpenPage | undefined;
  /** Stays when another page is opened. */
  let viewport: PreviewSize | undefined;
  let colorScheme: PreviewColorScheme | undefined;
  let compiled: CompiledModules | undefined;
  /** Why the last page is no longer open. */
  let ended: SdkError | undefined;
  /** Counts closes, so that a page that was closed while it was opening stays closed. */
  let closes = 0;
  const tellChange = () => {
    for (const listener of listeners) tellSafely(listener, undefined);
  };
  const inTurn = createTurns();

  async function open(
    path: string,
    files: PreviewFiles,
    { signal, filter, root = dirname(path), hash = '', query = '' }: Way = {},
  ): Promise<PreviewPage> {
    leave();
    const opened = await load({ path, hash, query }, createAppFiles(files, root), files, signal);
    if (query !== '') {
      const text = `The page was opened with ${clipText(query, maxNameChars)}. Modules see that in location.search. Plain scripts don't: a preview has no address of its own.`;
      take(opened, [{ level: 'warn', text }], 0);
    }
    if (signal?.aborted) close();
    return readPage(opened, { type: 'read' }, { atMostMs: openMs, filter });
  }

  async function load(
    { path, hash, query }: LinkedPage,
    files: AppFiles,
    given: PreviewFiles,
    signal: AbortSignal | undefined,
  ): Promise<OpenPage> {
    const before = closes;
    const stats = await given.stat(path);
    if (!stats.isFile() || !/\.html?$/iu.test(path)) {
      throw new SdkError(
        'invalid-input',
        `${path} is no HTML file. Open the page itself, such as index.html.`,
        { data: { path } },
      );
    }
    requireShown(container);
    const early: PreviewMessage[] = [];
    let left = 0;
    const onMissing = (reference: string, from: string) => {
      const name = clipText(reference, maxNameChars);
      const text = `${name}, named in ${from}, isn't in the workspace (404).`;
      if (page?.path === path) take(page, [{ level: 'request', text }], 0);
      else if (early.length < maxKept) early.push({ level: 'request', text });
      else left += 1;
    };
    const [{ toAppDocument }, { createDocumentFiles }, { readEnv }] = await Promise.all([
      import('./app-document.ts'),
      import('./document-files.ts'),
      import('./read-env.ts'),
    ]);
    const bounded = createDocumentFiles(files, { path, clock, signal });
    const setup = {
      path,
      root: files.root,
      query,
      hash,
      env: await readEnv(files),
      ...(colorScheme && { colorScheme }),
    };
    const { html, inline } = await toAppDocument(bounded, setup, onMissing);
    if (closes !== before) throw createAbortError('The preview was closed.');
    const modules = loadOnce(async () => {
      const { createAppModules, createCompiledModules } = await import('./app-modules.ts');
      compiled ??= createCompiledModules();
      return createAppModules({ compiled, files, inline, clock, onMissing });
    });
    const frame = createPreviewFrame({
      ...{ container, frameUrl, path, html, files, modules, clock, size: viewport },
      onMessages: (messages, dropped) => take(opened, messages, dropped),
      onFollow(to) {
        void inTurn(() => follow(opened, to, given));
      },
      onEnd(reason) {
        if (page !== opened) return;
        page = undefined;
        ended = reason;
        tellChange();
      },
    });
    const unread = { messages: [], dropped: 0, errors: 0 };
    const opened: OpenPage = { path, root: files.root, frame, ...unread, listed: '' };
    page = opened;
    ended = undefined;
    take(opened, early, left);
    tellChange();
    return opened;
  }

  /**
   * Follows a link as a browser does, with the files and the root of the current page. Never
   * rejects.
   */
  async function follow(from: OpenPage, to: LinkedPage, given: PreviewFiles): Promise<void> {
    // Another page was opened meanwhile.
    if (page !== from) return;
    try {
      await open(to.path, given, { ...to, root: from.root });
    } catch (error) {
      // Nobody waits for it, so the error is reported at the next action.
      if (!page) ended = toSdkError(error);
    }
  }

  function take(from: OpenPage, messages: readonly PreviewMessage[], dropped: number): void {
    from.messages.push(...messages);
    const tooMany = Math.max(0, from.messages.length - maxKept);
    from.messages.splice(0, tooMany);
    from.dropped += dropped + tooMany;
    const errors = messages.filter(isError).length;
    from.errors += errors;
    if (errors > 0) tellChange();
  }

  async function readPage(
    from: OpenPage,
    action: FrameAction,
    { atMostMs, filter = 'all' }: Reading,
  ): Promise<PreviewPage> {
    const { path, frame, messages, listed } = from;
    const isInteractive = filter === 'interactive';
    const { title, tree: whole, view } = await frame.ask(action, { atMostMs, isInteractive });
    const isPart = action.type === 'find' || (action.type === 'read' && action.ref !== undefined);
    if (!isPart && !isInteractive) from.listed = whole;
    const tree = filter === 'changed' && !isPart ? await listChanges(listed, whole) : whole;
    const errors = messages.filter(isError).length;
    return { path, title, tree, view, unread: { errors, others: messages.length - errors } };
  }

  function requirePage(): OpenPage {
    if (page) return page;
    // Reported once, because reopening the page solves it.
    throw (
      ended ?? new SdkError('bad-usage', 'No page is open in the preview. Open an HTML file first.')
    );
  }

  function resize(
    current: OpenPage,
    size: PreviewSize | undefined,
    filter: PreviewFilter | undefined,
  ): Promise<PreviewPage> {
    if (size) checkSize(size);
    viewport = size;
    tellChange();
    const action = { type: 'resize', ...current.frame.resize(size) } as const;
    return readPage(current, action, { atMostMs: actMs, filter });
  }

  function close(): void {
    viewport = undefined;
    colorScheme = undefined;
    leave();
  }

  function leave(): void {
    closes += 1;
    ended = undefined;
    if (!page) return;
    page.frame[Symbol.dispose]();
    page = undefined;
    tellChange();
  }

  return {
    open: (path, { files, signal, filter }) =>
      inTurn(
        () =>
          open(resolvePath('/', path), files, {
            ...(signal && { signal }),
            ...(filter && { filter }),
          }),
        signal,
      ),
    act: (action, { signal, filter } = {}) =>
      inTurn(() => {
        const current = requirePage();
        requireShown(container);
        if (action.type === 'resize') return resize(current, action.size, filter);
        if (action.type === 'emulate') colorScheme = action.colorScheme;
        return readPage(current, toFrameAction(action), { atMostMs: timeOf(action), filter });
      }, signal),
    screenshot: ({ signal, ...wanted } = {}) =>
      inTurn(async () => {
        const { path, frame } = requirePage();
        requireShown(container);
        return { path, ...(await frame.takePicture(wanted, screenshotMs)) };
      }, signal),
    readConsole: () =>
      inTurn(async () => {
        const current = requirePage();
        const { path, messages, dropped } = current;
        current.messages = [];
        current.dropped = 0;
        return { path, messages, dropped };
      }),
    state: () => ({ path: page?.path, errors: page?.errors ?? 0, viewport }),
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    close,
    [Symbol.dispose]: close,
  };
}

async function listChanges(before: string, after: string): Promise<string> {
  const { toChangedLines } = await import('./changed-lines.ts');
  return toChangedLines(before, after);
}

const isError = ({ level }: PreviewMessage) => level === 'error' || level === 'request';

/**
 * @throws SdkError `unsupported-environment` because a frame without a size renders nothing and has
 * no tree
 */
function requireShown(container: HTMLElement): void {
  const { width, height } = container.getBoundingClientRect();
  if (width > 0 && height > 0) return;
  throw new SdkError(
    'unsupported-environment',
    "The preview isn't on the screen: its element has no size. Ask the user to show the preview, then open the page again.",
  );
}

function toFrameAction(action: Exclude<PreviewAction, { readonly type: 'resize' }>): FrameAction {
  if (action.type !== 'upload') return action;
  const files = action.files.map((file) => ({ ...file, mediaType: mediaTypeOf(file.name) }));
  return { ...action, files };
}

// Ten seconds, as wait.ts in the frame has it.
const waitSeconds = 10;
const msPerSecond = 1_000;

/** How long the page may take for it. */
function timeOf(action: PreviewAction): number {
  if (action.type === 'wait') return actMs + (action.time ?? waitSeconds) * msPerSecond;
  return action.type === 'press' ? actMs + (action.time ?? 0) * msPerSecond : actMs;
}

const minSide = 100;
const maxSide = 4_000;

/** @throws SdkError `invalid-input` */
function checkSize({ width, height }: PreviewSize): void {
  const isRight = [width, height].every(
    (side) => Number.isInteger(side) && side >= minSide && side <= maxSide,
  );
  if (isRight) return;
  throw new SdkError(
    'invalid-input',
    `A page can't have ${width} × ${height} pixels. Give integers of ${minSide} to ${maxSide}.`,
  );
}

/**
 * Runs tasks in sequence. A task whose signal is aborted before its turn isn't started. One that
 * was started continues, but nobody waits for it.
 */
function createTurns() {
  const inTurn = createSerialQueue();
  return <Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> => {
    const turn = inTurn(() => {
      throwIfAborted(signal);
      return work();
    });
    return untilAborted(turn, signal);
  };
}

const knownOptions = {
  container: true,
  frameUrl: true,
  clock: true,
} satisfies Record<keyof BrowserPreviewOptions, true>;
