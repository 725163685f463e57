// What the tables of cells are made of: sessions of cells, each with what must come of it in every
// runtime.

/** The last value's text, nothing (`undefined`), or more about the cell. */
export type CellOutcome = string | undefined | CellExpectation;

export interface CellExpectation {
  readonly value?: string;
  /** The name of the error that ends the cell; `Error` for what is none. */
  readonly throws?: string;
  readonly message?: string;
  readonly line?: number;
  readonly stdout?: string;
  /** All files below the working directory from now on. Cells without it leave them as they were. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface CellSession {
  readonly title: string;
  readonly cells: readonly (readonly [code: string, outcome: CellOutcome])[];
  /** In the working directory from the start. */
  readonly files: Readonly<Record<string, string>>;
  /** Is it JavaScript as such, so that V8's own REPL gives the same? */
  readonly isPlain: boolean;
}

/** Cells of which every JavaScript console makes the same. */
export function plain(title: string, cells: CellSession['cells']): CellSession {
  return { title, cells, files: {}, isPlain: true };
}

/** Cells of which no other console makes quite the same. */
export function own(
  title: string,
  cells: CellSession['cells'],
  files: CellSession['files'] = {},
): CellSession {
  return { title, cells, files, isPlain: false };
}

export function throws(name: string, more: Omit<CellExpectation, 'throws'> = {}): CellExpectation {
  return { throws: name, ...more };
}
