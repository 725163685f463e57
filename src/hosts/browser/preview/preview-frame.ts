// One page in two frames: the outer one is served with the host page and has no origin, the inner
// one has the document. Requests of the page are answered here, within limits. A page that exceeds
// them is discarded.
import { SdkError, messageOf } from '../../../core/errors.ts';
import type { PreviewMessage, PreviewSize } from '../../../core/host-ports/preview.ts';
import type { Clock } from '../../../core/tool/ports.ts';
import type { FrameAction, FromFrame, PictureWanted, ToFrame } from './frame/messages.ts';
import { mediaTypeOf, type AppFiles } from './app-files.ts';
import type { AppModules } from './app-modules.ts';
import { findLinked, type LinkedPage } from './find-linked.ts';
import { createStage } from './preview-stage.ts';
import { checkPicture, type CheckedPicture } from './check-picture.ts';
import { readFromFrame } from './read-from-frame.ts';

export interface PreviewFrameOptions {
  readonly container: Element;
  /** The URL of `app-frame.html`. */
  readonly frameUrl: string;
  /** The path of the HTML file, for screen readers. */
  readonly path: string;
  readonly html: string;
  /** The viewport at first. Left out: as large as the container. */
  readonly size: PreviewSize | undefined;
  readonly files: AppFiles;
  readonly modules: () => Promise<AppModules>;
  readonly clock: Clock;
  /** Console messages of the page. `dropped` is the number of messages that weren't sent. */
  onMessages(messages: readonly PreviewMessage[], dropped: number): void;
  /** Called when a person has clicked a link to another page. */
  onFollow(to: LinkedPage): void;
  /** Called when the page was discarded, with the reason. */
  onEnd(reason: SdkError): void;
}

export interface AskOptions {
  readonly atMostMs: number;
  /** Only what can be acted on is listed. */
  readonly isInteractive: boolean;
}

export interface PreviewFrame extends Disposable {
  /**
   * Rejects with an SdkError if the page was discarded: `limit-exceeded` if it didn't answer,
   * `tool-failed` if it navigated away.
   */
  ask(action: FrameAction, options: AskOptions): Promise<FramePage>;
  /** Returns the size of the viewport then. */
  resize(size: PreviewSize | undefined): PreviewSize;
  /** Rejects as `ask` does, and with `invalid-input` if the page can't be drawn. */
  takePicture(wanted: PictureWanted, atMostMs: number): Promise<CheckedPicture>;
}

type FramePage = Extract<FromFrame, { type: 'page' }>;
type FramePicture = Extract<FromFrame, { type: 'picture' }>;

/** An unanswered request. */
interface Asked {
  readonly message: ToFrame;
  resolve(answer: FramePage | FramePicture): void;
  reject(reason: SdkError): void;
}

// 1 000 a second: Rockpool's own code in the frame sends 20 batches of console messages, and one
// request for each level of modules and for each file.
const maxPerSecond = 1_000;
const secondMs = 1_000;
// 200: how many requests of a page may be open at once.
const maxOpen = 200;

export function createPreviewFrame(options: PreviewFrameOptions): PreviewFrame {
  const { container, path, html, files, clock } = options;
  const element = document.createElement('iframe');
  // Security: without `allow-same-origin` the frame has no origin, so no storage and no access to
  // this page. Without `allow-popups`, `allow-downloads` and `allow-top-navigation` it can't lead
  // elsewhere.
  element.setAttribute('sandbox', 'allow-scripts allow-forms');
  element.setAttribute('referrerpolicy', 'no-referrer');
  element.title = `Preview of ${path}`;
  element.src = options.frameUrl;

  let stage: 'loading' | 'starting' | 'started' | 'ended' = 'loading';
  let ended: SdkError | undefined;
  let last = 0;
  let open = 0;
  const asked = new Map<number, Asked>();
  const isOverPace = createPace(clock);

  // `*`, because a frame without an origin has no other target. The frame is Rockpool's until it
  // navigates, which its policy prevents.
  const post = (message: unknown) => element.contentWindow?.postMessage(message, '*');
  const tell = (message: ToFrame) => post(message);

  const hear = ({ source, data }: MessageEvent<unknown>) => {
    // Security: any window may send messages to this one.
    if (source === null || source !== element.contentWindow) return;
    if (stage === 'loading') {
      stage = 'starting';
      post({ html, title: element.title });
      return;
    }
    if (isOverPace()) {
      end(`sent more than ${maxPerSecond} messages in a second`);
      return;
    }
    const message = readFromFrame(data);
    // Other messages are the app's own, for a host page that it doesn't have here.
    if (message) take(message);
  };

  function take(message: FromFrame): void {
    switch (message.type) {
      case 'started':
        // A second one comes from a reloaded document.
        if (stage === 'started') fail(hasLeft());
        if (stage !== 'starting') return;
        stage = 'started';
        for (const { message } of asked.values()) tell(message);
        return;
      case 'left':
        fail(hasLeft());
        return;
      case 'console':
        options.onMessages(message.messages, message.dropped);
        return;
      case 'page':
      case 'picture':
        asked.get(message.id)?.resolve(message);
        return;
      case 'refused':
        asked.get(message.id)?.reject(new SdkError('invalid-input', message.message));
        return;
      case 'modules':
      case 'compiled':
      case 'file':
      case 'link':
        void answer(message);
    }
  }

  async function answer(
    message: Extract<FromFrame, { type: 'modules' | 'compiled' | 'file' | 'link' }>,
  ): Promise<void> {
    open += 1;
    if (open > maxOpen) {
      end(`asked for more than ${maxOpen} things at once`);
      return;
    }
    const { type, id } = message;
    try {
      if (type === 'file') tell({ type, id, ...(await loadFile(message.url)) });
      else if (type === 'link') {
        const { activeElement } = element.getRootNode() as Document | ShadowRoot;
        const isPersons = message.isPersons && activeElement === element;
        const linked = await findLinked(files, path, { ...message, isPersons });
        if ('refusal' in linked) tell({ type, id, message: linked.refusal });
        else options.onFollow(linked);
      } else if (type === 'compiled') {
        const modules = await options.modules();
        tell({ type: 'modules', id, found: [await modules.take(message)] });
      } else {
        const modules = await options.modules();
        const found = [];
        for (const wanted of message.wanted) found.push(await modules.find(wanted));
        tell({ type, id, found });
      }
    } catch (error) {
      // An error of the workspace, or of loading Rockpool's own code. The page can't continue.
      fail(toSdkError(error));
    } finally {
      open -= 1;
    }
  }

  async function loadFile(url: string): Promise<Pick<Extract<ToFrame, { type: 'file' }>, 'file'>> {
    const found = await files.find(url, path);
    if (found === undefined) return {};
    const bytes = new Uint8Array(await files.read(found));
    return { file: { bytes, mediaType: mediaTypeOf(found) } };
  }

  function hasLeft(): SdkError {
    return new SdkError(
      'tool-failed',
      'The page left its document, and a preview has no other for it: its code set location, reloaded, sent a form, wrote the document anew, or stopped the click on a link without preventing its default. Mend that, and open the page again.',
      { data: { path } },
    );
  }

  function end(why: string): void {
    fail(
      new SdkError(
        'limit-exceeded',
        `The page ${why}, and was thrown away. Look for an endless loop, mend it, and open the page again.`,
        { data: { path } },
      ),
    );
  }

  function fail(reason: SdkError): void {
    if (stage === 'ended') return;
    release(reason);
    options.onEnd(reason);
  }

  function release(reason: SdkError): void {
    stage = 'ended';
    ended = reason;
    window.removeEventListener('message', hear);
    shown[Symbol.dispose]();
    for (const { reject } of asked.values()) reject(reason);
  }

  /** Sent once the page has started. */
  function ask(
    action: FrameAction,
    { atMostMs, isInteractive }: AskOptions,
  ): Promise<FramePage | FramePicture> {
    return new Promise((resolve, reject) => {
      if (ended) {
        reject(ended);
        return;
      }
      last += 1;
      const id = last;
      const deadline = clock.after(atMostMs, () =>
        end(`didn't answer within ${atMostMs / secondMs} s`),
      );
      const settle = () => {
        asked.delete(id);
        deadline[Symbol.dispose]();
      };
      const message = { type: 'ask', id, action, isInteractive } as const;
      asked.set(id, {
        message,
        resolve: (answer) => (settle(), resolve(answer)),
        reject: (reason) => (settle(), reject(reason)),
      });
      if (stage === 'started') tell(message);
    });
  }

  window.addEventListener('message', hear);
  const shown = createStage(container, element, options.size);

  return {
    async ask(action, given) {
      const answer = await ask(action, given);
      if (answer.type === 'page') return answer;
      throw new SdkError('invalid-input', otherAnswer);
    },
    resize: (size) => shown.resize(size),
    async takePicture(wanted, atMostMs) {
      const action = { ...wanted, type: 'screenshot' } as const;
      const answer = await ask(action, { atMostMs, isInteractive: false });
      return checkPicture(answer.type === 'picture' ? answer : undefined);
    },
    [Symbol.dispose]() {
      if (stage === 'ended') return;
      release(new SdkError('aborted', 'The page was closed.', { data: { path } }));
    },
  };
}

const otherAnswer =
  'The page answered something else than was asked: its code interferes with the preview. Mend that, and open the page again.';

/** Returns true from the first message that exceeds the limit of its second. */
function createPace(clock: Clock): () => boolean {
  let beganAt = clock.now();
  let count = 0;
  return () => {
    const now = clock.now();
    if (now - beganAt >= secondMs || now < beganAt) {
      beganAt = now;
      count = 0;
    }
    count += 1;
    return count > maxPerSecond;
  };
}

export function toSdkError(error: unknown): SdkError {
  if (SdkError.isInstance(error)) return error;
  const message = messageOf(error);
  return new SdkError('tool-failed', `The page couldn't be loaded: ${message}`, { cause: error });
}
