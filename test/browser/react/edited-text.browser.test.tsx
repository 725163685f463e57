// In the card a person changes the text of an Edit before they allow it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { PermissionCard } from '../../../src/react/components/permission-card.tsx';
import type { QuestionDrafts } from '../../../src/react/kit/use-kept.ts';
import { toolViews } from '../../../src/tools/views.ts';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/react/permission-queue.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

const input = { file_path: 'src/app.ts', old_string: 'let a', new_string: 'const a' };

let mounted: Mounted;
let answers: PermissionAnswer[];
let changes: unknown[];
const kept = new Map<string, Readonly<Record<string, unknown>>>();
const drafts: QuestionDrafts = {
  read: (id) => kept.get(id),
  keep: (id, draft) => void kept.set(id, draft),
};

function createQuestion(more: Partial<PermissionQuestion> = {}): PermissionQuestion {
  return {
    id: 'question-1',
    toolUseId: 'call-1',
    toolName: 'Edit',
    input: { ...input },
    title: 'Edit src/app.ts',
    description: '',
    reason: '',
    suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    defaultToNo: false,
    changes: [],
    ...more,
  };
}

async function show(question: PermissionQuestion): Promise<void> {
  mounted = await mount(
    <PermissionCard
      questions={[question]}
      views={toolViews}
      drafts={drafts}
      onAnswer={(_id, answer) => answers.push(answer)}
      onChangedInput={(id, changed) => changes.push([id, changed?.['new_string']])}
    />,
  );
  // Real clicks from here on.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
}

const button = (name: string) => page.getByRole('button', { name });
const field = () => page.getByRole('textbox', { name: 'The new text' });

beforeEach(() => {
  answers = [];
  changes = [];
  kept.clear();
});

afterEach(() => {
  mounted[Symbol.dispose]();
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
});

it('goes to the call with the yes, which then holds for this call alone', async () => {
  await show(createQuestion());
  await button('Change it…').click();
  await expect.element(field()).toHaveFocus();
  await field().fill('const b');
  await expect.element(button('Allow for this session')).not.toBeInTheDocument();
  await button('Show the change').click();
  expect(mounted.element.querySelector('.rp-draft-added')?.textContent).toContain('const b');
  await button('Allow with your changes').click();
  const updatedInput = { ...input, new_string: 'const b' };
  expect(answers).toEqual([{ type: 'allow-with', updatedInput }]);
});

it.each([
  ['lines', 'const a'],
  // A field has no such line ends.
  ['lines of Windows', 'const a\r\nconst b'],
])('is a plain yes where nothing was changed in the end: %s', async (_name, new_string) => {
  await show(createQuestion({ input: { ...input, new_string } }));
  await button('Change it…').click();
  await userEvent.keyboard('x{Backspace}');
  await expect.element(button('Allow once')).toBeInTheDocument();
  await button('Allow once').click();
  expect(answers).toEqual([{ type: 'allow-once' }]);
});

it('is kept over a reload, and left by Escape without an answer', async () => {
  await show(createQuestion());
  await button('Change it…').click();
  await field().fill('const c');
  await userEvent.keyboard('{Escape}');
  expect([document.activeElement, answers]).toEqual([page.getByRole('alertdialog').element(), []]);
  mounted[Symbol.dispose]();
  await show(createQuestion());
  await button('Change it…').click();
  await expect.element(field()).toHaveValue('const c');
});

it('is not offered where there is no such text, or the call has run', async () => {
  await show(createQuestion({ toolName: 'WebFetch', input: { url: 'https://example.com/' } }));
  await expect.element(button('Allow once')).toBeEnabled();
  expect(button('Change it…').elements()).toEqual([]);
  mounted[Symbol.dispose]();
  const change = { path: '/workspace/a.ts', additions: 1, deletions: 0, structuredPatch: [] };
  await show(createQuestion({ changes: [{ ...change, type: 'create' }] }));
  await expect.element(button('Allow once')).toBeEnabled();
  expect(button('Change it…').elements()).toEqual([]);
});

it('is not offered to a person who may only say yes or no', async () => {
  await show(createQuestion({ asAsked: true, suggestions: [] }));
  await expect.element(button('Deny and say why…')).toBeInTheDocument();
  expect([...mounted.element.querySelectorAll('button')].map((one) => one.textContent)).toEqual([
    'Allow once',
    'Deny',
    'Deny and say why…',
  ]);
});

it.each([
  ['is offered for the new source of a cell', 'replace', 1],
  ['is not offered for a cell that is deleted', 'delete', 0],
])('%s', async (_what, edit_mode, count) => {
  const cell = { notebook_path: 'a.ipynb', cell_id: 'one', new_source: 'a = 1', edit_mode };
  await show(createQuestion({ toolName: 'NotebookEdit', input: cell, suggestions: [] }));
  await expect.element(button('Deny and say why…')).toBeInTheDocument();
  expect(page.getByRole('button', { name: 'Change it…' }).elements()).toHaveLength(count);
});

it('is told to the host with each change, after a reload too, and when it is taken back', async () => {
  await show(createQuestion());
  await button('Change it…').click();
  await field().fill('const b');
  mounted[Symbol.dispose]();
  await show(createQuestion());
  await button('Change it…').click();
  await field().fill(input.new_string);
  await expect
    .poll(() => changes)
    .toEqual([
      ['question-1', 'const b'],
      ['question-1', 'const b'],
      ['question-1', undefined],
    ]);
});
