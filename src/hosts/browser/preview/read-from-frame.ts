// Validates messages of a previewed page. Its code is hostile, and uses the same window as
// Rockpool's code in the frame.
import { clipText } from '../../../core/text/clip-text.ts';
import type { PreviewRest } from '../../../core/host-ports/preview.ts';
import { isRecord } from '../../../core/values/is-record.ts';
import type {
  CompiledComponent,
  FrameMessage,
  FramePicture,
  FrameView,
  FromFrame,
  WantedModule,
} from './frame/messages.ts';

// Limits that Rockpool's code in the frame observes. A page that exceeds them has sent the message
// itself.
const maxTreeChars = 25_000;
const maxTextChars = 2_100;
const maxTitleChars = 300;
const maxMessages = 200;
const maxWanted = 2_000;
const maxNameChars = 2_000;
const maxPictureChars = 4_000_000;

/** Returns undefined for an unknown message. Long texts are truncated. */
export function readFromFrame(message: unknown): FromFrame | undefined {
  if (!isRecord(message)) return undefined;
  const { type, id } = message;
  if (type === 'started') return { type };
  // Sent by the outer frame. A page that sends it itself is discarded as well.
  if (message['appFrame'] === 'left') return { type: 'left' };
  if (type === 'console') return readConsole(message);
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
  switch (type) {
    case 'page': {
      const { title, tree } = message;
      const view = readView(message['view']);
      if (typeof title !== 'string' || typeof tree !== 'string' || !view) return undefined;
      return {
        type,
        id,
        title: clipText(title, maxTitleChars),
        tree: clipText(tree, maxTreeChars),
        view,
      };
    }
    case 'picture':
      return readPicture(id, message);
    case 'refused': {
      const text = message['message'];
      return typeof text === 'string'
        ? { type, id, message: clipText(text, maxTextChars) }
        : undefined;
    }
    case 'file': {
      const { url } = message;
      return isName(url) ? { type, id, url } : undefined;
    }
    case 'link': {
      const { address, isPersons } = message;
      return isName(address) && typeof isPersons === 'boolean'
        ? { type, id, address, isPersons }
        : undefined;
    }
    case 'compiled':
      return readCompiled(id, message);
    case 'modules': {
      const { wanted } = message;
      const isRight =
        Array.isArray(wanted) && wanted.length <= maxWanted && wanted.every(isWantedModule);
      return isRight ? { type, id, wanted } : undefined;
    }
    default:
      return undefined;
  }
}

const levels: ReadonlySet<unknown> = new Set<FrameMessage['level']>([
  ...(['debug', 'log', 'info', 'warn', 'error', 'request'] as const),
]);

function readConsole({ messages, dropped }: Record<string, unknown>): FromFrame | undefined {
  if (!Array.isArray(messages) || messages.length > maxMessages) return undefined;
  if (typeof dropped !== 'number' || !Number.isSafeInteger(dropped) || dropped < 0) {
    return undefined;
  }
  const read = messages.map((one: unknown): FrameMessage | undefined => {
    if (!isRecord(one) || !levels.has(one['level'])) return undefined;
    const { level, text } = one;
    if (typeof text !== 'string') return undefined;
    return { level: level as FrameMessage['level'], text: clipText(text, maxTextChars) };
  });
  const known = read.filter((one) => one !== undefined);
  return known.length === read.length ? { type: 'console', messages: known, dropped } : undefined;
}

/** A picture that is none is refused at once, because somebody waits for it. */
function readPicture(id: number, message: Record<string, unknown>): FromFrame {
  const { png } = message;
  const rest = readRest(message['rest']);
  const missing = readMissing(message['missing']);
  return typeof png === 'string' && png.length <= maxPictureChars && rest && missing
    ? { type: 'picture', id, png, rest, missing }
    : { type: 'refused', id, message: noPicture };
}

export const noPicture =
  'The page answered with no picture, or with one that is too large: its code interferes with the preview. Look at it by read instead.';

function readRest(value: unknown): PreviewRest | undefined {
  if (!isRecord(value)) return undefined;
  const { above, below, left, right } = value;
  return isCount(above) && isCount(below) && isCount(left) && isCount(right)
    ? { above, below, left, right }
    : undefined;
}

function readView(value: unknown): FrameView | undefined {
  const rest = readRest(value);
  if (!rest || !isRecord(value)) return undefined;
  const { width, height } = value;
  return isCount(width) && isCount(height) ? { ...rest, width, height } : undefined;
}

function readMissing(value: unknown): FramePicture['missing'] | undefined {
  if (!isRecord(value)) return undefined;
  const { videos, frames, canvases } = value;
  return isCount(videos) && isCount(frames) && isCount(canvases)
    ? { videos, frames, canvases }
    : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

// 4 million characters: a component is hardly longer than some thousand.
const maxCodeChars = 4_000_000;
const maxStyles = 100;
const languages: ReadonlySet<unknown> = new Set<CompiledComponent['language']>([
  ...(['js', 'jsx', 'ts', 'tsx'] as const),
]);

function readCompiled(id: number, message: Record<string, unknown>): FromFrame | undefined {
  const { path, code, language, styles } = message;
  const isText = (value: unknown): value is string =>
    typeof value === 'string' && value.length <= maxCodeChars;
  if (!isName(path) || !isText(code) || !languages.has(language)) return undefined;
  if (!Array.isArray(styles) || styles.length > maxStyles || !styles.every(isText))
    return undefined;
  return {
    ...{ type: 'compiled', id, path, code, styles },
    language: language as CompiledComponent['language'],
  };
}

function isWantedModule(value: unknown): value is WantedModule {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [specifier, importer, request] = value as unknown[];
  return isName(specifier) && isName(importer) && (request === 'import' || request === 'require');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxNameChars;
}
