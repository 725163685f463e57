// Answers of an MCP server that are given by hand, for servers that no package would make.
import type { ServerResponse } from 'node:http';
import { isRecord } from '../../../src/core/values/is-record.ts';
import type { Intercept } from './mcp-server.ts';

/** The result; `answered` where it has answered itself; undefined: the server's own answer is given. */
export type Answer = (
  params: Readonly<Record<string, unknown>>,
  response: ServerResponse,
) => Readonly<Record<string, unknown>> | 'answered' | undefined;

/** By the protocol's methods. */
export function answerMcp(answers: Readonly<Record<string, Answer>>): Intercept {
  return ({ body }, response) => {
    const request: unknown = body.startsWith('{') ? JSON.parse(body) : {};
    const { method, id, params } = isRecord(request) ? request : {};
    const result = answers[String(method)]?.(isRecord(params) ? params : {}, response);
    if (result === undefined) return undefined;
    if (result !== 'answered') {
      response.writeHead(200, { 'content-type': 'application/json' });
      const base = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...base, ...result } }));
    }
    return true;
  };
}

export const describeTool = (
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  name,
  description: 'Is one.',
  inputSchema: { type: 'object' },
  ...more,
});
