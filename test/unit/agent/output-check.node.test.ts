// A tool's output against its own schema, in development and in production: a matter of `process`, so
// in Node. What bundlers make of it is asked of what they make.
import { build } from 'vite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { findOutputMistake } from '../../../src/agent/calls/describe-failure.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import { isDevelopment } from '../../../src/agent/calls/is-development.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { callTool, openHost, runHooked, toResults } from '../../support/turns/run-hooked.ts';

const inputSchema = z.strictObject({});
const outputSchema = z.strictObject({ days: z.array(z.strictObject({ degrees: z.number() })) });

/** Says what the weather is, as `data`, whatever its schema is. */
function weather(data: unknown, schema: z.ZodType = outputSchema): Tool {
  return buildTool({
    name: 'Weather',
    inputSchema,
    outputSchema: schema,
    isReadOnly: () => true,
    description: () => Promise.resolve('Says what the weather is.'),
    prompt: () => Promise.resolve(''),
    call: () => Promise.resolve({ data }),
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: JSON.stringify(output),
    }),
  } satisfies ToolDef<typeof inputSchema>) as Tool;
}

async function run(tool: Tool): Promise<unknown[]> {
  await using host = await openHost();
  const { messages } = await runHooked(host, [callTool('Weather', {})], { tools: [tool] });
  return toResults(messages);
}

const wrong = { days: [{ degrees: 21 }, { degrees: 'warm' }] };
const mistake = `The output of Weather isn't what its outputSchema says:
- days.1.degrees: Invalid input: expected number, received string
Nothing that it changed was kept. This is a mistake of the tool's author, not of the call, and only development builds look for it; try another way.`;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('an output that its tool’s own schema refuses', () => {
  it('fails the call in development, and says where and whose mistake it is', async () => {
    expect(await run(weather(wrong))).toEqual([mistake]);
  });

  it('is sent as it is in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(await run(weather(wrong))).toEqual([JSON.stringify(wrong)]);
  });
});

describe('findOutputMistake', () => {
  it('says nothing of an output that fits, and leaves it as it is', async () => {
    const schema = z.object({ degrees: z.number(), unit: z.string().default('C') });
    const output = { degrees: 21, more: true };
    expect(await run(weather(output, schema))).toEqual([JSON.stringify(output)]);
  });

  it('waits for a schema that checks asynchronously', async () => {
    const schema = z.number().refine(async (degrees) => degrees < 60, 'too hot');
    expect(await findOutputMistake(weather(70, schema), 70)).toContain(
      '- (the whole output): too hot\n',
    );
  });

  it('blames a schema that throws', async () => {
    const schema = z.number().refine(() => {
      throw new Error('No scale.');
    });
    expect(await findOutputMistake(weather(1, schema), 1)).toBe(
      "The output of Weather could not be checked by its outputSchema (Error: No scale.). Nothing that it changed was kept. This is a mistake of the tool's author, not of the call, and only development builds look for it; try another way.",
    );
  });
});

describe('isDevelopment', () => {
  it.each([
    ['development', true],
    ['test', true],
    [undefined, true],
    ['production', false],
  ])('with NODE_ENV %s is %s', (value, expected) => {
    vi.stubEnv('NODE_ENV', value);
    expect(isDevelopment()).toBe(expected);
  });

  it('is false where there is no process', () => {
    vi.stubGlobal('process', undefined);
    expect(isDevelopment()).toBe(false);
  });

  it.each(['development', 'production'])(
    'is told by a bundler that builds for %s, without a process',
    async (mode) => {
      const ask = await bundle(mode);
      vi.stubGlobal('process', undefined);
      expect(ask()).toBe(mode === 'development');
    },
  );
});

/** The function as an embedder's own build has it. */
async function bundle(mode: string): Promise<() => boolean> {
  const input = new URL('../../../src/agent/calls/is-development.ts', import.meta.url).pathname;
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    mode,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    build: {
      write: false,
      rolldownOptions: { input, preserveEntrySignatures: 'strict' },
    },
  });
  const [chunk] = 'output' in built ? built.output : [];
  if (chunk?.type !== 'chunk') throw new Error('Vite made no chunk.');
  const url = `data:text/javascript,${encodeURIComponent(chunk.code)}`;
  const made = (await import(url)) as Record<string, () => boolean>;
  return made['isDevelopment'] as () => boolean;
}
