// What agents cost in tokens. The tests count what a fork's first request has of its caller's
// cache, and what an agent's work adds to its caller's conversation. They count what the tools add
// to every first request, too.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { query } from '../../../../src/agent/query.ts';
import type { SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { Model, ModelRequest } from '../../../../src/model/model.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { play } from '../../../bench/tokens/play.ts';
import { toBytes, toPromptBytes, toTokens } from '../../../bench/tokens/prompt-bytes.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { callTool, openHost, readAll, say } from '../../../support/turns/run-hooked.ts';
import { createSimulatedCache } from '../../../support/models/simulated-cache.ts';
import { writeSkill } from '../../../support/turns/skills.ts';

const fileCount = 30;
const toPath = (at: number) => `/workspace/module-${at}.ts`;
/** Some 5 kB, as a larger one of a project's files has. */
const toText = (at: number) =>
  Array.from({ length: 100 }, (_, line) => `export const value${at}_${line} = keep(${line});`).join(
    '\n',
  );
const read = (at: number, id: string) => callTool('Read', { file_path: toPath(at) }, id);

async function openFiles() {
  const host = await openHost();
  for (let at = 0; at < fileCount; at += 1) {
    await host.workspace.fs.writeFile(toPath(at), toText(at));
  }
  return host;
}

async function run(
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  onRequest: (who: string, request: ModelRequest) => void,
): Promise<void> {
  await using host = await openFiles();
  const agents = createAgentsModel(scripts);
  const model: Model = {
    ...agents,
    async *stream(request, options) {
      const before = agents.requests.length;
      for await (const event of agents.stream(request, options)) {
        const [asked] = agents.requests.slice(before);
        if (event.type === 'message_start' && asked) onRequest(asked.who, request);
        yield event;
      }
    },
  };
  const messages = await readAll(query({ prompt: 'Go.', options: { host, model } }));
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
}

const agent = (prompt: string, more: Record<string, unknown>) =>
  callTool('Agent', { description: 'Look at it', prompt, ...more }, 'call-agent');

describe('a fork', () => {
  it('finds at least 95 % of its first request in the cache of its caller', async () => {
    const cache = createSimulatedCache();
    const shares: number[] = [];
    await run(
      {
        main: [
          ...[0, 1, 2, 3].map((at) => read(at, `call-${at}`)),
          agent('Go on.', { subagent_type: 'fork', run_in_background: false }),
          say('Done.'),
        ],
        'Go on.': [say('I went on.')],
      },
      (who, request) => {
        const { read: found, written, uncached } = cache.send(request);
        if (who === 'Go on.') shares.push(found / (found + written + uncached));
      },
    );
    expect(shares).toHaveLength(1);
    expect(shares[0]).toBeGreaterThanOrEqual(0.95);
  });
});

describe('an agent that reads 30 files', () => {
  it.each([
    ['is waited for', false],
    ['runs in the background', true],
  ])(
    'adds at most a fiftieth of their tokens to its caller, where it %s',
    async (_, isBackground) => {
      const sizes: number[] = [];
      let own = 0;
      const report = 'The modules keep values, and give them back. None of them uses another one. ';
      await run(
        {
          main: [
            agent('Read all.', { run_in_background: isBackground }),
            ...(isBackground ? [say('It runs.')] : []),
            say('Done.'),
          ],
          'Read all.': [
            ...Array.from({ length: fileCount }, (__, at) => read(at, `call-${at}`)),
            say(report.repeat(8)),
          ],
        },
        (who, request) => {
          const size = toTokens(toPromptBytes(request).length);
          if (who === 'main') sizes.push(size);
          else own = Math.max(own, size);
        },
      );
      const files = Array.from({ length: fileCount }, (__, at) => toText(at)).join('');
      const tokens = toTokens(toBytes([files]).length);
      expect(own).toBeGreaterThan(tokens);
      expect((sizes.at(-1) ?? Infinity) - (sizes[0] ?? 0)).toBeLessThanOrEqual(tokens * 0.02);
    },
  );
});

describe('the first request', () => {
  it('has at most 900 tokens of Agent, Skill and AskUserQuestion', async () => {
    const measure = async (options: Partial<QueryOptions>) => {
      const turns = [say('Done.')];
      const what = { prompts: 'Go.', turns, tools: [], isNative: false, options };
      const [size = 0] = await play(what, (request) => toTokens(toPromptBytes(request).length));
      return size;
    };
    const disallowedTools = ['Agent', 'Skill', 'AskUserQuestion'];
    const added = (await measure({})) - (await measure({ disallowedTools }));
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThanOrEqual(900);
  });
});

const names = ['one', 'two', 'three'] as const;
const changes = fc.record({
  what: fc.constantFrom('agent', 'skill'),
  how: fc.constantFrom('write', 'remove'),
  name: fc.constantFrom(...names),
  words: fc.constantFrom('For small things.', 'For large things.'),
});

describe('a definition or a skill that comes, changes or goes', () => {
  it('changes no byte that was sent', async () => {
    let news = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(changes, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
        async (turns) => {
          await using host = await openHost();
          const { fs } = host.workspace;
          await fs.mkdir('/workspace/.claude/agents', { recursive: true });
          const change = async ({ what, how, name, words }: (typeof turns)[0][0]) => {
            const isAgent = what === 'agent';
            const path = isAgent ? `agents/${name}.md` : `skills/${name}`;
            const fields = `name: ${name}\ndescription: ${words}`;
            const text = `---\n${fields}\n---\nDo it.\n`;
            if (how === 'remove') {
              await fs.rm(`/workspace/.claude/${path}`, { recursive: true, force: true });
            } else if (isAgent) await fs.writeFile(`/workspace/.claude/${path}`, text);
            else await writeSkill(host, name, text);
          };
          async function* prompts(): AsyncGenerator<SDKUserMessage> {
            for (const [at, all] of [[], ...turns].entries()) {
              for (const one of all) await change(one);
              const message = { role: 'user', content: `Prompt ${at}` } as const;
              yield { type: 'user', message, parent_tool_use_id: null };
            }
          }
          const model = createAgentsModel({
            main: [...turns, []].map((__, at) => say(`Done ${at}.`)),
          });
          await readAll(
            query({
              prompt: prompts(),
              options: { host, model, settingSources: ['project'] },
            }),
          );
          const requests = model.requests.map(({ request }) => request);
          expect(requests).toHaveLength(turns.length + 1);
          const [first] = requests;
          for (const [at, { system, tools, messages }] of requests.entries()) {
            expect([toJson(system), toJson(tools)]).toEqual([
              toJson(first?.system),
              toJson(first?.tools),
            ]);
            const before = requests[at - 1]?.messages ?? [];
            expect(toJson(messages.slice(0, before.length))).toBe(toJson(before));
            news += toJson(messages.slice(before.length)).includes('For ') ? 1 : 0;
          }
        },
      ),
      { numRuns: Number(process.env['RUNS'] ?? 20) },
    );
    // They were told.
    expect(news).toBeGreaterThan(20);
  });
});

const toJson = (value: unknown) => JSON.stringify(value);
