// Node's readline over streams: reads lines of a file or of any other stream. There is no terminal
// input.
import type { Kernel } from '../kernel-type.ts';

/** Returns the module. */
export function addReadline(kernel: Kernel) {
  const EventEmitter = kernel.part('events') as any;
  const { StringDecoder } = kernel.part('string-decoder') as any;

  class Interface extends EventEmitter {
    readonly input;
    closed = false;
    #rest = '';
    #stop = () => {};
    constructor(input) {
      super();
      this.input = input;
      const decoder = new StringDecoder('utf8');
      const hear = (chunk) => {
        this.#take(typeof chunk === 'string' ? chunk : decoder.write(chunk));
      };
      const end = () => {
        this.#take(decoder.end());
        if (this.#rest !== '') this.emit('line', this.#rest.replace(/\r$/, ''));
        this.#rest = '';
        this.close();
      };
      const fail = (error) => {
        if (this.listenerCount('error') > 0) this.emit('error', error);
        this.close();
      };
      input.on('data', hear);
      input.on('end', end);
      input.on('error', fail);
      this.#stop = () => {
        input.off('data', hear);
        input.off('end', end);
        input.off('error', fail);
      };
      input.resume?.();
    }
    #take(text: string) {
      // A '\r' at the end may be the first half of a line end.
      const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
      this.#rest = lines.pop() as string;
      for (const line of lines) if (!this.closed) this.emit('line', line);
    }
    close() {
      if (this.closed) return;
      this.closed = true;
      this.#stop();
      this.input.pause?.();
      this.emit('close');
    }
    pause() {
      this.input.pause();
      this.emit('pause');
      return this;
    }
    resume() {
      this.input.resume();
      this.emit('resume');
      return this;
    }
    setPrompt() {}
    prompt() {}
    question(): never {
      throw kernel.coded(
        Error,
        'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        "readline.question isn't available in this sandbox: nobody types here; pass the answer as a value",
      );
    }
    async *[Symbol.asyncIterator]() {
      const lines: string[] = [];
      let wake = () => {};
      let failure: unknown;
      const hear = (line) => {
        lines.push(line);
        wake();
      };
      const end = () => wake();
      const fail = (error) => {
        failure = error;
        wake();
      };
      this.on('line', hear);
      this.on('close', end);
      this.input.on('error', fail);
      try {
        for (;;) {
          if (lines.length > 0) yield lines.shift();
          else if (failure) throw failure;
          else if (this.closed) return;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        this.off('line', hear);
        this.off('close', end);
        this.close();
      }
    }
  }

  const createInterface = (first) => {
    const input = first?.input ?? first;
    if (typeof input?.on !== 'function')
      throw kernel.invalidType('input', 'an instance of Stream', input);
    return new Interface(input);
  };
  const nothing = (...args) => {
    args.findLast((value) => typeof value === 'function')?.();
    return true;
  };
  const screen = {
    clearLine: nothing,
    clearScreenDown: nothing,
    cursorTo: nothing,
    moveCursor: nothing,
    emitKeypressEvents: () => {},
  };
  return { Interface, createInterface, ...screen, promises: { Interface, createInterface } };
}
