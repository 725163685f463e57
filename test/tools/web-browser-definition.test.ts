// What WebBrowser takes as input, and what it says of itself.
import { describe, expect, it } from 'vitest';
import { webBrowserActions, webBrowserInputSchema } from '../../src/tools/web-browser/schema.ts';
import { webBrowserTool } from '../../src/tools/web-browser/tool.ts';

describe("WebBrowser's definition", () => {
  const check = async (input: Record<string, unknown>) => {
    const parsed = webBrowserInputSchema().safeParse(input);
    if (!parsed.success) return 'no such input';
    const validated = await webBrowserTool.validateInput(parsed.data);
    return 'message' in validated ? validated.message : true;
  };

  it.each([
    [{ action: 'open', path: 'index.html' }, true],
    [{ action: 'open' }, 'open needs path.'],
    [{ action: 'read' }, true],
    [{ action: 'read', ref: 'e1', filter: 'interactive' }, true],
    [
      { action: 'read', ref: 'e1', filter: 'changed' },
      'read takes ref or the filter changed, not both.',
    ],
    [{ action: 'find', text: 'a', filter: 'all' }, 'find takes no filter.'],
    [{ action: 'click', ref: 'e1', filter: 'few' }, 'no such input'],
    [{ action: 'screenshot' }, true],
    [{ action: 'screenshot', path: 'index.html' }, 'screenshot takes no path.'],
    [{ action: 'click', ref: 'e1' }, true],
    [{ action: 'click' }, 'click needs ref or coordinate.'],
    [{ action: 'click', coordinate: [5, 6], double_click: true, button: 'left' }, true],
    [
      { action: 'click', ref: 'e1', coordinate: [5, 6] },
      'click takes ref or coordinate, not both.',
    ],
    [{ action: 'click', coordinate: [5] }, 'no such input'],
    [{ action: 'hover', ref: 'e1' }, true],
    [{ action: 'drag', ref: 'e1' }, 'drag needs start_ref or start_coordinate.'],
    [{ action: 'drag', start_ref: 'e1', coordinate: [5, 6] }, true],
    [{ action: 'find', text: ' ' }, 'find needs a text that is not empty.'],
    [{ action: 'upload', ref: 'e1' }, 'upload needs paths.'],
    [{ action: 'wait' }, 'wait needs text, text_gone or time.'],
    [{ action: 'wait', time: 31 }, 'no such input'],
    [{ action: 'dialog', accept: true, text: 'Ann' }, true],
    [
      { action: 'screenshot', ref: 'e1', full_page: true },
      'screenshot takes ref or full_page, not both.',
    ],
    [{ action: 'type', ref: 'e1', text: '' }, true],
    [{ action: 'type', ref: 'e1' }, 'type needs text.'],
    [{ action: 'press', key: 'Enter' }, true],
    [{ action: 'press', key: 'Enter', ref: 'e1' }, true],
    [{ action: 'press', ref: 'e1', text: 'x' }, 'press needs key.'],
    [{ action: 'scroll' }, 'scroll needs ref or scroll_direction.'],
    [{ action: 'scroll', ref: 'e1' }, true],
    [
      { action: 'scroll', ref: 'e1', scroll_amount: 2 },
      'scroll needs scroll_direction with scroll_amount.',
    ],
    [{ action: 'scroll', scroll_direction: 'down', scroll_amount: 0.5 }, true],
    [{ action: 'scroll', scroll_direction: 'down', scroll_amount: -1 }, 'no such input'],
    [{ action: 'resize' }, true],
    [{ action: 'resize', width: 390, height: 844 }, true],
    [
      { action: 'resize', width: 390 },
      'resize needs width and height, or neither: then the page is as large as at first.',
    ],
    [{ action: 'resize', width: 20, height: 20 }, 'no such input'],
    [{ action: 'emulate', color_scheme: 'dark' }, true],
    [{ action: 'emulate', color_scheme: 'sepia' }, 'no such input'],
    [{ action: 'console', path: 'x', key: 'y' }, 'console takes no path and no key.'],
    [{ action: 'evaluate', text: '1' }, 'no such input'],
    [{ action: 'read', script: '1' }, 'no such input'],
  ])('takes %j: %j', async (input, expected) => expect(await check(input)).toBe(expected));

  it('changes nothing, and may send what a page is given', async () => {
    const traits = webBrowserActions.map(async (action) => {
      const { behavior } = await webBrowserTool.checkPermissions({ action });
      return [
        action,
        webBrowserTool.isReadOnly(),
        webBrowserTool.isOpenWorld({ action }),
        behavior,
      ];
    });
    expect(await Promise.all(traits)).toEqual([
      ['open', true, true, 'passthrough'],
      ['read', true, false, 'allow'],
      ['find', true, true, 'allow'],
      ['screenshot', true, false, 'allow'],
      ['click', true, true, 'allow'],
      ['hover', true, true, 'allow'],
      ['drag', true, true, 'allow'],
      ['type', true, true, 'allow'],
      ['press', true, true, 'allow'],
      ['upload', true, true, 'allow'],
      ['scroll', true, false, 'allow'],
      ['resize', true, true, 'allow'],
      ['emulate', true, false, 'allow'],
      ['wait', true, false, 'allow'],
      ['dialog', true, true, 'allow'],
      ['console', true, false, 'allow'],
    ]);
    // A number and a text, also in place of a ref, may be anything that was read before.
    const free = [
      { action: 'scroll', ref: 'e1', scroll_direction: 'down', scroll_amount: 12.345 },
      { action: 'read', ref: 'a secret' },
      { action: 'wait', text: 'secret' },
      { action: 'wait', text_gone: 'secret', time: 1 },
    ] as const;
    expect(free.map((input) => webBrowserTool.isOpenWorld(input))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});
