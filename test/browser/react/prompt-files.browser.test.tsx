// Files and images in the composer, as a person gives them: pasted, dropped and chosen, from real files of the browser.
import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ImageBlock } from '../../../src/core/messages/blocks.ts';
import { readPromptImage } from '../../../src/media/prompt-image.ts';
import type { WaitingPrompt } from '../../../src/react/page-session.ts';
import { Composer } from '../../../src/react/components/composer.tsx';
import { Transcript } from '../../../src/react/components/transcript.tsx';
import { readImageHeader } from '../../../src/workspace/state/image.ts';
import { decodeBase64 } from '../../../src/core/bytes/base64.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';

let mounted: Mounted | undefined;
afterEach(() => mounted?.[Symbol.dispose]());

async function draw(name: string, width = 40, height = 30): Promise<File> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  // Each name another picture.
  if (context) context.fillStyle = `rgb(${name.length * 20} 90 120)`;
  context?.fillRect(0, 0, width, height);
  return new File([await canvas.convertToBlob({ type: 'image/png' })], name, { type: 'image/png' });
}

const field = () => page.getByRole('textbox', { name: 'Message to the agent' });
const pictures = () => page.getByRole('list', { name: 'Images to be sent' }).getByRole('img');
const sizeOf = ({ source }: ImageBlock) =>
  source.type === 'base64' ? readImageHeader(decodeBase64(source.data))?.size : undefined;

interface Sent {
  readonly text: string;
  readonly images: readonly ImageBlock[];
}

async function show(
  waiting: readonly WaitingPrompt[] = [],
  takeFile?: (file: File) => Promise<string>,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  mounted = await mount(
    <Composer
      isBusy={false}
      onSend={(text, images) => sent.push({ text, images })}
      readImage={readPromptImage}
      {...(takeFile && { takeFile })}
      waiting={waiting}
      onTakeBack={(id) => waiting.find((one) => one.id === id)}
    />,
  );
  // Keys are pressed by the browser, outside of React's act.
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
  return sent;
}

function give(how: 'paste' | 'drop', ...files: readonly File[]): boolean {
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  const event =
    how === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
      : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
  return field().element().dispatchEvent(event);
}

describe('images in the composer', () => {
  it('are pasted, dropped and chosen, taken out again, and sent with the text or alone', async () => {
    const sent = await show();
    expect(give('paste', await draw('a.png'))).toBe(false);
    await expect.poll(() => pictures().elements().length).toBe(1);
    expect(give('drop', await draw('bb.png', 3000, 2500), await draw('ccc.png'))).toBe(false);
    await expect.poll(() => pictures().elements().length).toBe(3);
    const input = document.querySelector<HTMLInputElement>('input[type=file]');
    if (!input) throw new Error('There is no field for files.');
    await userEvent.upload(input, await draw('dddd.png', 60, 20));
    await expect.poll(() => pictures().elements().length).toBe(4);
    await page.getByRole('button', { name: 'Remove image 1' }).click();
    expect(pictures().elements()).toHaveLength(3);
    await field().fill('Look.');
    await userEvent.keyboard('{Enter}');
    expect(sent.map(({ text, images }) => [text, ...images.map(sizeOf)])).toEqual([
      [
        'Look.',
        { width: 2000, height: 1667 },
        { width: 40, height: 30 },
        { width: 60, height: 20 },
      ],
    ]);
    expect(pictures().elements()).toEqual([]);

    give('paste', await draw('e.png'));
    await expect.poll(() => pictures().elements().length).toBe(1);
    await page.getByRole('button', { name: 'Send' }).click();
    expect(sent[1]).toMatchObject({ text: '', images: [{ type: 'image' }] });
  });

  it('leaves pasted text to the field, and says why a file is none', async () => {
    await show();
    const text = new DataTransfer();
    text.setData('text/plain', 'words');
    const paste = { clipboardData: text, bubbles: true, cancelable: true };
    expect(field().element().dispatchEvent(new ClipboardEvent('paste', paste))).toBe(true);
    // A copied table has a picture of itself beside its text.
    text.items.add(await draw('table.png'));
    expect(field().element().dispatchEvent(new ClipboardEvent('paste', paste))).toBe(true);
    const dragged = new DataTransfer();
    dragged.setData('text/plain', 'words');
    const over = { dataTransfer: dragged, bubbles: true, cancelable: true };
    expect(field().element().dispatchEvent(new DragEvent('dragover', over))).toBe(true);
    give('drop', new File(['<svg/>'], 'drawing.svg', { type: 'image/svg+xml' }));
    const reason =
      'drawing.svg is no image that a model can be shown. Give a JPEG, PNG, GIF or WebP.';
    await expect.element(page.getByText(reason)).toBeVisible();
    expect(pictures().elements()).toEqual([]);
  });

  it('are told to the host, which gives them back to a field that is made anew', async () => {
    await show();
    let told: readonly ImageBlock[] = [];
    const write = (_: string, images: readonly ImageBlock[]) => void (told = images);
    const composer = (initialImages: readonly ImageBlock[]) => (
      <Composer
        key={initialImages.length}
        isBusy={false}
        onSend={() => {}}
        readImage={readPromptImage}
        initialImages={initialImages}
        onWrite={write}
      />
    );
    await mounted?.render(composer([]));
    give('paste', await draw('a.png'));
    await expect.poll(() => told.length).toBe(1);
    await mounted?.render(composer(told));
    expect(pictures().elements()).toHaveLength(1);
    await page.getByRole('button', { name: 'Remove image 1' }).click();
    expect(told).toEqual([]);
  });

  it('come back with what is taken back', async () => {
    const image = await readPromptImage(await draw('a.png'));
    const sent = await show([{ id: '1', text: 'Look.', images: [image] }]);
    await page.getByRole('button', { name: 'Take back: Look. (1 image)' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    expect(sent).toEqual([{ text: 'Look.', images: [image] }]);
  });
});

describe('other files in the composer', () => {
  it('are kept by the host, and named in the prompt', async () => {
    const kept: string[] = [];
    const sent = await show([], async (file) => {
      if (file.name === 'bad.bin') throw new Error('bad.bin is too large.');
      kept.push(await file.text());
      return `docs/${file.name}`;
    });
    await field().fill('Compare');
    give('drop', new File(['a,b'], 'my table.csv'), await draw('a.png'));
    await expect.element(field()).toHaveValue('Compare @docs/my\\ table.csv ');
    await expect.poll(() => pictures().elements().length).toBe(1);
    give('paste', new File(['x'], 'bad.bin'), new File(['%PDF'], 'b.pdf'));
    await expect.element(field()).toHaveValue('Compare @docs/my\\ table.csv @docs/b.pdf ');
    await expect.element(page.getByText('bad.bin is too large.')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Add files…' })).toBeVisible();
    await page.getByRole('button', { name: 'Send' }).click();
    expect(sent).toMatchObject([
      { text: 'Compare @docs/my\\ table.csv @docs/b.pdf', images: [{ type: 'image' }] },
    ]);
    expect(kept).toEqual(['a,b', '%PDF']);
  });
});

describe('an image of a prompt', () => {
  it('is made to fit', async () => {
    const image = await readPromptImage(await draw('large.png', 5000, 2500));
    expect(sizeOf(image)).toEqual({ width: 2000, height: 1000 });
  });

  it('is shown in the transcript from its bytes alone', async () => {
    const image = await readPromptImage(await draw('a.png'));
    const elsewhere = {
      type: 'image',
      source: { type: 'url', url: 'https://a.test/x.png' },
    } as const;
    mounted = await mount(
      <Transcript
        views={{}}
        turns={[
          {
            ...{ id: 't', prompt: '', images: [image, elsewhere], entries: [], callCount: 0 },
            ...{ startedAt: 0, endedAt: null, result: null },
          },
        ]}
      />,
    );
    const shown = page.getByRole('img').elements() as HTMLImageElement[];
    expect(shown.map(({ alt, src }) => [alt, src.slice(0, 22)])).toEqual([
      ['Your image 1', 'data:image/png;base64,'],
    ]);
    await expect.element(page.getByText('Your image 2, elsewhere')).toBeVisible();
  });
});
