// The frame's end of the line: what it asks has an answer, and what it is asked is heard.
import type {
  FoundModule,
  FrameAction,
  FromFrame,
  IsStill,
  ToFrame,
  WantedModule,
} from './messages.ts';

export type LoadedFile = Extract<ToFrame, { type: 'file' }>['file'];

export interface Link {
  tell(message: FromFrame): void;
  /** An answer for each, in their order. */
  findModules(wanted: readonly WantedModule[]): Promise<readonly FoundModule[]>;
  /** Undefined where there is none. */
  loadFile(url: string): Promise<LoadedFile>;
  /** Why the page around it doesn't open where the address leads. Never settles where it does. */
  follow(address: string, isPersons: boolean): Promise<string>;
  onAction(listener: (id: number, action: FrameAction) => void): void;
}

export function createLink(): Link {
  const host = window.parent;
  let last = 0;
  const waiting = new Map<number, (answer: ToFrame) => void>();
  let hearAction: (id: number, action: FrameAction) => void = () => undefined;
  const tell = (message: FromFrame) => host.postMessage(message, '*');
  const ask = (toQuestion: (id: number) => FromFrame) =>
    new Promise<ToFrame>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      tell(toQuestion(last));
    });
  window.addEventListener('message', (event: MessageEvent<ToFrame | IsStill>) => {
    if (event.source !== host) return;
    // It is ours alone: the app in the frame has its own messages.
    event.stopImmediatePropagation();
    const { data } = event;
    if ('appFrame' in data) {
      host.postMessage(data, '*');
      return;
    }
    if (data.type === 'ask') {
      hearAction(data.id, data.action);
      return;
    }
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  return {
    tell,
    async findModules(wanted) {
      const answer = await ask((id) => ({ type: 'modules', id, wanted }));
      return answer.type === 'modules' ? answer.found : [];
    },
    async loadFile(url) {
      const answer = await ask((id) => ({ type: 'file', id, url }));
      return answer.type === 'file' ? answer.file : undefined;
    },
    async follow(address, isPersons) {
      const answer = await ask((id) => ({ type: 'link', id, address, isPersons }));
      return answer.type === 'link' ? answer.message : '';
    },
    onAction: (listener) => (hearAction = listener),
  };
}
