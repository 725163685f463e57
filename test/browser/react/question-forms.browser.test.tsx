// The forms of the permission card: what a person chooses, writes and changes reaches the agent as they did it.
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { PermissionCard } from '../../../src/react/components/permission-card.tsx';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import type { PermissionResult } from '../../../src/core/permissions/permission.ts';
import type { QuestionDrafts } from '../../../src/react/kit/use-kept.ts';
import { toolViews } from '../../../src/tools/views.ts';
import styles from '../../../src/react/react.css?inline';
import { usePermissionQuestions } from '../../../src/react/use-session.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

const library = {
  question: 'Which library?',
  header: 'Library',
  options: [
    { label: 'None', description: 'The platform has it.' },
    { label: 'date-fns', description: 'Small.', preview: 'addDays(date, 1)' },
  ],
  multiSelect: false,
};
const targets = {
  question: 'Where must it run?',
  header: 'Targets',
  options: [
    { label: 'Chrome', description: '' },
    { label: 'Safari', description: '' },
  ],
  multiSelect: true,
};

let mounted: Mounted;
let answer: Promise<PermissionResult | null>;
/** As a page does that shows another conversation and comes back to this one. */
let showAnew: () => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  mounted[Symbol.dispose]();
  document.body.replaceChildren();
  vi.useRealTimers();
});

/** Puts the question as the agent does, and waits for the form. */
async function ask(
  toolName: string,
  input: Record<string, unknown>,
  title: string,
  { drafts, asAsked }: { readonly drafts?: QuestionDrafts; readonly asAsked?: true } = {},
): Promise<void> {
  const queue = createPermissionQueue();
  const options = {
    signal: new AbortController().signal,
    toolUseID: 'call',
    requestId: 'q',
    title,
    ...(asAsked && { asAsked }),
  };
  answer = queue.canUseTool(toolName, input, options);
  function Page() {
    const questions = usePermissionQuestions(queue);
    return (
      <PermissionCard
        questions={questions}
        views={toolViews}
        {...(drafts && { drafts })}
        onAnswer={queue.answer}
      />
    );
  }
  mounted = await mount(<Page />);
  showAnew = async () => {
    mounted[Symbol.dispose]();
    mounted = await mount(<Page />);
  };
  const hasForm = () => mounted.element.querySelector('.rp-form') !== null;
  // The card asks for the form's code as this does, before it.
  for (let tries = 0; tries < 20 && !hasForm(); tries += 1) {
    await act(async () => void (await toolViews[toolName]?.()));
  }
  expect(hasForm()).toBe(true);
}
const arm = () => act(() => vi.advanceTimersByTime(400));
const find = <E extends HTMLElement>(selector: string): E => {
  const found = mounted.element.querySelector<E>(selector);
  if (!found) throw new Error(`There is no ${selector}.`);
  return found;
};
const button = (label: string) => {
  const all = [...mounted.element.querySelectorAll('button')];
  const found = all.find((one) => one.textContent?.startsWith(label));
  if (!found) throw new Error(`There is no button ${label}.`);
  return found;
};
const option = (label: string) => {
  const all = [...mounted.element.querySelectorAll('label')];
  const found = all.find((one) => one.textContent?.startsWith(label))?.querySelector('input');
  if (!found) throw new Error(`There is no option ${label}.`);
  return found;
};
const press = (element: HTMLElement) => act(async () => element.click());

describe('the form of AskUserQuestion', () => {
  it('breaks no word of its own', async () => {
    const style = document.createElement('style');
    style.textContent = styles;
    document.body.append(style);
    await ask('AskUserQuestion', { questions: [library] }, 'Will you answer a question?');
    mounted.element.style.width = '380px';
    const range = document.createRange();
    range.selectNodeContents(option('Other').nextElementSibling ?? mounted.element);
    expect([...range.getClientRects()].map(({ height }) => height > 0)).toEqual([true]);
  });

  it('gives each answer, once all are there', async () => {
    await ask('AskUserQuestion', { questions: [library, targets] }, 'Will you answer 2 questions?');
    expect(find('h3').textContent).toContain('Will you answer 2 questions?');
    await press(option('date-fns'));
    await arm();
    expect(button('Answer').disabled).toBe(true);
    expect(find('[role=status]').textContent).toBe('1 of 2 answered');
    await press(option('Safari'));
    await press(option('Chrome'));
    await press(button('Answer'));
    expect(await answer).toEqual({
      behavior: 'allow',
      updatedInput: {
        questions: [library, targets],
        answers: { 'Which library?': 'date-fns', 'Where must it run?': 'Chrome, Safari' },
        annotations: { 'Which library?': { preview: 'addDays(date, 1)' } },
      },
    });
  });

  it('takes own words in the place of an option, and beside several', async () => {
    await ask('AskUserQuestion', { questions: [library, targets] }, 'Two questions');
    await arm();
    await press(option('None'));
    await press(option('Chrome'));
    const [other, , more] = [
      ...mounted.element.querySelectorAll<HTMLInputElement>('input[type=text]'),
    ];
    await act(() => userEvent.fill(other!, 'Luxon'));
    await act(() => userEvent.fill(more!, 'Deno'));
    expect(option('None').checked).toBe(false);
    await press(button('Answer'));
    expect(await answer).toMatchObject({
      updatedInput: {
        answers: { 'Which library?': 'Luxon', 'Where must it run?': 'Chrome, Deno' },
      },
    });
  });

  it('does not take "Other" without words, and nothing before it may be answered', async () => {
    await ask('AskUserQuestion', { questions: [library] }, 'A question');
    await press(option('None'));
    expect(button('Answer').disabled).toBe(true);
    await arm();
    expect(button('Answer').disabled).toBe(false);
    await press(option('Other'));
    expect(button('Answer').disabled).toBe(true);
  });

  it('is chosen and sent by keyboard alone, and Escape does not lose what was written', async () => {
    await ask('AskUserQuestion', { questions: [{ ...library, options: library.options }] }, 'One?');
    await arm();
    const card = find('[role=alertdialog]');
    expect(document.activeElement).toBe(card);
    await act(() => userEvent.keyboard('{Tab}{ArrowDown}'));
    expect(option('date-fns').checked || option('None').checked).toBe(true);
    const other = find<HTMLInputElement>('input[type=text]');
    other.focus();
    await act(() => userEvent.keyboard('Luxon'));
    await act(() => userEvent.keyboard('{Escape}'));
    expect(document.activeElement).toBe(card);
    other.focus();
    await act(() => userEvent.keyboard('{Enter}'));
    expect(await answer).toMatchObject({
      updatedInput: { answers: { 'Which library?': 'Luxon' } },
    });
  });

  it('says no, with words where a person has some', async () => {
    await ask('AskUserQuestion', { questions: [library] }, 'A question');
    await arm();
    await press(button('Say something else'));
    const field = find<HTMLInputElement>('.rp-permission-actions input');
    expect(document.activeElement).toBe(field);
    await act(() => userEvent.fill(field, 'Neither yet.'));
    await press(button('Don’t answer'));
    expect(await answer).toEqual({ behavior: 'deny', message: 'The user said no: Neither yet.' });
  });
});

describe('what was written into a card', () => {
  it('is there again when the conversation is', async () => {
    await ask('AskUserQuestion', { questions: [library, targets] }, 'Two questions');
    await press(option('Safari'));
    await act(() => userEvent.fill(find('input[type=text]'), 'Luxon'));
    await showAnew();
    expect(option('Safari').checked).toBe(true);
    expect(find<HTMLInputElement>('input[type=text]').value).toBe('Luxon');
  });

  it('is there again of a plan that was changed', async () => {
    await ask('ExitPlanMode', { plan: 'One', planFilePath: '/plan.md' }, 'Go ahead?');
    await press(button('Edit the plan'));
    await act(() => userEvent.fill(find('textarea'), 'Mine'));
    await showAnew();
    expect(find('.rp-plan').textContent).toBe('Mine');
  });

  it('is there again where a person went back from saying why not', async () => {
    await ask('AskUserQuestion', { questions: [library] }, 'A question');
    await arm();
    const words = () => find<HTMLInputElement>('.rp-permission-actions input');
    await press(button('Say something else'));
    await act(() => userEvent.fill(words(), 'Neither yet.'));
    await act(() => userEvent.keyboard('{Escape}'));
    await press(button('Say something else'));
    expect(words().value).toBe('Neither yet.');
  });
});

describe('what was written into a card of a page that is reloaded', () => {
  /** As a page's storage does: of what is read nothing is the object that was kept. */
  function keepTexts(text = '{}'): QuestionDrafts {
    const read = () => JSON.parse(text) as Record<string, Record<string, unknown>>;
    return {
      read: (id) => read()[id],
      keep: (id, draft) => void (text = JSON.stringify({ ...read(), [id]: draft })),
    };
  }
  const reload = () => mounted[Symbol.dispose]();

  it('is there again: what was chosen, own words, and why not', async () => {
    const drafts = keepTexts();
    const putAgain = () =>
      ask('AskUserQuestion', structuredClone({ questions: [library, targets] }), 'Two questions', {
        drafts,
      });
    const words = () => find<HTMLInputElement>('.rp-permission-actions input');
    await putAgain();
    await press(option('Safari'));
    await act(() => userEvent.fill(find('input[type=text]'), 'Luxon'));
    await arm();
    await press(button('Say something else'));
    await act(() => userEvent.fill(words(), 'Neither yet.'));
    reload();
    await putAgain();
    expect(option('Safari').checked).toBe(true);
    expect(find<HTMLInputElement>('input[type=text]').value).toBe('Luxon');
    await arm();
    await press(button('Say something else'));
    expect(words().value).toBe('Neither yet.');
    await press(button('Back'));
    await press(button('Answer'));
    expect(await answer).toMatchObject({
      updatedInput: { answers: { 'Which library?': 'Luxon', 'Where must it run?': 'Safari' } },
    });
  });

  it('is there again of a plan, with how the agent is to go on', async () => {
    const drafts = keepTexts();
    const putAgain = () =>
      ask('ExitPlanMode', { plan: 'One', planFilePath: '/p' }, 'Go?', { drafts });
    await putAgain();
    await press(button('Edit the plan'));
    await act(() => userEvent.fill(find('textarea'), 'Mine'));
    await act(() => userEvent.selectOptions(find<HTMLSelectElement>('select'), 'acceptEdits'));
    reload();
    await putAgain();
    expect(find('.rp-plan').textContent).toBe('Mine');
    expect(find<HTMLSelectElement>('select').value).toBe('acceptEdits');
  });

  it.each([
    ['of another form', { drafts: [{ chosen: 'None' }] }],
    ['of more questions', { drafts: [1, 2] }],
    ['that is none', 'none'],
  ])('is left out where it is a draft %s', async (_, draft) => {
    const drafts = keepTexts(JSON.stringify({ q: draft }));
    await ask('AskUserQuestion', { questions: [library] }, 'A question', { drafts });
    expect(option('None').checked).toBe(false);
    expect(find<HTMLInputElement>('input[type=text]').value).toBe('');
  });
});

describe('the form of ExitPlanMode', () => {
  const plan = '# The plan\n\n1. Write **b.txt**.';
  const input = { plan, planFilePath: '/session/s1/plan.md' };

  it('shows the plan as Markdown, and accepts it as it is', async () => {
    await ask('ExitPlanMode', input, 'Go ahead with this plan?');
    await arm();
    expect(find('.rp-plan strong').textContent).toBe('b.txt');
    await press(button('Accept the plan'));
    expect(await answer).toEqual({ behavior: 'allow' });
  });

  it('offers a person who may only say yes or no neither a change nor a mode', async () => {
    await ask('ExitPlanMode', input, 'Go ahead with this plan?', { asAsked: true });
    await arm();
    expect(
      [...mounted.element.querySelectorAll('button, select')].map((one) => one.textContent),
    ).toEqual(['Accept the plan', 'Keep planning', 'Say what to change…']);
    await press(button('Accept the plan'));
    expect(await answer).toEqual({ behavior: 'allow' });
  });

  it('lets a person change it, and choose how the agent goes on', async () => {
    await ask('ExitPlanMode', input, 'Go ahead with this plan?');
    await arm();
    await press(button('Edit the plan'));
    const text = find<HTMLTextAreaElement>('textarea');
    expect(document.activeElement).toBe(text);
    await act(() => userEvent.fill(text, '# Mine'));
    await press(button('Show the plan'));
    expect(find('.rp-plan h3').textContent).toBe('Mine');
    await act(() => userEvent.selectOptions(find<HTMLSelectElement>('select'), 'acceptEdits'));
    await press(button('Accept the plan'));
    expect(await answer).toEqual({
      behavior: 'allow',
      updatedInput: { plan: '# Mine', planFilePath: '/session/s1/plan.md' },
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
  });

  it('keeps planning on a no, with what is to change', async () => {
    await ask('ExitPlanMode', input, 'Go ahead with this plan?');
    await arm();
    await press(button('Say what to change'));
    await act(() => userEvent.fill(find('.rp-permission-actions input'), 'Test it.'));
    await press(button('Keep planning'));
    expect(await answer).toEqual({ behavior: 'deny', message: 'The user said no: Test it.' });
  });

  it('accepts no plan that was emptied', async () => {
    await ask('ExitPlanMode', input, 'Go ahead with this plan?');
    await arm();
    await press(button('Edit the plan'));
    await act(() => userEvent.fill(find('textarea'), ' '));
    expect(button('Accept the plan').disabled).toBe(true);
  });
});
