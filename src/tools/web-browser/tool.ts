// The definition of the tool WebBrowser. It has no worker half, because the host's preview does the
// work.
import { encodeBase64 } from '../../core/bytes/base64.ts';
import { SdkError } from '../../core/errors.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import { basename, resolvePath } from '../../core/path.ts';
import type {
  PreviewAction,
  PreviewRest,
  PreviewSize,
  PreviewTarget,
  PreviewUpload,
} from '../../core/host-ports/preview.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { webBrowserDescription, webBrowserPrompt, webBrowserToolName } from './prompt.ts';
import {
  tickPixels,
  webBrowserInputSchema,
  webBrowserOutputSchema,
  type WebBrowserAction,
  type WebBrowserInput,
  type WebBrowserOutput,
} from './schema.ts';

export const webBrowserTool = buildTool({
  name: webBrowserToolName,
  searchHint: 'open, see and click the app in a browser preview',
  shouldDefer: true,
  get inputSchema() {
    return webBrowserInputSchema();
  },
  get outputSchema() {
    return webBrowserOutputSchema();
  },

  description: (input) => Promise.resolve(input ? describe(input) : webBrowserDescription),
  prompt: () => Promise.resolve(webBrowserPrompt),

  validateInput: (input) => toValidation(findMistake(input)),
  getPath: ({ action, path }) => (action === 'open' ? path : undefined),

  // A page runs in its own frame: it changes no file and nothing outside.
  isReadOnly: () => true,
  // Security: no policy blocks WebRTC, so a page's code may send everything that it can read. That
  // includes typed text.
  isOpenWorld: ({ action, ref = '', text, text_gone: gone, scroll_amount: amount }) => {
    // The page is asked for any ref, so a longer one may be a text.
    if (ref.length > maxRefChars) return true;
    // What only tells a page which way to scroll, or lets it be, has nothing for it to send.
    if (action === 'scroll') return amount !== undefined;
    if (action === 'wait') return (text ?? gone) !== undefined;
    return !looking.has(action);
  },
  // Actions on a page were allowed together with the page.
  checkPermissions: ({ action }) =>
    Promise.resolve({ behavior: action === 'open' ? 'passthrough' : 'allow' }),

  call,

  userFacingName: () => 'Preview',
  getToolUseSummary: (input) => toSummary(summaryOf(input)) || null,
  getActivityDescription: (input) => (input.action === undefined ? null : activityOf(input)),
  toAutoClassifierInput: (input) => `in a sandboxed preview of the app: ${describe(input)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toContent(output),
  }),
} satisfies ToolDef<ReturnType<typeof webBrowserInputSchema>, WebBrowserOutput>);

// 6: `e99999`. A list has some hundred.
const maxRefChars = 6;

/** What sends nothing: it only tells what the page shows, or that it is dark. */
const looking: ReadonlySet<WebBrowserAction> = new Set([
  'read',
  'screenshot',
  'console',
  'emulate',
]);

/** The fields that an action takes. Those with `?` may be left out, and of those with `|` exactly one is given. */
const fieldsOf: Readonly<Record<WebBrowserAction, readonly string[]>> = {
  open: ['path', 'filter?'],
  read: ['ref?', 'filter?'],
  find: ['text'],
  screenshot: ['full_page?', 'ref?'],
  click: ['ref|coordinate', 'button?', 'double_click?', 'modifiers?', 'filter?'],
  hover: ['ref|coordinate', 'filter?'],
  drag: ['start_ref|start_coordinate', 'ref|coordinate', 'filter?'],
  type: ['ref', 'text', 'filter?'],
  press: ['key', 'ref?', 'time?', 'filter?'],
  upload: ['ref', 'paths', 'filter?'],
  scroll: ['ref?', 'scroll_direction?', 'scroll_amount?', 'filter?'],
  resize: ['width?', 'height?', 'filter?'],
  emulate: ['color_scheme?', 'filter?'],
  wait: ['text?', 'text_gone?', 'time?', 'filter?'],
  dialog: ['accept', 'text?', 'filter?'],
  console: [],
};

/** A missing or superfluous field. A guess would do something else. */
function findMistake(input: WebBrowserInput): string | undefined {
  const { action, ...given } = input;
  const taken = fieldsOf[action].map((field) => ({
    names: field.replace('?', '').split('|'),
    isNeeded: !field.endsWith('?'),
  }));
  const missing = taken.filter(
    ({ names, isNeeded }) => isNeeded && !names.some((name) => name in given),
  );
  if (missing.length > 0) {
    return `${action} needs ${missing.map(({ names }) => names.join(' or ')).join(' and ')}.`;
  }
  const unknown = Object.keys(given).filter(
    (name) => !taken.some(({ names }) => names.includes(name)),
  );
  if (unknown.length > 0) return `${action} takes no ${unknown.join(' and no ')}.`;
  const twice = taken.find(({ names }) => names.filter((name) => name in given).length > 1);
  if (twice) return `${action} takes ${twice.names.join(' or ')}, not both.`;
  return findMissingPart(input);
}

/** A field that another one needs, or doesn't go with. */
function findMissingPart(input: WebBrowserInput): string | undefined {
  const { action, ref, scroll_direction: direction, scroll_amount: amount, width, height } = input;
  if (action === 'scroll' && direction === undefined) {
    if (ref === undefined) return 'scroll needs ref or scroll_direction.';
    if (amount !== undefined) return 'scroll needs scroll_direction with scroll_amount.';
  }
  if (action === 'resize' && (width === undefined) !== (height === undefined)) {
    return 'resize needs width and height, or neither: then the page is as large as at first.';
  }
  if (action === 'read' && ref !== undefined && input.filter === 'changed') {
    return 'read takes ref or the filter changed, not both.';
  }
  if (action === 'screenshot' && ref !== undefined && input.full_page === true) {
    return 'screenshot takes ref or full_page, not both.';
  }
  if (action === 'wait' && (input.text ?? input.text_gone ?? input.time) === undefined) {
    return 'wait needs text, text_gone or time.';
  }
  return action === 'find' && input.text?.trim() === ''
    ? 'find needs a text that is not empty.'
    : undefined;
}

/** For the actions of {@link PreviewAction}. `files`: those of `paths`. */
function toAction(input: WebBrowserInput, files: readonly PreviewUpload[]): PreviewAction {
  const { action, ref = '', text, key = '', time, width, height } = input;
  const target = toTarget(input.ref, input.coordinate);
  switch (action) {
    case 'click': {
      const { button, double_click: doubleClick, modifiers } = input;
      return {
        ...{ type: 'click', ...target, ...(button && { button }) },
        ...(doubleClick === true && { doubleClick }),
        ...(modifiers && { modifiers }),
      };
    }
    case 'hover':
      return { type: 'hover', ...target };
    case 'drag':
      return { type: 'drag', from: toTarget(input.start_ref, input.start_coordinate), to: target };
    case 'type':
      return { type: 'type', ref, text: text ?? '' };
    case 'find':
      return { type: 'find', text: text ?? '' };
    case 'press':
      return { type: 'press', key, ...target, ...(time !== undefined && { time }) };
    case 'upload':
      return { type: 'upload', ref, files };
    case 'wait': {
      const { text_gone: textGone } = input;
      return {
        ...{ type: 'wait', ...(text !== undefined && { text }) },
        ...(textGone !== undefined && { textGone }),
        ...(time !== undefined && { time }),
      };
    }
    case 'dialog':
      return { type: 'dialog', accept: input.accept ?? false, ...(text !== undefined && { text }) };
    case 'scroll': {
      const { scroll_direction: direction, scroll_amount: ticks } = input;
      return {
        ...{ type: 'scroll', ...target, ...(direction && { direction }) },
        ...(ticks !== undefined && { amount: ticks * tickPixels }),
      };
    }
    case 'emulate': {
      const { color_scheme: colorScheme } = input;
      return { type: 'emulate', ...(colorScheme && { colorScheme }) };
    }
    case 'resize': {
      const isGiven = width !== undefined && height !== undefined;
      return { type: 'resize', ...(isGiven && { size: { width, height } }) };
    }
    default:
      return { type: 'read', ...target };
  }
}

function toTarget(
  ref: string | undefined,
  coordinate: readonly number[] | undefined,
): PreviewTarget {
  const [x, y] = coordinate ?? [];
  return {
    ...(ref !== undefined && { ref }),
    ...(x !== undefined && y !== undefined && { coordinate: [x, y] as const }),
  };
}

async function call(
  input: WebBrowserInput,
  { preview, fs, cwd, abortController: { signal } }: CallContext,
): Promise<ToolResult<WebBrowserOutput>> {
  if (!preview) {
    throw new SdkError(
      'unsupported-environment',
      'This host has no preview. A page gives one to its host: see createPreview of rockpool/browser.',
    );
  }
  if (input.action === 'console') {
    const { path, messages, dropped } = await preview.readConsole();
    return { data: { type: 'console', path, messages: [...messages], dropped } };
  }
  if (input.action === 'screenshot') {
    if (!preview.screenshot) {
      throw new SdkError(
        'unsupported-environment',
        "This host's preview draws no pictures. Look at the page by read instead.",
      );
    }
    const { full_page: fullPage = false, ref } = input;
    const picture = await preview.screenshot({
      signal,
      fullPage,
      ...(ref !== undefined && { ref }),
    });
    const { path, png, width, height, rest, missing } = picture;
    const base64 = encodeBase64(png);
    return { data: { type: 'picture', path, base64, width, height, rest, missing } };
  }
  const { filter } = input;
  const options = { signal, ...(filter && { filter }) };
  if (input.action === 'open') {
    const page = await preview.open(resolvePath(cwd, input.path ?? ''), { files: fs, ...options });
    return { data: { type: 'page', ...page } };
  }
  const files = await readFiles(input.paths ?? [], fs, cwd);
  const page = await preview.act(toAction(input, files), options);
  return { data: { type: 'page', ...page } };
}

// 16 MB: what a preview loads of a file, too. All of it is copied to the page.
const maxUploadBytes = 16 * 1024 * 1024;

async function readFiles(paths: readonly string[], fs: CallContext['fs'], cwd: string) {
  const places = paths.map((path) => resolvePath(cwd, path));
  const sizes = await Promise.all(places.map(async (place) => (await fs.stat(place)).size));
  const size = sizes.reduce((sum, one) => sum + one, 0);
  if (size > maxUploadBytes) {
    throw new SdkError(
      'limit-exceeded',
      `These files have ${size} bytes. An upload has at most ${maxUploadBytes}: give smaller files, or fewer.`,
      { data: { size, maxBytes: maxUploadBytes } },
    );
  }
  return Promise.all(
    places.map(async (place) => {
      const bytes = await fs.readFile(place);
      return { name: basename(place), bytes: new Uint8Array(bytes) };
    }),
  );
}

function summaryOf(input: Partial<WebBrowserInput>): string {
  const {
    action,
    path,
    paths = [],
    text,
    text_gone: gone,
    key,
    scroll_direction: direction,
    color_scheme: scheme,
  } = input;
  const { width, height } = input;
  const size = width !== undefined && height !== undefined ? `${width} × ${height}` : undefined;
  const quoted = [text, gone].filter((one) => one !== undefined).map((one) => JSON.stringify(one));
  const places = [
    placeOf(input.start_ref, input.start_coordinate),
    placeOf(input.ref, input.coordinate),
  ];
  return [action, path, ...places, ...quoted, key, direction, size, scheme, ...paths]
    .filter((part) => part !== undefined)
    .join(' ');
}

function placeOf(ref: string | undefined, coordinate: readonly number[] | undefined) {
  return ref ?? coordinate?.join(', ');
}

function describe(input: Partial<WebBrowserInput>): string {
  const { action, path = 'a page', text = '', key = 'a key' } = input;
  const ref = placeOf(input.ref, input.coordinate) ?? 'the page';
  switch (action) {
    case 'open':
      return `Open ${path} in the preview`;
    case 'click':
      return `Click ${ref} in the preview`;
    case 'hover':
      return `Point at ${ref} in the preview`;
    case 'drag':
      return `Drag ${placeOf(input.start_ref, input.start_coordinate) ?? ''} to ${ref} in the preview`;
    case 'type':
      return `Type ${JSON.stringify(text)} into ${ref} in the preview`;
    case 'press':
      return `Press ${key} in the preview`;
    case 'upload':
      return `Give ${(input.paths ?? []).join(', ')} to ${ref} in the preview`;
    case 'dialog':
      return `${input.accept === true ? 'Accept' : 'Dismiss'} dialogs of the preview`;
    case 'wait':
      return 'Wait for the preview';
    case 'scroll':
      return `Scroll ${[input.scroll_direction, ref].filter(Boolean).join(' at ')} in the preview`;
    case 'resize':
      return `Show the preview at ${describeSize(input)}`;
    case 'emulate':
      return `Show the preview in ${describeColors(input)}`;
    case 'screenshot':
      return 'Take a picture of the preview';
    case 'console':
      return "Read the preview's console";
    default:
      return 'Look at the preview';
  }
}

function describeSize({ width, height }: Partial<WebBrowserInput>): string {
  return width === undefined || height === undefined ? 'its own size' : `${width} × ${height}`;
}

function describeColors({ color_scheme: scheme }: Partial<WebBrowserInput>): string {
  return scheme === undefined ? 'its own colours' : `${scheme} colours`;
}

function activityOf(input: Partial<WebBrowserInput>): string {
  const words: Readonly<Record<WebBrowserAction, string>> = {
    open: `Opening ${input.path ?? 'a page'}`,
    read: 'Looking at the page',
    screenshot: 'Taking a picture of the page',
    find: 'Looking for something on the page',
    click: 'Clicking in the page',
    hover: 'Pointing at something on the page',
    drag: 'Dragging in the page',
    upload: 'Giving files to the page',
    wait: 'Waiting for the page',
    dialog: "Answering the page's dialogs",
    type: 'Typing into the page',
    press: 'Pressing a key in the page',
    scroll: 'Scrolling the page',
    resize: `Showing the page at ${describeSize(input)}`,
    emulate: `Showing the page in ${describeColors(input)}`,
    console: "Reading the page's console",
  };
  return input.action === undefined ? 'Using the preview' : words[input.action];
}

function toContent(output: WebBrowserOutput): NonNullable<ToolResultBlock['content']> {
  if (output.type === 'page') return describePage(output);
  if (output.type === 'console') return describeConsole(output);
  const source = { type: 'base64', media_type: 'image/png', data: output.base64 } as const;
  return [
    { type: 'text', text: describePicture(output) },
    { type: 'image', source },
  ];
}

function describePicture({
  path,
  width,
  height,
  rest,
  missing: { videos, frames, canvases },
}: Extract<WebBrowserOutput, { type: 'picture' }>): string {
  const parts = [
    describeRest(rest),
    videos > 0 && `Videos that it doesn't show: ${videos}.`,
    frames > 0 && `Frames that it doesn't show: ${frames}.`,
    canvases > 0 &&
      `Canvases that are empty in it: ${canvases}. Nothing is drawn on them, or WebGL hasn't kept its drawing.`,
  ];
  return [`${path}: a picture of ${width} × ${height} pixels.`, ...parts]
    .filter((part) => part !== false && part !== '')
    .join(' ');
}

/** What isn't shown of the page, or an empty string. */
function describeRest(rest: PreviewRest): string {
  const { above, below, left, right } = rest;
  const sides = [
    above > 0 && `${above} above it`,
    below > 0 && `${below} below it`,
    left > 0 && `${left} to its left`,
    right > 0 && `${right} to its right`,
  ].filter((side) => side !== false);
  return sides.length === 0 ? '' : `More pixels of the page: ${sides.join(', ')}.`;
}

function describeView(view: PreviewSize & PreviewRest): string {
  const rest = describeRest(view);
  const shown = `The screen shows ${view.width} × ${view.height} pixels.`;
  return rest === '' ? `${shown} That is all of the page.` : `${shown} ${rest}`;
}

function describePage({
  path,
  title,
  tree,
  view,
  unread: { errors, others },
}: Extract<WebBrowserOutput, { type: 'page' }>): string {
  const total = errors + others;
  const news =
    total === 0
      ? 'Nothing new in the console.'
      : `New in the console: ${total} (${errors} of them errors or refused requests).`;
  const name = title === '' ? path : `${path} (${JSON.stringify(title)})`;
  const last = view ? `${describeView(view)}\n${news}` : news;
  return `${name}\n\n${tree === '' ? 'The page is empty.' : tree}\n\n${last}`;
}

function describeConsole({
  path,
  messages,
  dropped,
}: Extract<WebBrowserOutput, { type: 'console' }>): string {
  const lines = messages.map(({ level, text }) => `[${level}] ${text}`);
  if (dropped > 0) lines.unshift(`(${dropped} older messages weren't kept.)`);
  return lines.length === 0 ? `Nothing new in the console of ${path}.` : lines.join('\n');
}
