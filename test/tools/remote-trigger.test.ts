// RemoteTrigger in whole turns: what the host's runtime is asked, and what the model is told of its answers.
import { describe, expect, it } from 'vitest';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import { query } from '../../src/agent/query.ts';
import type {
  OnRemoteTrigger,
  RemoteTriggerRequest,
} from '../../src/core/host-ports/remote-trigger.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { remoteTriggerInputSchema } from '../../src/tools/remote-trigger/schema.ts';
import { remoteTriggerTool } from '../../src/tools/remote-trigger/tool.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';

/** One turn that asks the runtime. */
async function ask(
  input: Record<string, unknown>,
  onRemoteTrigger: OnRemoteTrigger | undefined,
  options: Partial<QueryOptions> = {},
) {
  await using host = await createInlineHost();
  const model = listModel('list', [asks(toolUse('u1', 'RemoteTrigger', input)), says('End.')]);
  const all = { host, model, toolSearch: false, ...options } as const;
  let told: { output: unknown; text: unknown; isError: unknown } | undefined;
  for await (const one of query({
    prompt: 'Go.',
    options: { ...all, ...(onRemoteTrigger && { onRemoteTrigger }) },
  })) {
    if (one.type !== 'user' || typeof one.message.content === 'string') continue;
    const [block] = one.message.content;
    if (block?.type !== 'tool_result') continue;
    told = { output: one.tool_use_result, text: block.content, isError: block.is_error };
  }
  return told;
}

const run = { action: 'run', trigger_id: 'nightly', body: { prompt: 'Run the tests.' } };
const allowed: Partial<QueryOptions> = { allowedTools: ['RemoteTrigger'] };

describe('RemoteTrigger', () => {
  it('hands the request over as it is, and tells the answer', async () => {
    const asked: RemoteTriggerRequest[] = [];
    const answer = { status: 201, data: { session_id: 's7' }, summary: 'It has begun.' };
    const told = await ask(
      run,
      (request) => {
        asked.push(request);
        return answer;
      },
      allowed,
    );
    expect(asked).toEqual([run]);
    const json = '{\n  "session_id": "s7"\n}';
    expect(told?.output).toEqual({ status: 201, json, summary: 'It has begun.' });
    expect(told?.text).toBe(`Status 201. It has begun.\n${json}`);
    expect(told?.isError).toBeUndefined();
  });

  it('tells a refusal of the runtime as an error', async () => {
    const told = await ask(
      { action: 'get', trigger_id: 'gone' },
      () => ({ status: 404, summary: 'There is no trigger gone.' }),
      allowed,
    );
    expect(told?.text).toBe('Status 404. There is no trigger gone.');
    expect(told?.isError).toBe(true);
  });

  it.each([
    [run, 'The remote runtime: Error: no answer. It may have begun: look before you ask again.'],
    [{ action: 'list' }, 'The remote runtime: Error: no answer.'],
  ])('says of a failure what may have come of it: %j', async (input, sentence) => {
    const told = await ask(input, () => Promise.reject(new Error('no answer.')), allowed);
    expect(String(told?.text)).toContain(sentence);
    expect(String(told?.text).includes('may have begun')).toBe(input === run);
  });

  it('is asked about, a list like a start: either reaches what is elsewhere', async () => {
    for (const input of [run, { action: 'list' }]) {
      const questions: string[] = [];
      const told = await ask(input, () => ({ status: 200 }), {
        canUseTool: async (name) => {
          questions.push(name);
          return { behavior: 'deny', message: 'Not now.' };
        },
      });
      expect(questions).toEqual(['RemoteTrigger']);
      expect(told?.text).toContain('Not now.');
    }
  });

  it('is there only where the query has a runtime', async () => {
    const told = await ask(run, undefined, allowed);
    expect(told?.text).toContain('RemoteTrigger');
    expect(told?.isError).toBe(true);
  });

  it('refuses an answer that nobody would read', async () => {
    const told = await ask(
      { action: 'list' },
      () => ({ status: 200, data: 'x'.repeat(1_000_001) }),
      allowed,
    );
    expect(told?.text).toContain('ask for less of it');
  });
});

describe("RemoteTrigger's input", () => {
  it.each([
    [{ action: 'get' }, 'get needs trigger_id.'],
    [{ action: 'run' }, 'run needs trigger_id.'],
    [{ action: 'list_runs' }, 'list_runs needs trigger_id.'],
    [{ action: 'get_run_log', trigger_id: 'a' }, 'get_run_log needs session_id.'],
    [{ action: 'create' }, 'create needs body.'],
    [{ action: 'create_webhook_trigger' }, 'create_webhook_trigger needs body.'],
    [{ action: 'update', trigger_id: 'a' }, 'update needs body: what is to change.'],
  ])('is refused as %j', async (input, message) => {
    const parsed = remoteTriggerInputSchema().parse(input);
    const refused = await remoteTriggerTool.validateInput(parsed);
    expect(refused).toEqual({ result: false, errorCode: 1, message });
  });

  it('has no other action, and no other field', () => {
    const isInput = (input: object) => remoteTriggerInputSchema().safeParse(input).success;
    expect(isInput({ action: 'delete', trigger_id: 'a' })).toBe(false);
    expect(isInput({ action: 'list', url: 'https://a.example/' })).toBe(false);
  });
});
