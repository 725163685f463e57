// The bar above the prompt field with the MCP servers that require a login. Each has a button to log in and one to
// skip it.
import { useEffect, useState } from 'react';
import { focusRegion } from '../layout/use-regions.ts';
import { messageOf } from '../message-of.ts';
import type { ServerControl } from './conversation.ts';

// 2 s: soon enough for a person who looks at the bar.
const pollMs = 2_000;

export function LoginBar({ servers }: { readonly servers: ServerControl }) {
  const [wanting, setWanting] = useState<readonly string[]>([]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isShown = true;
    const look = async () => {
      const found = await servers.status();
      const names = found.flatMap(({ name, status }) => (status === 'needs-auth' ? name : []));
      // The same list must not cause a render.
      if (isShown) setWanting((now) => (now.join('\n') === names.join('\n') ? now : names));
    };
    const timer = setInterval(() => void look().catch(() => undefined), pollMs);
    return () => {
      isShown = false;
      clearInterval(timer);
    };
  }, [servers]);
  const logIn = async (name: string) => {
    setProblem('');
    try {
      await servers.logIn(name);
      setWanting((now) => now.filter((one) => one !== name));
      focusRegion('agent');
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return wanting
    .filter((name) => !left.has(name))
    .map((name) => (
      <div key={name} className="bar bar-warning" role="status">
        The MCP server {name} wants a login. {problem}
        <button type="button" className="primary" onClick={() => void logIn(name)}>
          Log in…
        </button>
        <button
          type="button"
          onClick={() => {
            setLeft((now) => new Set([...now, name]));
            // The button is removed, so the focus moves to the prompt field.
            focusRegion('agent');
          }}
        >
          Not now
        </button>
      </div>
    ));
}
