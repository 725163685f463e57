// The frame's end of the connection to the host page: sends requests and handles actions.
import type {
  CompiledComponent,
  FoundModule,
  FromFrame,
  IsStill,
  ToFrame,
  WantedModule,
} from './messages.ts';

export type LoadedFile = Extract<ToFrame, { type: 'file' }>['file'];

export type AskedAction = Extract<ToFrame, { type: 'ask' }>;

export interface Link {
  tell(message: FromFrame): void;
  /** Resolves to one answer for each, in order. */
  findModules(wanted: readonly WantedModule[]): Promise<readonly FoundModule[]>;
  /** Resolves to a component's module, of the code that it was compiled to. */
  takeCompiled(path: string, compiled: CompiledComponent): Promise<FoundModule>;
  /** Resolves to undefined if there is no such file. */
  loadFile(url: string): Promise<LoadedFile>;
  /** Resolves to the reason if the address isn't opened. Never settles if it is. */
  follow(address: string, isPersons: boolean): Promise<string>;
  onAction(listener: (asked: AskedAction) => void): void;
}

// 1 000: the host page takes 2 000 at most. A package of icons imports more.
const maxWanted = 1_000;

export function createLink(): Link {
  const host = window.parent;
  let last = 0;
  const waiting = new Map<number, (answer: ToFrame) => void>();
  let hearAction: (asked: AskedAction) => void = () => undefined;
  const tell = (message: FromFrame) => host.postMessage(message, '*');
  const ask = (toQuestion: (id: number) => FromFrame) =>
    new Promise<ToFrame>((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      tell(toQuestion(last));
    });
  window.addEventListener('message', (event: MessageEvent<ToFrame | IsStill>) => {
    if (event.source !== host) return;
    // The message is Rockpool's; other messages are left to the app.
    event.stopImmediatePropagation();
    const { data } = event;
    if ('appFrame' in data) {
      host.postMessage(data, '*');
      return;
    }
    if (data.type === 'ask') {
      hearAction(data);
      return;
    }
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  return {
    tell,
    async findModules(wanted) {
      const found: FoundModule[] = [];
      for (let at = 0; at < wanted.length; at += maxWanted) {
        const some = wanted.slice(at, at + maxWanted);
        const answer = await ask((id) => ({ type: 'modules', id, wanted: some }));
        if (answer.type === 'modules') found.push(...answer.found);
      }
      return found;
    },
    async takeCompiled(path, compiled) {
      const answer = await ask((id) => ({ type: 'compiled', id, path, ...compiled }));
      const [found] = answer.type === 'modules' ? answer.found : [];
      return found ?? { type: 'none', message: `${path} wasn't compiled` };
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
