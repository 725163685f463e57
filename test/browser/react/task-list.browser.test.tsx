import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { TaskList } from '../../../src/react/components/task-list.tsx';
import styles from '../../../src/react/react.css?inline';
import type { CallEntry, Turn } from '../../../src/react/transcript.ts';
import { taskListReaders } from '../../../src/tools/task-list-readers.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

const long = `Mend ${'the-parser-of-all-tabs-'.repeat(6)}`;

const call: CallEntry = {
  kind: 'call',
  id: 'call-1',
  parentToolUseId: null,
  toolName: 'TaskList',
  state: 'output-available',
  input: {},
  output: {
    tasks: [
      { id: '1', subject: 'Read it', status: 'completed', blockedBy: [] },
      { id: '2', subject: long, status: 'in_progress', owner: 'Ann', blockedBy: [] },
      ...Array.from({ length: 40 }, (_, at) => ({
        ...{ id: `${at + 3}`, subject: `Test ${at}`, status: 'pending', blockedBy: ['1', '2'] },
      })),
    ],
  },
  progress: [],
  droppedProgress: 0,
  task: null,
  resultText: '',
  elapsedSeconds: 0,
};

const turns: readonly Turn[] = [
  {
    id: 'turn-1',
    prompt: 'Go.',
    images: [],
    entries: [call],
    callCount: 1,
    startedAt: 0,
    endedAt: null,
    result: null,
  },
];

let mounted: Mounted;
let sheet: HTMLStyleElement;
beforeEach(async () => {
  sheet = document.createElement('style');
  sheet.textContent = styles;
  document.head.append(sheet);
  mounted = await mount(<TaskList turns={turns} readers={taskListReaders} />);
});
afterEach(async () => {
  mounted[Symbol.dispose]();
  sheet.remove();
  delete document.documentElement.dataset['theme'];
  await page.viewport(1280, 720);
});

const section = () => mounted.element.querySelector('section') as HTMLElement;
const list = () => page.getByRole('list', { name: 'Tasks' });

describe('TaskList on a page', () => {
  it('has names and statuses for who hears it', async () => {
    await expect.element(page.getByRole('region', { name: 'Task list' })).toBeVisible();
    await expect.element(list()).toBeVisible();
    const items = [...section().querySelectorAll('li')].map(({ textContent }) => textContent);
    expect(items).toHaveLength(42);
    expect(items.slice(0, 3)).toEqual([
      'Done: 1. Read it',
      `In progress: 2. ${long} Ann`,
      'To do: 3. Test 0 waits for 2',
    ]);
  });

  it('is folded and scrolled from the keyboard', async () => {
    await userEvent.tab();
    const button = page.getByRole('button', { name: /^Tasks: 1 of 42 done/u });
    await expect.element(button).toHaveFocus();
    await expect.element(button).toHaveAttribute('aria-expanded', 'true');
    await userEvent.tab();
    await expect.element(list()).toHaveFocus();
    await userEvent.keyboard('{End}');
    await expect.poll(() => section().querySelector('ul')?.scrollTop).toBeGreaterThan(0);
    await userEvent.tab({ shift: true });
    await act(() => userEvent.keyboard('{Enter}'));
    expect(section().querySelector('ul')).toBeNull();
    await expect.element(button).toHaveAttribute('aria-expanded', 'false');
  });

  it('shows the whole of a task that is longer than its line', async () => {
    await page.viewport(320, 640);
    const text = section().querySelector('[data-status=in_progress] .rp-task-text') as HTMLElement;
    expect(text.scrollWidth).toBeLessThanOrEqual(text.clientWidth);
  });

  it.each(['light', 'dark'])('fits a phone, and what is done can be read in %s', async (theme) => {
    document.documentElement.dataset['theme'] = theme;
    await page.viewport(320, 640);
    expect(document.documentElement.scrollWidth).toBe(320);
    const text = section().querySelector('[data-status=completed] .rp-task-text') as HTMLElement;
    const { backgroundColor } = getComputedStyle(document.documentElement);
    expect(
      contrast(getComputedStyle(text).color, backgroundOf(theme, backgroundColor)),
    ).toBeGreaterThan(4.5);
  });
});

/** The page of the tests has none of its own: that of the theme. */
function backgroundOf(theme: string, given: string): string {
  if (given !== 'rgba(0, 0, 0, 0)') return given;
  return theme === 'dark' ? 'rgb(19, 21, 23)' : 'rgb(247, 247, 245)';
}

/** WCAG 2's ratio of two colours. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(toLuminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function toLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/gu) ?? []).map((part) => {
    const value = Number(part) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
