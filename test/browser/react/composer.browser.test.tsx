import { afterEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Composer } from '../../../src/react/components/composer.tsx';
import styles from '../../../src/react/react.css?inline';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
afterEach(() => {
  mounted?.[Symbol.dispose]();
  vi.restoreAllMocks();
});

async function show(): Promise<string[]> {
  const sent: string[] = [];
  const placeholder = 'What should the agent do?';
  mounted = await mount(
    <Composer
      isBusy={false}
      placeholder={placeholder}
      takeFile={() => Promise.resolve('a.txt')}
      onSend={(text) => sent.push(text)}
    />,
  );
  // Keys are pressed by the browser, outside of React's act.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  return sent;
}

const field = () => page.getByRole('textbox', { name: 'Message to the agent' });

describe('Composer', () => {
  it('sends by Enter, and makes a line by Shift and Enter', async () => {
    const sent = await show();
    await field().click();
    await userEvent.keyboard('one{Shift>}{Enter}{/Shift}two{Enter}');
    expect(sent).toEqual(['one\ntwo']);
    await expect
      .element(page.getByText('Enter sends, Shift+Enter begins a new line'))
      .toBeVisible();
  });

  it('has the focus when what was pressed has gone, or can’t be pressed any more', async () => {
    const sent: string[] = [];
    mounted = await mount(
      <Composer isBusy={false} suggestions={['Mend it.']} onSend={(text) => sent.push(text)} />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    const press = async (name: string) => {
      (page.getByRole('button', { name }).element() as HTMLElement).focus();
      await userEvent.keyboard('{Enter}');
      return document.activeElement?.ariaLabel;
    };
    expect(await press('Mend it.')).toBe('Message to the agent');
    await field().fill('And that.');
    expect(await press('Send')).toBe('Message to the agent');
    expect(sent).toEqual(['Mend it.', 'And that.']);
  });

  it('sends into the running turn by Control and Enter, and from those that wait', async () => {
    const told: string[] = [];
    mounted = await mount(
      <Composer
        isBusy
        onSend={(text) => told.push(`next: ${text}`)}
        onSendNow={(text) => told.push(`now: ${text}`)}
        onSendWaiting={(id) => told.push(`waiting: ${id}`)}
        onTakeBack={() => undefined}
        waiting={[
          { id: '1', text: 'one', images: [], isSent: true },
          { id: '2', text: 'two', images: [] },
        ]}
      />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await field().click();
    await userEvent.keyboard('three{Enter}four{Control>}{Enter}{/Control}');
    await page.getByRole('button', { name: /^Send now/u }).click();
    expect(told).toEqual(['next: three', 'now: four', 'waiting: 2']);
    // A screen reader hears what became of each.
    expect(page.getByRole('status').first().element().textContent).toBe(
      'The agent gets 1 message next. 1 message waits for the agent.',
    );
    await expect.element(page.getByText('The agent gets it next')).toBeVisible();
    expect(page.getByRole('button', { name: /^Take back/u }).elements()).toHaveLength(1);
    await expect.element(page.getByText(/\+Enter now/u)).toBeVisible();
  });

  it('shows the beginning of a prompt that waits, in whatever direction it is read', async () => {
    const text = 'مرحبا، من فضلك أصلح الاختبار';
    const waiting = [{ id: '1', text, images: [] }];
    mounted = await mount(<Composer isBusy onSend={() => {}} waiting={waiting} />);
    const shown = page.getByText(text).element();
    expect(getComputedStyle(shown).direction).toBe('rtl');
  });

  it('says that a text behind ! runs as a cell, if the session takes them', async () => {
    const sent: string[] = [];
    const onSend = (text: string) => void sent.push(text);
    const shown = (isBusy: boolean) => <Composer {...{ isBusy, onSend }} takesCells />;
    mounted = await mount(shown(false));
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await expect.element(page.getByText(/runs JavaScript/u)).toBeVisible();
    await field().fill('!1 + 1');
    await expect.element(page.getByText(/^Runs as a cell\./u)).toBeVisible();
    await page.getByRole('button', { name: 'Run' }).click();
    expect(sent).toEqual(['!1 + 1']);
    await field().fill('! ');
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeVisible();
    mounted[Symbol.dispose]();
    await show();
    await field().fill('!1 + 1');
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeVisible();
  });

  it.each([
    ['while it composes', { isComposing: true }],
    ['as Safari tells of it', { keyCode: 229 }],
  ])('leaves Enter to an input method that takes a candidate by it, %s', async (_, how) => {
    const sent = await show();
    await field().fill('にほん');
    const enter = { key: 'Enter', bubbles: true, cancelable: true, ...how };
    field().element().dispatchEvent(new KeyboardEvent('keydown', enter));
    expect(sent).toEqual([]);
  });

  it('makes a line by Enter where there is no Shift, and sends by its button', async () => {
    const real = globalThis.matchMedia.bind(globalThis);
    vi.spyOn(globalThis, 'matchMedia').mockImplementation((query) =>
      real(query === '(pointer: coarse)' ? 'all' : query),
    );
    const sent = await show();
    const sheet = document.createElement('style');
    sheet.textContent = styles;
    mounted?.element.append(sheet);
    // No hint stands before them: both buttons stand at the end of their line.
    const [add, last] = ['Add files…', 'Send'].map((name) =>
      page.getByRole('button', { name }).element().getBoundingClientRect(),
    );
    expect((last?.left ?? 0) - (add?.right ?? 0)).toBeLessThan(20);
    await field().click();
    await userEvent.keyboard('one{Enter}two');
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).click();
    expect(sent).toEqual(['one\ntwo']);
    // A tablet may have a keyboard.
    await field().click();
    await userEvent.keyboard('three{Control>}{Enter}{/Control}');
    expect(sent).toEqual(['one\ntwo', 'three']);
  });

  it('lists files behind an @, by what is written, and goes on behind the one that is taken', async () => {
    const sent: string[] = [];
    const files = [
      ...['demo/package.json', 'docs/my notes.md', 'package.json', 'src/app.ts'],
      ...['src/format.ts', 'test/app.test.ts'],
    ];
    mounted = await mount(
      <Composer isBusy={false} files={files} onSend={(text) => sent.push(text)} />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    const options = () =>
      page
        .getByRole('listbox', { name: 'Files' })
        .getByRole('option')
        .elements()
        .map(({ textContent }) => textContent.trim());
    await field().click();
    await userEvent.keyboard('Compare @ap');
    expect(options()).toEqual(['@src/app.ts', '@test/app.test.ts']);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await userEvent.keyboard('with @NOTES');
    expect(options()).toEqual(['@docs/my\\ notes.md']);
    await userEvent.keyboard('{Tab}');
    // An address isn't a file.
    await userEvent.keyboard('of a@src');
    expect(options()).toEqual([]);
    // Who has written a whole path sends, though another one ends with it.
    await userEvent.keyboard(' and @package.json');
    expect(options()).toEqual([]);
    await userEvent.keyboard('{Enter}');
    expect(sent).toEqual([
      'Compare @test/app.test.ts with @docs/my\\ notes.md of a@src and @package.json',
    ]);
  });

  it('completes a file in the midst of what is written, and goes on there', async () => {
    const sent: string[] = [];
    mounted = await mount(
      <Composer isBusy={false} files={['src/app.ts']} onSend={(text) => sent.push(text)} />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await field().fill('Compare  with that.');
    const element = field().element() as HTMLTextAreaElement;
    element.setSelectionRange(8, 8);
    await userEvent.keyboard('@ap{Enter}well ');
    expect(element.value).toBe('Compare @src/app.ts well with that.');
    // In the midst of a word nothing is listed: Enter sends.
    element.setSelectionRange(12, 12);
    await userEvent.keyboard('{ArrowRight}{Enter}');
    expect(sent).toEqual(['Compare @src/app.ts well with that.']);
  });

  it('begins with what was written before, and tells its host of what is', async () => {
    const told: string[] = [];
    mounted = await mount(
      <Composer
        isBusy={false}
        initialText="Mend"
        onWrite={(text) => told.push(text)}
        onSend={() => {}}
      />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await field().click();
    await userEvent.keyboard('{End}!');
    await userEvent.keyboard('{Enter}');
    expect(told).toEqual(['Mend!', '']);
  });

  it('lays a long text out in the cheap way, and one that is shorter again by its lines', async () => {
    await show();
    const sheet = document.createElement('style');
    sheet.textContent = styles;
    mounted?.element.append(sheet);
    const style = () => getComputedStyle(field().element());
    const { height } = style();
    await field().fill('word '.repeat(4000));
    await expect.poll(() => style().unicodeBidi).toBe('normal');
    expect(style().getPropertyValue('field-sizing')).toBe('fixed');
    await field().fill('word');
    await expect.poll(() => style().unicodeBidi).toBe('plaintext');
    expect(style().height).toBe(height);
  });

  it('brings earlier prompts back by the arrows, and never in the place of what is written', async () => {
    const history = ['First?', 'Second?', 'Second?', 'In two\nlines?'];
    mounted = await mount(<Composer isBusy={false} history={history} onSend={() => {}} />);
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await field().click();
    const after = async (keys: string) => {
      await userEvent.keyboard(keys);
      return (field().element() as HTMLTextAreaElement).value;
    };
    expect(await after('{ArrowDown}')).toBe('');
    expect(await after('{ArrowUp}')).toBe('In two\nlines?');
    // The caret goes to the first of its lines.
    expect(await after('{ArrowUp}')).toBe('In two\nlines?');
    expect(await after('{ArrowUp}')).toBe('Second?');
    expect(await after('{ArrowUp}')).toBe('First?');
    expect(await after('{ArrowUp}')).toBe('First?');
    expect(await after('{ArrowDown}')).toBe('Second?');
    expect(await after('!{ArrowUp}')).toBe('Second?!');
  });

  it('goes on to older prompts where the one that is back is a command', async () => {
    const named = (name: string) => ({ name, description: '', argumentHint: '' });
    const commands = [named('review'), named('security-review')];
    mounted = await mount(
      <Composer
        isBusy={false}
        commands={commands}
        history={['First?', '/review']}
        onSend={() => {}}
      />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await field().click();
    await userEvent.keyboard('{ArrowUp}{ArrowUp}');
    expect((field().element() as HTMLTextAreaElement).value).toBe('First?');
  });

  it('puts the value of an argument in the place of the word, also one with an @', async () => {
    const command = { name: 'info', description: '', argumentHint: '[package]' };
    mounted = await mount(
      <Composer
        isBusy={false}
        files={['scope.ts']}
        commands={[command]}
        onComplete={async () => ['@scope/pkg']}
        onSend={() => {}}
      />,
    );
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    await field().click();
    await userEvent.keyboard('/info sc');
    await page.getByRole('listbox', { name: 'Values' }).getByRole('option').click();
    await expect.element(field()).toHaveValue('/info @scope/pkg ');
  });
});
