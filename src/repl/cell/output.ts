// The output of a cell within limits: its beginning and end, and how much is missing in between.
// While the cell runs, new output is sent in batches, for people who watch or for a reader of each
// line.
import { maxToldChars } from '../../core/tool/result-limits.ts';

/** A text of any length, of which about `maxChars` characters are kept. */
export class BoundedText {
  readonly #half: number;
  #head = '';
  #tail = '';
  #leftOut = 0;

  constructor(maxChars: number) {
    this.#half = Math.max(1, Math.floor(maxChars / 2));
  }

  append(text: string): void {
    const room = this.#half - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Cut only at twice the size, so that many small pieces don't copy the tail each time.
    if (this.#tail.length > this.#half * 2) this.#trim();
  }

  #trim(): void {
    const excess = this.#tail.length - this.#half;
    if (excess <= 0) return;
    this.#leftOut += excess;
    this.#tail = this.#tail.slice(excess);
  }

  toString(): string {
    this.#trim();
    if (this.#leftOut === 0) return this.#head + this.#tail;
    return `${this.#head}\n... [${this.#leftOut} characters left out] ...\n${this.#tail}`;
  }
}

/** Cuts a text at its end and adds how much is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)}... [${text.length - maxChars} characters left out]`;
}

export interface OutputPiece {
  readonly stdout?: string;
  readonly stderr?: string;
}

// 100 ms: ten updates a second are as many as a person can see.
const batchMs = 100;

/** Limits of the output that is sent while a cell runs. */
export interface LiveLimits {
  /** The most characters in one batch. The middle is left out. */
  readonly batchChars: number;
  /** The most characters in total. The rest is left out. */
  readonly chars: number;
}

// 4 000: two screens. A person reads no more in that time, and the page that shows it stays
// responsive.
const shownBatchChars = 4_000;

/**
 * Limits for people who watch, because much output must not become many messages. `maxChars` is the
 * limit of the whole output.
 */
const shownLive = (maxChars: number): LiveLimits => ({
  batchChars: shownBatchChars,
  chars: maxChars,
});

/**
 * Limits for a file and for the model, which get each line. One more character than a task may
 * print, so that the task is stopped.
 */
export const toldLive: LiveLimits = { batchChars: maxToldChars + 1, chars: maxToldChars + 1 };

const endNote = '\n... [more output follows]\n';

/** One cell's stdout and stderr. */
export class CellOutput {
  readonly stdout: BoundedText;
  readonly stderr: BoundedText;
  readonly #now: () => number;
  readonly #onOutput: (piece: OutputPiece) => void;
  readonly #batchChars: number;
  /** The characters that may still go out while the cell runs. */
  #liveChars: number;
  #pending: ReturnType<typeof emptyBatch>;
  #lastSent = 0;

  constructor(
    maxChars: number,
    now: () => number,
    onOutput: (piece: OutputPiece) => void,
    live = shownLive(maxChars),
  ) {
    this.stdout = new BoundedText(maxChars);
    this.stderr = new BoundedText(maxChars);
    this.#batchChars = live.batchChars;
    this.#liveChars = live.chars;
    this.#pending = emptyBatch(live.batchChars);
    this.#now = now;
    this.#onOutput = onOutput;
  }

  write(stream: 'stdout' | 'stderr', text: string): void {
    this[stream].append(text);
    if (this.#liveChars <= 0) return;
    this.#pending[stream].append(text);
    if (this.#now() - this.#lastSent >= batchMs) this.flush();
  }

  /** Sends the output that waits. */
  flush(): void {
    const stdout = this.#toLive(this.#pending.stdout.toString());
    const stderr = this.#toLive(this.#pending.stderr.toString());
    if (stdout === '' && stderr === '') return;
    this.#pending = emptyBatch(this.#batchChars);
    this.#lastSent = this.#now();
    this.#onOutput({ ...(stdout !== '' && { stdout }), ...(stderr !== '' && { stderr }) });
  }

  /** Returns the part of the text that may still be sent. Adds a note if it is the last part. */
  #toLive(text: string): string {
    if (text === '' || this.#liveChars <= 0) return '';
    const shown = text.slice(0, this.#liveChars);
    this.#liveChars -= text.length;
    return this.#liveChars > 0 ? shown : shown + endNote;
  }
}

function emptyBatch(maxChars: number): Readonly<Record<'stdout' | 'stderr', BoundedText>> {
  return { stdout: new BoundedText(maxChars), stderr: new BoundedText(maxChars) };
}
