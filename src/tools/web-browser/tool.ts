// The definition of the tool WebBrowser. It has no worker half, because the host's preview does the
// work.
import { encodeBase64 } from '../../core/bytes/base64.ts';
import { SdkError } from '../../core/errors.ts';
import type { ToolResultBlock } from '../../core/messages/blocks.ts';
import { resolvePath } from '../../core/path.ts';
import type { PreviewAction } from '../../core/host-ports/preview.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { webBrowserDescription, webBrowserPrompt, webBrowserToolName } from './prompt.ts';
import {
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
  isOpenWorld: ({ action }) => !looking.has(action),
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

/** What sends nothing: it only tells what the page shows. */
const looking: ReadonlySet<WebBrowserAction> = new Set(['read', 'screenshot', 'console']);

/** The fields that an action takes; those with `?` may be left out. */
const fieldsOf: Readonly<Record<WebBrowserAction, readonly string[]>> = {
  open: ['path'],
  read: [],
  screenshot: [],
  click: ['ref'],
  type: ['ref', 'text'],
  press: ['key', 'ref?'],
  console: [],
};

/** A missing or superfluous field. A guess would do something else. */
function findMistake(input: WebBrowserInput): string | undefined {
  const { action, ...given } = input;
  const taken = fieldsOf[action];
  const missing = taken.filter((name) => !name.endsWith('?') && !(name in given));
  if (missing.length > 0) return `${action} needs ${missing.join(' and ')}.`;
  const unknown = Object.keys(given).filter(
    (name) => !taken.includes(name) && !taken.includes(`${name}?`),
  );
  return unknown.length > 0 ? `${action} takes no ${unknown.join(' and no ')}.` : undefined;
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
    const { path, png, width, height, below, right, missing } = await preview.screenshot({
      signal,
    });
    const rest = { below, right };
    const base64 = encodeBase64(png);
    return { data: { type: 'picture', path, base64, width, height, rest, missing } };
  }
  const page =
    input.action === 'open'
      ? await preview.open(resolvePath(cwd, input.path ?? ''), { files: fs, signal })
      : await preview.act(toAction(input), { signal });
  return { data: { type: 'page', ...page } };
}

function toAction({ action, ref, text = '', key = '' }: WebBrowserInput): PreviewAction {
  if (action === 'click') return { type: 'click', ref: ref ?? '' };
  if (action === 'type') return { type: 'type', ref: ref ?? '', text };
  if (action === 'press') return { type: 'press', key, ...(ref !== undefined && { ref }) };
  return { type: 'read' };
}

function summaryOf({ action, path, ref, text, key }: Partial<WebBrowserInput>): string {
  return [action, path, ref, text === undefined ? undefined : JSON.stringify(text), key]
    .filter((part) => part !== undefined)
    .join(' ');
}

function describe(input: Partial<WebBrowserInput>): string {
  const { action, path = 'a page', ref = 'the page', text = '', key = 'a key' } = input;
  switch (action) {
    case 'open':
      return `Open ${path} in the preview`;
    case 'click':
      return `Click ${ref} in the preview`;
    case 'type':
      return `Type ${JSON.stringify(text)} into ${ref} in the preview`;
    case 'press':
      return `Press ${key} in the preview`;
    case 'screenshot':
      return 'Take a picture of the preview';
    case 'console':
      return "Read the preview's console";
    default:
      return 'Look at the preview';
  }
}

function activityOf(input: Partial<WebBrowserInput>): string {
  const words: Readonly<Record<WebBrowserAction, string>> = {
    open: `Opening ${input.path ?? 'a page'}`,
    read: 'Looking at the page',
    screenshot: 'Taking a picture of the page',
    click: 'Clicking in the page',
    type: 'Typing into the page',
    press: 'Pressing a key in the page',
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
  rest: { below, right },
  missing: { videos, frames, canvases },
}: Extract<WebBrowserOutput, { type: 'picture' }>): string {
  const parts = [
    below > 0 && `${below} pixels of the page are below it.`,
    right > 0 && `${right} pixels of the page are to its right.`,
    videos > 0 && `Videos that it doesn't show: ${videos}.`,
    frames > 0 && `Frames that it doesn't show: ${frames}.`,
    canvases > 0 &&
      `Canvases that are empty in it: ${canvases}. Nothing is drawn on them, or WebGL hasn't kept its drawing.`,
  ];
  return [`${path}: a picture of ${width} × ${height} pixels.`, ...parts]
    .filter((part) => part !== false)
    .join(' ');
}

function describePage({
  path,
  title,
  tree,
  unread: { errors, others },
}: Extract<WebBrowserOutput, { type: 'page' }>): string {
  const total = errors + others;
  const news =
    total === 0
      ? 'Nothing new in the console.'
      : `New in the console: ${total} (${errors} of them errors or refused requests).`;
  const name = title === '' ? path : `${path} (${JSON.stringify(title)})`;
  return `${name}\n\n${tree === '' ? 'The page is empty.' : tree}\n\n${news}`;
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
