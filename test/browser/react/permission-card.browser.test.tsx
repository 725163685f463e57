import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { PermissionCard } from '../../../src/react/components/permission-card.tsx';
import type { PermissionAnswer, PermissionQuestion } from '../../../src/react/permission-queue.ts';
import styles from '../../../src/react/react.css?inline';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

function createQuestion(more: Partial<PermissionQuestion> = {}): PermissionQuestion {
  return {
    id: 'question-1',
    toolUseId: 'call-1',
    toolName: 'Edit',
    input: { file_path: 'src/app.ts' },
    title: 'Edit src/app.ts',
    description: '',
    reason: 'it changes a file',
    suggestions: [],
    defaultToNo: false,
    changes: [],
    ...more,
  };
}

const rule = { toolName: 'Edit', ruleContent: 'src/**' };
const suggestion = {
  type: 'addRules',
  rules: [rule],
  behavior: 'allow',
  destination: 'session',
} as const;

let mounted: Mounted;
let answers: [string, PermissionAnswer][];

async function show(...questions: PermissionQuestion[]): Promise<void> {
  const card = (
    <PermissionCard
      questions={questions}
      views={{}}
      onAnswer={(id, answer) => answers.push([id, answer])}
    />
  );
  if (mounted) await mounted.render(card);
  else mounted = await mount(card);
}

/** Past the time in which a new card takes no answer. */
const arm = () => act(() => vi.advanceTimersByTime(400));
const card = () => mounted.element.querySelector<HTMLElement>('[role=alertdialog]');
const buttons = () => [
  ...mounted.element.querySelectorAll<HTMLButtonElement>('.rp-permission-actions button'),
];
const button = (label: string) => {
  const found = buttons().find((candidate) => candidate.textContent?.startsWith(label));
  if (!found) throw new Error(`There is no button ${label}.`);
  return found;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  answers = [];
});

afterEach(() => {
  mounted?.[Symbol.dispose]();
  mounted = undefined as never;
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe('PermissionCard', () => {
  it('says what is asked and why, and takes focus to itself but not to a button', async () => {
    await show(createQuestion());
    expect(card()?.textContent).toContain('Allow Edit src/app.ts?');
    expect(card()?.textContent).toContain('It changes a file.');
    expect(document.activeElement).toBe(card());
  });

  it('is announced at once by a region that was there before', async () => {
    await show();
    const region = mounted.element.querySelector('[aria-live=assertive]');
    expect(region?.textContent).toBe('');
    await show(createQuestion());
    expect(region?.textContent).toBe('The agent asks: Allow Edit src/app.ts?');
  });

  it('names the characters that would turn a file’s name or a line round', async () => {
    const path = 'src/\u202etxt.sj';
    const line = '+if (isAdmin\u2066) {}';
    const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: [line] };
    const change = { path, type: 'create', additions: 1, deletions: 0, structuredPatch: [hunk] };
    const title = `Keep ${path}?`;
    await show(
      createQuestion({ title, changes: [change as PermissionQuestion['changes'][number]] }),
    );
    const texts = [mounted.element.innerText, mounted.element.textContent ?? ''].join('\n');
    expect(texts).not.toMatch(/[\u202e\u2066]/u);
    expect(card()?.querySelector('h3')?.textContent).toContain('Keep src/[U+202E]txt.sj?');
    expect(card()?.querySelector('.rp-file-link, .rp-path')?.textContent).toBe(
      'src/[U+202E]txt.sj',
    );
    expect(card()?.querySelector('.rp-diff-text')?.textContent).toBe('if (isAdmin[U+2066]) {}');
  });

  it('has each answer within reach on a page at 400 %', async () => {
    const { innerWidth, innerHeight } = window;
    await page.viewport(320, 256);
    await show(
      createQuestion({ title: 'Edit a-file-of-a-long-name.ts', suggestions: [suggestion] }),
    );
    const sheet = document.createElement('style');
    sheet.textContent = styles;
    mounted.element.append(sheet);
    for (const answer of buttons()) {
      answer.scrollIntoView({ block: 'nearest' });
      const [inner, outer] = [answer, card()!].map((one) => one.getBoundingClientRect());
      expect(inner!.bottom).toBeLessThanOrEqual(outer!.bottom);
      expect(outer!.height).toBeLessThanOrEqual(0.61 * 256);
    }
    expect(buttons().length).toBe(4);
    await page.viewport(innerWidth, innerHeight);
  });

  it('counts the questions that are open together, also as they are answered', async () => {
    const [one, two, three] = ['1', '2', '3'].map((id) =>
      createQuestion({ id, title: `Edit ${id}` }),
    );
    const heading = () => card()?.querySelector('h3')?.textContent?.replace('?', '');
    await show(one!);
    expect(heading()).toBe('Allow Edit 1?');
    await show(one!, two!, three!);
    expect(heading()).toBe('Allow Edit 1? 1 of 3');
    await show(two!, three!);
    expect(heading()).toBe('Allow Edit 2? 2 of 3');
    await show(three!);
    expect(heading()).toBe('Allow Edit 3? 3 of 3');
    await show();
    await show(createQuestion({ id: '4', title: 'Edit 4' }));
    expect(heading()).toBe('Allow Edit 4?');
  });

  it('keeps what is asked about unfolded, whatever is clicked', async () => {
    await show(createQuestion());
    const line = card()?.querySelector<HTMLElement>('.rp-fold-line');
    await act(async () => line?.click());
    expect(card()?.querySelector('.rp-fold-body')).not.toBeNull();
    expect(card()?.querySelector('[aria-expanded]')).toBeNull();
  });

  it('keeps focus when a person thinks better of saying why', async () => {
    await show(createQuestion());
    await arm();
    await act(async () => button('Deny and say why').click());
    expect(document.activeElement).toBe(card()?.querySelector('input'));
    await act(async () => button('Back').click());
    expect(document.activeElement).toBe(card());
  });

  it('leaves focus where somebody is typing', async () => {
    const field = document.createElement('textarea');
    document.body.append(field);
    field.value = 'half a thought';
    field.focus();
    await show(createQuestion());
    expect(document.activeElement).toBe(field);
    // One goes to the card to answer, and comes back to the thought when it goes.
    card()?.focus();
    await show();
    expect(document.activeElement).toBe(field);
  });

  it('takes focus from an empty field, and gives it back when it goes', async () => {
    const field = document.createElement('textarea');
    document.body.append(field);
    field.focus();
    await show(createQuestion());
    expect(document.activeElement).toBe(card());
    await show();
    expect(document.activeElement).toBe(field);
  });

  it('takes no answer in its first moments', async () => {
    await show(createQuestion());
    expect(buttons().every((candidate) => candidate.disabled)).toBe(true);
    card()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    expect(answers).toEqual([]);
    await arm();
    expect(buttons().some((candidate) => candidate.disabled)).toBe(false);
  });

  it('allows once, for the session where a rule is suggested, or denies', async () => {
    await show(createQuestion({ suggestions: [suggestion] }));
    await arm();
    await act(async () => button('Allow once').click());
    expect(button('Allow for this session').textContent).toContain('Edit(src/**)');
    await act(async () => button('Allow for this session').click());
    await act(async () => button('Deny').click());
    expect(answers.map(([, answer]) => answer.type)).toEqual([
      'allow-once',
      'allow-session',
      'deny',
    ]);
  });

  it("doesn't offer the session where no rule is suggested", async () => {
    await show(createQuestion());
    expect(buttons().map((candidate) => candidate.textContent)).toEqual([
      'Allow once',
      'Deny',
      'Deny and say why…',
    ]);
  });

  it('denies on Escape', async () => {
    await show(createQuestion());
    await arm();
    await act(async () => {
      card()?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    });
    expect(answers).toEqual([['question-1', { type: 'deny' }]]);
  });

  it('sends the reason with a denial; Escape goes back from there', async () => {
    await show(createQuestion());
    await arm();
    await act(async () => button('Deny and say why').click());
    const field = mounted.element.querySelector('input');
    expect(document.activeElement).toBe(field);
    await act(async () => {
      field?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    });
    expect(answers).toEqual([]);
    await act(async () => button('Deny and say why').click());
    await act(async () => userEvent.keyboard('use b.ts{Enter}'));
    expect(answers).toEqual([['question-1', { type: 'deny', message: 'use b.ts' }]]);
  });

  it('leaves Escape to an input method that drops its candidates by it', async () => {
    await show(createQuestion());
    await arm();
    await act(async () => button('Deny and say why').click());
    const field = mounted.element.querySelector('input');
    const composing = { key: 'Escape', bubbles: true, isComposing: true };
    await act(async () => field?.dispatchEvent(new KeyboardEvent('keydown', composing)));
    expect(document.activeElement).toBe(field);
    expect(answers).toEqual([]);
  });

  it('shows the oldest, counts the others, and arms anew for each', async () => {
    const second = createQuestion({ id: 'question-2', title: 'Write b.ts' });
    await show(createQuestion(), second);
    expect(card()?.textContent).toContain('1 of 2');
    await arm();
    await show(second);
    expect(card()?.textContent).toContain('Allow Write b.ts?');
    expect(button('Allow once').disabled).toBe(true);
  });

  it('shows the changes where it asks whether to keep them', async () => {
    const patch = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+new line'] };
    const change = {
      path: '/workspace/a.txt',
      type: 'create',
      additions: 1,
      deletions: 0,
      structuredPatch: [patch],
    } as const;
    await show(createQuestion({ title: 'Keep what Repl changed?', changes: [change] }));
    expect(card()?.querySelector('h3')?.textContent).toBe('?Keep what Repl changed?');
    expect(card()?.textContent).toContain('new line');
  });

  it('says what git did beside the changes, a line each, and no file twice', async () => {
    const git = [
      'git commit 1 file on main: Add b',
      'in .git: refs/heads/main; 3 files of git’s own',
    ];
    await show(
      createQuestion({
        title: 'git commit 1 file on main: Add b?',
        description: [...git, 'create src/b.ts'].join('\n'),
        changes: [
          {
            path: '/workspace/src/b.ts',
            type: 'create',
            additions: 1,
            deletions: 0,
            structuredPatch: [],
          },
        ],
      }),
    );
    expect(card()?.querySelector('.rp-lines')?.textContent).toBe(git.join('\n'));
  });
});
