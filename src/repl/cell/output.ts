// The output of a cell, within bounds: its start and its end, and how much is missing between them.
// While the cell runs, new output goes out in batches, for people to watch, or for a reader of each
// line.
import { maxToldChars } from '../../core/tool/result-limits.ts';

/** Text of any length of which at most about `maxChars` are kept. */
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
    // Twice the half before it is cut, so that many small pieces don't each copy the tail.
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

/** Cuts a text at its end, and says how much is missing. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)}... [${text.length - maxChars} characters left out]`;
}

export interface OutputPiece {
  readonly stdout?: string;
  readonly stderr?: string;
}

// 10 times a second: as often as a person sees text change.
const batchMs = 100;

/** Limits of the output that leaves a running cell. */
export interface LiveLimits {
  /** The most characters of one batch; the middle is left out. */
  readonly batchChars: number;
  /** The most characters in all; the rest is left out. */
  readonly chars: number;
}

// Two screens: nobody reads more in that time, and a page that shows it stays free.
const shownBatchChars = 4_000;

/**
 * Limits for people who watch: a flood of output must not become a flood of messages. `maxChars`:
 * of the whole output.
 */
const shownLive = (maxChars: number): LiveLimits => ({
  batchChars: shownBatchChars,
  chars: maxChars,
});

/**
 * Limits for a file and for the model, which get each line. One character more than a task may
 * print, so that it is stopped for it.
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

  /** Sends what waits. */
  flush(): void {
    const stdout = this.#toLive(this.#pending.stdout.toString());
    const stderr = this.#toLive(this.#pending.stderr.toString());
    if (stdout === '' && stderr === '') return;
    this.#pending = emptyBatch(this.#batchChars);
    this.#lastSent = this.#now();
    this.#onOutput({ ...(stdout !== '' && { stdout }), ...(stderr !== '' && { stderr }) });
  }

  /** The part of the text that may still be shown, with a note if it is the last. */
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
