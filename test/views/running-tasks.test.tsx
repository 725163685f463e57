import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { RunningTasks } from '../../src/react/components/running-tasks.tsx';

const render = (descriptions: readonly string[]) =>
  renderToStaticMarkup(
    <RunningTasks
      tasks={descriptions.map((description, at) => ({
        taskId: `b${at}`,
        toolUseId: `c${at}`,
        description,
      }))}
      onStop={() => {}}
    />,
  );

describe('RunningTasks', () => {
  it('has a button by name for each task, and shows nothing where there is none', () => {
    const markup = render(['Counts', 'Waits']);
    expect(markup.match(/aria-label="Stop (\w+)"/g)).toEqual([
      'aria-label="Stop Counts"',
      'aria-label="Stop Waits"',
    ]);
    expect(render([])).toBe('');
  });
});
