import { classifyCall } from '../../../src/agent/calls/classify-call.ts';
// What every built-in tool must have, whoever wrote it.
import { describe, expect, it } from 'vitest';
import { definitions } from '../../../src/tools/definitions.ts';
import { gitWorkName } from '../../../src/core/git/git-steps.ts';
import { searchFilesName } from '../../../src/tools/search-files/schema.ts';
import { createLspWorker } from '../../../src/tools/lsp/worker.ts';
import { workflowWorkName } from '../../../src/core/agents/workflows.ts';
import { workers } from '../../../src/tools/workers.ts';

describe('the catalogue', () => {
  it('has a worker half for each definition that runs in a worker, and none else but what a page asks for', async () => {
    const tools = await Promise.all(definitions.map((entry) => entry.load()));
    const inWorker = tools.filter(({ runsIn }) => runsIn === 'worker');
    expect(workers.map(({ name }) => name)).toEqual([
      // A host makes LSP's half, of its language servers.
      ...inWorker.map(({ name }) => name).filter((name) => name !== 'LSP'),
      searchFilesName,
      gitWorkName,
      workflowWorkName,
    ]);
  });

  it('is in the order in which the model sees it', () => {
    const names = definitions.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  });
});

describe.each([...definitions])('$name', async ({ name, load }) => {
  const tool = await load();
  let isEngineLoading = false;
  const loadWasm = () => {
    isEngineLoading = true;
    return Promise.reject(new Error('There is none here.'));
  };
  const loading = workers.find((entry) => entry.name === name)?.load({ loadWasm });
  const isEngineAtOnce = isEngineLoading;
  const worker = await loading;

  it('has the engine loaded at once with its code if it is Repl, and else never', () => {
    expect([isEngineAtOnce, isEngineLoading]).toEqual([name === 'Repl', name === 'Repl']);
  });

  it('goes by its name, and runs in a worker with the same schema or in the agent', () => {
    expect(tool.name).toBe(name);
    expect(tool.call === undefined).toBe(tool.runsIn === 'worker');
    // Repl's worker reads its input by hand; repl-input.node.test.ts holds that to the schema.
    if (name === 'LSP') expect(createLspWorker([]).inputSchema).toBe(tool.inputSchema);
    else if (name === 'Repl') expect(worker?.inputSchema).not.toBe(tool.inputSchema);
    else expect(worker?.inputSchema).toBe(tool.runsIn === 'worker' ? tool.inputSchema : undefined);
  });

  it('describes itself to the model, the same in every request', async () => {
    expect(await tool.description()).toMatch(/^[A-Z].*\.$/s);
    expect(await tool.description()).toBe(await tool.description());
    const options = {
      permissionContext: { mode: 'default', rules: [], additionalWorkingDirectories: new Map() },
      tools: [],
      cwd: '/work',
    } as const;
    expect(await tool.prompt(options)).toMatch(/\S/);
  });

  it('has a hint of 3 to 10 words', () => {
    expect(tool.searchHint?.split(' ').length).toSatisfy(
      (words: number) => words >= 3 && words <= 10,
    );
  });

  it('describes each field of its input', () => {
    const { shape } = tool.inputSchema as unknown as {
      shape: Record<string, { description?: string }>;
    };
    const undescribed = Object.entries(shape).filter(([, field]) => !field.description);
    expect(undescribed).toEqual([]);
  });

  // Of SyntheticOutput the query's schema says which there are.
  it.skipIf(tool.forOutputFormat)('refuses fields that it does not know', () => {
    const { issues } = tool.inputSchema.safeParse({ unheard_of: 1 }).error ?? {};
    expect(issues?.map(({ code }) => code)).toContain('unrecognized_keys');
  });

  it('summarises a call in at most 50 characters', () => {
    const long = 'directory/'.repeat(20);
    const input = {
      ...{ file_path: long, pattern: long, code: long, description: long },
      ...{ notebook_path: long, query: long, task_id: long, skill: long, to: long },
      ...{ taskId: long, subject: long, todos: [], questions: [{ question: long }] },
    };
    const summary = tool.getToolUseSummary?.(input) ?? '';
    expect(summary.length).toBeLessThanOrEqual(50);
  });

  it('says nothing of an input that has not arrived yet', () => {
    expect(tool.getActivityDescription?.({}) ?? null).toSatisfy(
      (text: string | null) => text === null || !text.includes('undefined'),
    );
  });

  it('shows the classifier what it does, unless it only reads', () => {
    const input = {
      ...{ file_path: 'a.ts', content: 'x', old_string: 'a', new_string: 'x', code: 'x' },
      ...{ notebook_path: 'a.ipynb', new_source: 'x', to: 'main', message: 'x', prompt: 'x' },
    };
    // As the agent asks: a tool that can't say yet whether it only reads doesn't.
    const { isReadOnly } = classifyCall(tool, input);
    expect(isReadOnly || tool.toAutoClassifierInput(input) !== '').toBe(true);
  });
});
