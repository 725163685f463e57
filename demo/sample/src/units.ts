/** One unit of time. */
export interface Unit {
  readonly symbol: string;
  /** All the names that are understood, the plural ones too. */
  readonly names: readonly string[];
  readonly milliseconds: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The largest first. Months and years are left out: they have no fixed length. */
export const units: readonly Unit[] = [
  { symbol: 'w', names: ['w', 'wk', 'week', 'weeks'], milliseconds: 7 * day },
  { symbol: 'd', names: ['d', 'day', 'days'], milliseconds: day },
  { symbol: 'h', names: ['h', 'hr', 'hour', 'hours'], milliseconds: hour },
  { symbol: 'm', names: ['m', 'min', 'minute', 'minutes'], milliseconds: minute },
  { symbol: 's', names: ['s', 'sec', 'second', 'seconds'], milliseconds: second },
  { symbol: 'ms', names: ['ms', 'millisecond', 'milliseconds'], milliseconds: 1 },
];

const byName = new Map(units.flatMap((unit) => unit.names.map((name) => [name, unit] as const)));

/** The unit of a name, in any case; undefined for a name that isn't known. */
export function findUnit(name: string): Unit | undefined {
  return byName.get(name.toLowerCase());
}
