// Waits for an MCP server for as long as the machine takes: a session itself goes on without it after 5 s.
import { expect } from 'vitest';
import type { Query } from '../../src/agent/query.ts';

export async function whenConnected(asked: Query, name: string): Promise<void> {
  const status = async () =>
    (await asked.mcpServerStatus()).find((server) => server.name === name)?.status;
  await expect.poll(status).toBe('connected');
}
