// The dialog of MCP servers: a list with what each offers and a switch, and a form for another server. The entries
// stay in memory, because headers may hold a token.
import { useCallback, useEffect, useId, useState } from 'react';
import type { FormEvent } from 'react';
import type { McpHttpServerConfig, McpServerStatus } from 'rockpool/mcp';
import { useModal } from '../layout/use-modal.ts';
import { messageOf } from '../message-of.ts';
import type { Conversation } from './conversation.ts';

export interface ServersDialogProps {
  readonly session: Conversation;
  readonly onClose: () => void;
}

type Servers = Readonly<Record<string, McpHttpServerConfig>>;

// 1 s: soon enough for a person who watches the list.
const pollMs = 1_000;

export function ServersDialog({ session, onClose }: ServersDialogProps) {
  const dialogRef = useModal();
  const titleId = useId();
  const [statuses, setStatuses] = useState<readonly McpServerStatus[]>([]);
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const look = useCallback(async () => setStatuses(await session.servers.status()), [session]);
  useEffect(() => {
    const again = () => void look().catch(() => undefined);
    again();
    const timer = setInterval(again, pollMs);
    return () => clearInterval(timer);
  }, [look]);
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setProblem('');
    setIsBusy(true);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(messageOf(error));
      return false;
    } finally {
      setIsBusy(false);
      await look().catch(() => undefined);
    }
  };
  return (
    <dialog
      ref={dialogRef}
      className="dialog servers-dialog"
      aria-labelledby={titleId}
      onClose={onClose}
    >
      <h2 id={titleId}>MCP servers</h2>
      {statuses.length === 0 ? (
        <p className="hint">
          There are none. Their tools, resources and prompts would be the agent’s.
        </p>
      ) : (
        <ul className="servers">
          {statuses.map((status) => (
            <ServerRow
              key={status.name}
              status={status}
              session={session}
              isBusy={isBusy}
              run={run}
            />
          ))}
        </ul>
      )}
      <AddForm
        isBusy={isBusy}
        onAdd={(name, config) => run(() => session.servers.add({ [name]: config }))}
      />
      <p className="bar bar-danger" role="alert" hidden={problem === ''}>
        {problem}
      </p>
      <div className="dialog-actions">
        <button type="button" onClick={() => dialogRef.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}

const words: Readonly<Record<McpServerStatus['status'], string>> = {
  connected: 'connected',
  disabled: 'switched off',
  failed: 'failed',
  'needs-auth': 'wants a login',
  pending: 'connecting…',
};

interface ServerRowProps {
  readonly status: McpServerStatus;
  readonly session: Conversation;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

function ServerRow({ status, session, isBusy, run }: ServerRowProps) {
  const { name, tools = [], error } = status;
  const isOn = status.status !== 'disabled';
  return (
    <li className="server" data-status={status.status}>
      <div className="server-line">
        <strong>{name}</strong>
        <span className="server-status" role="status">
          {words[status.status]}
        </span>
        {status.status === 'needs-auth' && (
          <button
            type="button"
            className="primary"
            aria-disabled={isBusy}
            aria-label={`Log in to ${name}`}
            onClick={() => void run(() => session.servers.logIn(name))}
          >
            Log in…
          </button>
        )}
        <button
          type="button"
          role="switch"
          aria-checked={isOn}
          aria-label={name}
          aria-disabled={isBusy}
          onClick={() => void run(() => session.servers.toggle(name, !isOn))}
        >
          <span aria-hidden="true">{isOn ? 'On' : 'Off'}</span>
        </button>
        <button
          type="button"
          disabled={!isOn}
          aria-disabled={isBusy}
          aria-label={`Reconnect ${name}`}
          onClick={() => void run(() => session.servers.reconnect(name))}
        >
          Reconnect
        </button>
      </div>
      {error !== undefined && <p className="server-error">{error}</p>}
      {tools.length > 0 && (
        <details>
          <summary>{tools.length === 1 ? '1 tool' : `${tools.length} tools`}</summary>
          <ul className="server-tools">
            {tools.map((tool) => (
              <li key={tool.name}>
                <code>{tool.name}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

const emptyForm = { name: '', url: '', headers: '' };

/** The form's text that isn't submitted yet. Closing the dialog must not lose it. */
let writtenForm = emptyForm;

interface AddFormProps {
  readonly isBusy: boolean;
  readonly onAdd: (name: string, config: Servers[string]) => Promise<boolean>;
}

function AddForm({ isBusy, onAdd }: AddFormProps) {
  const id = useId();
  const [form, setForm] = useState(writtenForm);
  const { name, url, headers } = form;
  const write = (next: Partial<typeof form>) => {
    writtenForm = { ...form, ...next };
    setForm(writtenForm);
  };
  const [wrong, setWrong] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const read = readHeaders(headers);
    setWrong(typeof read === 'string' ? read : '');
    if (typeof read === 'string') return;
    if (!(await onAdd(name.trim(), { type: 'http', url: url.trim(), headers: read }))) return;
    write(emptyForm);
  };
  return (
    <form className="server-form" onSubmit={(event) => void submit(event)}>
      <h3>Add a server</h3>
      <label htmlFor={`${id}-name`}>Name</label>
      <input
        id={`${id}-name`}
        value={name}
        required
        placeholder="wiki"
        onChange={(event) => write({ name: event.target.value })}
      />
      <label htmlFor={`${id}-url`}>Address</label>
      <input
        id={`${id}-url`}
        type="url"
        value={url}
        required
        placeholder="https://mcp.example.com/mcp"
        onChange={(event) => write({ url: event.target.value })}
      />
      <label htmlFor={`${id}-headers`}>Headers, one a line, if it needs some</label>
      <textarea
        id={`${id}-headers`}
        value={headers}
        rows={2}
        spellCheck={false}
        autoComplete="off"
        placeholder="Authorization: Bearer …"
        aria-describedby={`${id}-note`}
        onChange={(event) => write({ headers: event.target.value })}
      />
      <p id={`${id}-note`} className="hint">
        The server must allow requests from this page (CORS). Headers stay in memory.
      </p>
      <p className="bar bar-danger" role="alert" hidden={wrong === ''}>
        {wrong}
      </p>
      <button type="submit" className="primary" aria-disabled={isBusy}>
        Add
      </button>
    </form>
  );
}

/** The headers, or a sentence if a line isn't a header. */
function readHeaders(text: string): Readonly<Record<string, string>> | string {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const { name, value } =
      /^\s*(?<name>[\w!#$%&'*+.^`|~-]+)\s*:\s*(?<value>.+?)\s*$/u.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined) {
      return `"${line.slice(0, 20)}" is no header. Write "Name: value".`;
    }
    headers[name] = value;
  }
  return headers;
}
