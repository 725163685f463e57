// TaskStop by itself; that it stops a task is shown in test/unit/agent/background.
import { describe, expect, it } from 'vitest';
import { taskStopInputSchema } from '../../src/tools/task-stop/schema.ts';
import { taskStopTool } from '../../src/tools/task-stop/tool.ts';

describe("TaskStop's definition", () => {
  it('takes a task by either name, and asks for one', async () => {
    const parse = (input: unknown) => taskStopInputSchema().safeParse(input).success;
    expect([{ task_id: 'b1' }, { shell_id: 'b1' }, { id: 'b1' }].map(parse)).toEqual([
      true,
      true,
      false,
    ]);
    expect(await taskStopTool.validateInput({})).toEqual({
      result: false,
      errorCode: 1,
      message: 'Say which task: give its task_id.',
    });
  });

  it('goes by the names that it had', () => {
    expect(taskStopTool.aliases).toEqual(['KillShell', 'KillBash']);
  });
});
