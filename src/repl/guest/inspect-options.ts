/** What `util.inspect` takes. */
export interface InspectOptions {
  readonly depth?: number | null;
  readonly breakLength?: number;
  readonly maxArrayLength?: number | null;
  readonly maxStringLength?: number | null;
  /** False: each part is on a line of its own. */
  readonly compact?: unknown;
  /** Whether getters are called: 'get' calls those without a setter, 'set' those with one. */
  readonly getters?: boolean | 'get' | 'set';
  readonly showHidden?: boolean;
  /** Ours: what has markup is shown as it. */
  readonly markup?: boolean;
  readonly sorted?: boolean | ((one, other) => number);
}
