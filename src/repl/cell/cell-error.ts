// Why a cell failed, as it is shown to the model: one text for each limit, and the guest's own
// errors with the cell's line.
import { SdkError } from '../../core/errors.ts';
import type { VmError } from '../vm/engine.ts';
import type { GuestOutcome } from '../session/guest-state.ts';
import type { VariableSize } from '../session/largest-variables.ts';
import type { CellLimits } from '../vm/limits.ts';
import { CodeSyntaxError } from '../syntax/parse.ts';

/** An error of a cell, as plain data. */
export interface CellError {
  readonly name: string;
  readonly message: string;
  /** The line in the cell's code, from 1. */
  readonly line?: number;
  readonly stack?: string;
}

export type CellFailureKind =
  | 'thrown'
  | 'timeout'
  | 'out-of-steps'
  | 'aborted'
  | 'absent-file'
  | 'out-of-memory'
  | 'stack-overflow'
  | 'crashed';

/** Thrown to end a cell and roll it back. Never leaves the session. */
export class CellFailure extends Error {
  readonly kind: CellFailureKind;
  readonly shown: CellError;

  constructor(kind: CellFailureKind, shown: CellError) {
    super(shown.message);
    this.name = 'CellFailure';
    this.kind = kind;
    this.shown = shown;
  }

  /** The cell was aborted from outside. */
  static aborted(): CellFailure {
    return new CellFailure('aborted', { name: 'AbortError', message: 'The cell was stopped.' });
  }

  /**
   * The cell has read a file that must be fetched from a bucket first, but can't be run again,
   * because it has called a tool or the network.
   */
  static absentFile(): CellFailure {
    return new CellFailure('absent-file', {
      name: 'AbsentFileError',
      message:
        'The cell read a large file that is kept in a bucket, and was rolled back. It would have been run again when ' +
        'the file was there, but it had called a tool or the network before, which would be done twice. The file is ' +
        'here now. Run the cell again if that may be done twice, or read the file first, in a cell of its own.',
    });
  }

  static outOfSteps(limits: CellLimits): CellFailure {
    return new CellFailure('out-of-steps', {
      name: 'StepLimitError',
      message:
        `The cell was cut after ${limits.maxSteps} steps of computing, which is all that this ` +
        'place gives to one. Give it less to do, or spread the work over several cells.',
    });
  }

  /** The cell's time is up. */
  static timedOut(limits: CellLimits): CellFailure {
    return new CellFailure('timeout', {
      name: 'TimeoutError',
      message:
        `The cell was cut after ${limits.timeoutMs} ms. ` +
        'Give it a larger timeout, or less to do.',
    });
  }

  /** `largest` has the variables that filled the memory. */
  static outOfMemory(limits: CellLimits, largest: readonly VariableSize[] = []): CellFailure {
    return new CellFailure('out-of-memory', {
      name: 'OutOfMemoryError',
      message:
        `The cell needed more memory than the sandbox has (${toMegabytes(limits.maxMemoryBytes)} for ` +
        `all of the session's variables). ${tellLargest(largest)}`,
    });
  }

  /** The cell ended, but has left too little memory for the next one. */
  static leftFull(limits: CellLimits, largest: readonly VariableSize[]): CellFailure {
    return new CellFailure('out-of-memory', {
      name: 'OutOfMemoryError',
      message:
        'The cell would have left no memory for a next one (the sandbox has ' +
        `${toMegabytes(limits.maxMemoryBytes)} for all of the session's variables). ${tellLargest(largest)}`,
    });
  }

  /** The engine has failed. */
  static fromVmError(error: VmError, limits: CellLimits): CellFailure {
    switch (error.failure) {
      case 'out-of-memory':
        return CellFailure.outOfMemory(limits);
      case 'stack-overflow':
        return new CellFailure('stack-overflow', {
          name: 'RangeError',
          message: 'The cell recursed too deeply (maximum call stack size exceeded).',
        });
      case 'interrupted':
      case 'crashed':
        return new CellFailure('crashed', {
          name: 'Error',
          message: `The sandbox broke down while it ran the cell: ${error.message.replace(/\.$/u, '')}.`,
        });
      case 'thrown':
        return new CellFailure('thrown', {
          name: error.guestName,
          message: error.message,
        });
    }
  }
}

function toMegabytes(bytes: number): string {
  const megabytes = bytes / (1024 * 1024);
  return `${megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes)} MB`;
}

function tellLargest(largest: readonly VariableSize[]): string {
  if (largest.length === 0) {
    return "None of the session's variables is large: the cell's own work is. Do it in smaller pieces.";
  }
  const list = largest.map(({ name, bytes }) => `${name} (about ${toMegabytes(bytes)})`).join(', ');
  return `The largest variables were then ${list}. Keep less in them, or set to undefined what isn't needed.`;
}

/** Converts the error that the cell threw. `name` is the cell's name in stack traces. */
export function toCellError(outcome: GuestOutcome, name: string): CellError {
  // The engine reports line 0 for initializers of class fields. The frame below has the line.
  const at = new RegExp(`\\b${name}:([1-9]\\d*)`, 'u').exec(outcome.stack);
  const stack = [outcome.stack, outcome.display ?? ''].filter((text) => text !== '').join('\n');
  return {
    name: outcome.name,
    message: outcome.message,
    ...(at && { line: Number(at[1]) }),
    ...(stack !== '' && { stack }),
  };
}

/**
 * Code that can't be run at all: with its line, and a caret below it. Or its classes can't be understood, as the
 * project's configuration can't be read. Throws every other error again.
 */
export function toSyntaxCellError(error: unknown): CellError {
  if (SdkError.isInstance(error) && error.name === 'SyntaxError') {
    return { name: error.name, message: error.message };
  }
  if (!(error instanceof CodeSyntaxError)) throw error;
  const { message, line, column, frame } = error;
  return { name: 'SyntaxError', message: `${message} (${line}:${column})\n${frame}`, line };
}
