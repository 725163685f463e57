// What a session's object tells its owner's directory of its turns: kept in the object's own SQLite until the
// directory has heard it, so that a kill between the turn's end and the report loses neither.
import type { Usage } from '../../../core/messages.ts';
import type { DurableStorage, SqlValue } from '../../../workspace/drivers/do-sqlite.ts';
import type { DirectoryPort, TurnReport } from './session-directory.ts';

/** Made once an instance. */
export interface TurnReports {
  /** A request was made: it is part of the next turn that ends. `usd` is null where its price isn't known. */
  used(usage: Usage, usd: number | null): void;
  /** The turn ended by the journal's entry `n`; `bytes` are what the object stores. */
  ended(session: string, n: number, bytes: number): void;
  /** Tells what wasn't told yet, in order. Rejects where the directory can't be told: then try again later. */
  tell(): Promise<void>;
}

const schema = `CREATE TABLE IF NOT EXISTS rockpool_report (
  n INTEGER PRIMARY KEY, session TEXT NOT NULL, report TEXT NOT NULL)`;

/** No entry has it: the row of the turn that hasn't ended. */
const open = -1;

interface OpenTurn {
  readonly usage: Usage;
  readonly usd: number | null;
}

const nothing: OpenTurn = { usage: { input_tokens: 0, output_tokens: 0 }, usd: 0 };

/** Makes its table, and nothing else. */
export function createTurnReports(
  { sql }: Pick<DurableStorage, 'sql'>,
  directory: Pick<DirectoryPort, 'endTurn'>,
): TurnReports {
  const query = (text: string, ...values: SqlValue[]) => sql.exec(text, ...values).toArray();
  query(schema);
  let telling: Promise<void> | undefined;

  const readOpen = (): OpenTurn => {
    const [row] = query('SELECT report FROM rockpool_report WHERE n = ?', open);
    return row ? (JSON.parse(String(row['report'])) as OpenTurn) : nothing;
  };
  const write = (n: number, session: string, report: OpenTurn | TurnReport): void => {
    const text = JSON.stringify(report);
    query('INSERT OR REPLACE INTO rockpool_report VALUES (?, ?, ?)', n, session, text);
  };

  async function tellAll(): Promise<void> {
    for (;;) {
      const [row] = query(
        'SELECT n, report FROM rockpool_report WHERE n > ? ORDER BY n LIMIT 1',
        open,
      );
      if (!row) return;
      await directory.endTurn(JSON.parse(String(row['report'])) as TurnReport);
      query('DELETE FROM rockpool_report WHERE n = ?', Number(row['n']));
    }
  }

  return {
    used(usage, usd) {
      const turn = readOpen();
      write(open, '', {
        usage: add(turn.usage, usage),
        usd: turn.usd === null || usd === null ? null : turn.usd + usd,
      });
    },
    ended(session, n, bytes) {
      write(n, session, { session, n, bytes, ...readOpen() });
      query('DELETE FROM rockpool_report WHERE n = ?', open);
    },
    tell: () => (telling ??= tellAll().finally(() => (telling = undefined))),
  };
}

const counters = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** Those counters alone that a budget is made of. */
function add(sum: Usage, more: Usage): Usage {
  return Object.fromEntries(
    counters.map((name) => [name, (sum[name] ?? 0) + (more[name] ?? 0)]),
  ) as unknown as Usage;
}
