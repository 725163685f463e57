import { createBrowserHost, openMcpLogin } from 'rockpool/browser';
import type { Query } from 'rockpool';
import type { McpLoginStore } from 'rockpool/mcp';

// Shared by all tabs, and read by every script of your origin: keep it elsewhere if you don't trust them all.
const store: McpLoginStore = {
  read: async (key) => localStorage.getItem(key) ?? undefined,
  write: async (key, value) =>
    value === undefined ? localStorage.removeItem(key) : localStorage.setItem(key, value),
};
const login = { redirectUrl: `${location.origin}/logged-in.html`, store };

export const openHost = () => createBrowserHost({ workspace: 'project', mcp: { login } });

/** Call it in a click. */
export async function logIn(asked: Query, server: string): Promise<void> {
  const back = await openMcpLogin(() => asked.loginMcpServer(server));
  if (back !== undefined) await asked.completeMcpLogin(back);
}
