// Node's readline over streams: reads lines of a file or of any other stream. There is no terminal
// input.
import type { Kernel, Signal } from '../kernel-type.ts';

/** Returns the module. */
export function addReadline(kernel: Kernel) {
  const EventEmitter = kernel.part('events') as any;
  const { StringDecoder } = kernel.part('string-decoder') as any;

  class Interface extends EventEmitter {
    readonly input;
    readonly output;
    closed = false;
    /** Lines that nobody has heard yet. The next questions get them. */
    #unheard: string[] = [];
    #questions: ((line: string) => void)[] = [];
    #prompt = '> ';
    #rest = '';
    #stop = () => {};
    constructor(input, output?) {
      super();
      this.input = input;
      this.output = output;
      const decoder = new StringDecoder('utf8');
      const hear = (chunk) => {
        this.#take(typeof chunk === 'string' ? chunk : decoder.write(chunk));
      };
      const end = () => {
        this.#take(decoder.end());
        if (this.#rest !== '') this.#hear(this.#rest.replace(/\r$/, ''));
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
      for (const line of lines) if (!this.closed) this.#hear(line);
    }
    #hear(line: string) {
      const answer = this.#questions.shift();
      if (answer) answer(line);
      else if (this.listenerCount('line') > 0) this.emit('line', line);
      else this.#unheard.push(line);
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
    setPrompt(text: unknown) {
      this.#prompt = String(text);
    }
    getPrompt() {
      return this.#prompt;
    }
    prompt() {
      this.output?.write(this.#prompt);
    }
    write() {}
    question(text: unknown, ...last: unknown[]) {
      const answer = last.pop() as (line: string) => void;
      if (this.input === (kernel.process as { stdin?: unknown }).stdin)
        throw kernel.coded(
          Error,
          'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
          "readline.question of process.stdin isn't available in this sandbox: nobody types here; pass the answer as a value, or a stream of lines as input",
        );
      if (this.closed && this.#unheard.length === 0)
        throw kernel.coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
      this.output?.write(String(text));
      const line = this.#unheard.shift();
      if (line === undefined) this.#questions.push(answer);
      else queueMicrotask(() => answer(line));
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

  class PromisesInterface extends Interface {
    override question(text: unknown, options?: { signal?: Signal }) {
      return new Promise<string>((resolve, reject) => {
        const stop = () => reject(options?.signal?.reason);
        if (options?.signal?.aborted) return stop();
        options?.signal?.addEventListener('abort', stop, { once: true });
        // Node's promise stays open. A cell would wait for it until its time is up.
        const closed = () =>
          reject(kernel.coded(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed'));
        // A line that came before the end is still an answer.
        this.once('close', () => queueMicrotask(closed));
        super.question(text, resolve);
      });
    }
  }

  const creates = (Made: typeof Interface) => (first, output?) => {
    const input = first?.input ?? first;
    if (typeof input?.on !== 'function')
      throw kernel.invalidType('input', 'an instance of Stream', input);
    return new Made(input, first?.output ?? output);
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
  const promises = { Interface: PromisesInterface, createInterface: creates(PromisesInterface) };
  return { Interface, createInterface: creates(Interface), ...screen, promises };
}
