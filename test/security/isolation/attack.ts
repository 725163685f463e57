// An attack, as the tables in attacks/ list them.
import type { Weakness } from './page/weakness.ts';

/** What an attack can come to, as it is seen from outside. */
export type Harm =
  /** A listener heard something, or the allowed server was told what it must not know. */
  | 'network'
  /** The page's storage, or anything else of the page, is not as before. */
  | 'page'
  /** The page's or a worker's globals or built-ins are not as before. */
  | 'realm'
  /** A file that no cell may change is not as before. */
  | 'files'
  /** A word was learnt that begins with `secret-of-`. */
  | 'secret'
  /** The page could do nothing for more than 500 ms. */
  | 'blocked'
  /** The browser's processes took more memory than the session may have, by far. */
  | 'memory'
  /** The next cell doesn't answer, or not with the session's variable. */
  | 'stuck'
  /** The attack says itself that it got what it wanted: what only the cell can see. */
  | 'claimed';

/** Something that an attack did, and what is known of it. */
export interface Damage {
  readonly harm: Harm;
  readonly detail: string;
}

export interface Attack {
  readonly name: string;
  /** One cell, or several of one conversation. `lures` and `kept` are there; see page/trial.ts. */
  readonly cells: string | readonly string[];
  /** The wall without which it succeeds. */
  readonly without: Weakness;
  readonly harm: Harm;
  /** Cells of another conversation, before and after it. */
  readonly before?: string;
  readonly after?: string;
  /** Milliseconds that each of its cells has. @defaultValue 5000 */
  readonly timeout?: number;
}

/** What an attack prints or returns where it succeeded in a way that only it can see. */
export const claim = 'ATTACK SUCCEEDED';

/** The same as an expression which doesn't contain it: an error shows its line of source. */
export const claiming = "('ATTACK ' + 'SUCCEEDED')";
