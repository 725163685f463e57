// The tools and queries that the tokens bench measures with: see set/README.md. Each tool is made as
// one of a remote server's is.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { buildTool } from '../../../src/index.ts';
import type { Tool } from '../../../src/index.ts';
import { generateTools } from './generate-tools.ts';

/** A remote tool, as its server describes it. */
export interface RemoteTool {
  readonly server: string;
  readonly name: string;
  /** Names, and JSON Schema's types. */
  readonly properties: readonly (readonly [name: string, type: string])[];
  readonly description: string;
}

/** What is asked for, and the full names of the tools any of which answers it. */
export interface Query {
  readonly text: string;
  readonly answers: readonly string[];
}

/** The real ones first, then as many generated ones as it takes. */
export function listRemoteTools(count: number): readonly RemoteTool[] {
  const real = readRows('real-tools').map(
    ([server = '', name = '', properties = '', description = '']) => ({
      server,
      name,
      properties: splitWords(properties).map((property) => toProperty(property)),
      description,
    }),
  );
  if (count <= real.length) return real.slice(0, count);
  return [...real, ...generateTools(count - real.length)];
}

/**
 * Those that the ranking may be changed by, or those that are only counted. Throws for an answer that is
 * none of the real tools.
 */
export function readQueries(half: 'tune' | 'final'): readonly Query[] {
  const known = new Set(
    readRows('real-tools').map(([server, name]) => toFullName([server ?? '', name ?? ''])),
  );
  return readRows('queries')
    .filter((_row, at) => (at % 2 === 0) === (half === 'tune'))
    .map(([text = '', answers = '']) => ({
      text,
      answers: splitWords(answers).map((answer) => {
        const name = toFullName(answer.split('/'));
        if (!known.has(name)) throw new Error(`"${text}" is to find ${answer}, which isn't there.`);
        return name;
      }),
    }));
}

/** As the agent has it. `isConnected`: does the server offer it now? */
export function toTool(remote: RemoteTool, isConnected: () => boolean = () => true): Tool {
  const shape = remote.properties.map(([name, type]) => [name, toSchema(type)] as const);
  const inputSchema = z.looseObject(Object.fromEntries(shape));
  return buildTool({
    name: toFullName([remote.server, remote.name]),
    isMcp: true,
    inputSchema,
    isEnabled: isConnected,
    description: () => Promise.resolve(remote.description),
    prompt: () => Promise.resolve(''),
    call: () => Promise.resolve({ data: 'done' }),
    mapToolResultToToolResultBlockParam: (output: unknown, toolUseID: string) =>
      ({ type: 'tool_result', tool_use_id: toolUseID, content: String(output) }) as const,
  }) as unknown as Tool;
}

function toFullName([server, name]: readonly string[]): string {
  return `mcp__${server}__${name}`;
}

function toProperty(property: string): readonly [string, string] {
  const [name = '', type = 'string'] = property.split(':');
  return [name, type];
}

function toSchema(type: string): z.ZodType {
  switch (type) {
    case 'number':
      return z.number().optional();
    case 'boolean':
      return z.boolean().optional();
    case 'array':
      return z.array(z.string()).optional();
    case 'object':
      return z.looseObject({}).optional();
    default:
      return z.string().optional();
  }
}

function splitWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function readRows(file: 'real-tools' | 'queries'): readonly (readonly string[])[] {
  const text = readFileSync(new URL(`set/${file}.tsv`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}
