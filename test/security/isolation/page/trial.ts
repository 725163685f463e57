// One trial of an attack, as plain data between the test in Node and its page.
import type { Weakness } from './weakness.ts';

/** Where an attack would like to get. The cells have it as the variable `lures`. */
export interface Lures {
  /** Origins of the listener that no rule allows; the same server, by another name. */
  readonly http: string;
  readonly httpByName: string;
  readonly httpByIpv6: string;
  readonly httpByMappedIpv6: string;
  readonly port: number;
  readonly udpPort: number;
  /** Origin of a server that a rule allows. `/redirect` leads to the other one. */
  readonly allowed: string;
  /** A path of the page's own server. */
  readonly own: string;
}

export interface TrialCell {
  readonly code: string;
  readonly timeout: number;
}

export interface Trial {
  /** Of this attack's conversations alone. */
  readonly sessionId: string;
  readonly cells: readonly TrialCell[];
  /** Cells of another conversation on the same page, before and after the attack. */
  readonly before: readonly TrialCell[];
  readonly after: readonly TrialCell[];
  readonly lures: Lures;
  /** How long each conversation may take, in milliseconds. */
  readonly boundMs: number;
}

export interface TrialReport {
  /** What the model is told of the attack's cells, and of the other conversation's, one a cell. */
  readonly answers: readonly string[];
  /** The answer to a plain cell that follows the attack in its conversation; undefined: none came. */
  readonly next: string | undefined;
  /** The longest time in which the page could do nothing. */
  readonly blockedMs: number;
}

/** What a test finds at `window.isolationPage`. */
export interface IsolationPage {
  /**
   * Plants what is worth an attack, opens a host and runs a plain cell in it. Closes the one that it
   * had opened before.
   */
  open(weakness: Weakness | undefined, lures: Lures): Promise<void>;
  /** What may have been taken or changed by an attack before is there again. */
  prepare(): Promise<void>;
  /** Does a plain cell in a conversation of its own still answer soon? */
  isWell(): Promise<boolean>;
  run(trial: Trial): Promise<TrialReport>;
  /** What of the page a cell could have touched: equal texts, untouched. */
  state(): Promise<Record<string, string>>;
  /** Files that no cell may change, by path, with what they hold. */
  guardedFiles(): Promise<Record<string, string>>;
}

declare global {
  interface Window {
    isolationPage?: IsolationPage;
  }
}
