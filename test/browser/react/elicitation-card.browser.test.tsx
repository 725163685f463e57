// What an MCP server asks a person, as the card of the permission queue shows it.
import { act } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import type { ElicitationRequest } from '../../../src/core/mcp/mcp-exchange.ts';
import { PermissionCard } from '../../../src/react/components/permission-card.tsx';
import { createPermissionQueue } from '../../../src/react/permission-queue.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

afterEach(() => {
  mounted[Symbol.dispose]();
  document.body.replaceChildren();
  vi.useRealTimers();
});

/** Puts the question, and shows the card once it takes answers. */
async function ask(request: Partial<ElicitationRequest>) {
  const queue = createPermissionQueue();
  const controller = new AbortController();
  const whole = { serverName: 'books', message: 'Which tree?', ...request };
  const answered = queue.onElicitation(whole, { signal: controller.signal });
  const card = (
    <PermissionCard questions={queue.getSnapshot()} views={{}} onAnswer={queue.answer} />
  );
  mounted = await mount(card);
  await vi.waitFor(() => expect(mounted.element.querySelector('.rp-form')).not.toBeNull(), {
    timeout: 240_000,
  });
  act(() => vi.advanceTimersByTime(400));
  return { answered, queue, controller };
}

const field = (label: string) => {
  const found = [...mounted.element.querySelectorAll('label')].find(({ textContent }) =>
    textContent?.startsWith(label),
  );
  return found?.control as HTMLInputElement;
};
const press = async (label: string) => {
  const found = [...mounted.element.querySelectorAll('button')].find(
    ({ textContent }) => textContent === label,
  );
  await userEvent.click(found as HTMLButtonElement);
};

const requestedSchema = {
  type: 'object',
  required: ['kind', 'mail'],
  properties: {
    kind: { type: 'string', enum: ['ash', 'beech'], enumNames: ['Ash', 'Beech'], default: 'ash' },
    mail: { type: 'string', format: 'email', title: 'E-mail', description: 'For the bill.' },
    count: { type: 'integer', minimum: 1, title: 'How many', default: 2 },
    gift: { type: 'boolean', title: 'It is a gift', default: true },
    colours: {
      type: 'array',
      items: { enum: ['green', 'red'] },
      default: ['red'],
      title: 'Colours',
    },
  },
};

describe('the card of a form', () => {
  it('shows whose it is, its fields with their defaults, and sends what was entered', async () => {
    const { answered } = await ask({ requestedSchema });
    const { element } = mounted;
    expect(element.querySelector('h3')?.textContent).toContain(
      'The MCP server books asks: Which tree?',
    );
    expect(element.querySelector('[aria-live=assertive]')?.textContent).toBe(
      'The MCP server books asks: Which tree?',
    );
    expect([field('kind').value, field('How many').value]).toEqual(['ash', '2']);
    expect([field('It is a gift').checked, field('red').checked]).toEqual([true, true]);
    field('kind').focus();
    await userEvent.keyboard('b');
    await userEvent.tab();
    await userEvent.keyboard('ada@books.example');
    await userEvent.click(field('green'));
    await userEvent.click(field('It is a gift'));
    field('E-mail').focus();
    await userEvent.keyboard('{Enter}');
    expect(await answered).toEqual({
      action: 'accept',
      content: {
        kind: 'beech',
        mail: 'ada@books.example',
        count: 2,
        gift: false,
        colours: ['green', 'red'],
      },
    });
  });

  it('says what is wrong at the field, and leads to it', async () => {
    const { queue } = await ask({ requestedSchema });
    await userEvent.fill(field('How many'), '0.5');
    await press('Send');
    const mail = field('E-mail');
    expect(document.activeElement).toBe(mail);
    expect(mail.getAttribute('aria-invalid')).toBe('true');
    const told = (mail.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.querySelector(`#${CSS.escape(id)}`)?.textContent);
    expect(told).toEqual(['For the bill.', 'E-mail is needed.']);
    expect(mounted.element.textContent).toContain('How many must be a whole number.');
    expect(queue.getSnapshot()).toHaveLength(1);
  });

  it('is declined by Escape, and withdrawn with its call', async () => {
    const { answered } = await ask({ requestedSchema });
    mounted.element.querySelector<HTMLElement>('[role=alertdialog]')?.focus();
    await userEvent.keyboard('{Escape}');
    expect(await answered).toEqual({ action: 'decline' });
    mounted[Symbol.dispose]();
    const { answered: cut, queue, controller } = await ask({ requestedSchema });
    controller.abort();
    expect(await cut).toEqual({ action: 'cancel' });
    expect(queue.getSnapshot()).toEqual([]);
  });
});

describe('the card of an address', () => {
  it('names its host, and opens it by a click alone', async () => {
    const open = vi.spyOn(window, 'open').mockReturnValue(null);
    const url = 'https://pay.books.example/a?b=c';
    const { answered } = await ask({ mode: 'url', url });
    expect(mounted.element.querySelector('strong')?.textContent).toBe('pay.books.example');
    expect(open).not.toHaveBeenCalled();
    await press('Open pay.books.example');
    expect(open.mock.calls).toEqual([[url, '_blank', 'noopener,noreferrer']]);
    expect(await answered).toEqual({ action: 'accept' });
    open.mockRestore();
  });

  it.each(['javascript:alert(1)', 'http://books.example/'])('offers no way to %s', async (url) => {
    await ask({ mode: 'url', url });
    const labels = [...mounted.element.querySelectorAll('button')].map((one) => one.textContent);
    expect(labels).toEqual(['Decline']);
  });
});
